from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from campaigns.actions import versions
from campaigns.models import ArtifactVersion, AuditEntry, Campaign, Transcript
from campaigns.review import BLOCK, FIRST_STRETCH
from extraction.codes import Code
from extraction.findings import warning
from extraction.source.documents import SourceUnit
from tests import factories

HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'; DROP TABLE units; --", "{{ 7|add:7 }}")
SMALL = 100_000


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


@pytest.fixture
def pending(transcript: Transcript) -> ArtifactVersion:
    return factories.make_version(transcript)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(client: Client, version: ArtifactVersion, query: str = "") -> str:
    return client.get(f"/review/versions/{version.pk}/{query}").content.decode()


@pytest.mark.parametrize(
    ("who", "status"), [("gm", 200), ("admin", 200), ("player", 404), ("reader", 404), ("outsider", 404)]
)
@pytest.mark.parametrize("path", ["/review/versions/{}/", "/review/versions/{}/units"])
def test_review_is_for_game_masters_and_site_admins(
    who: str, status: int, path: str, request: pytest.FixtureRequest, pending: ArtifactVersion
) -> None:
    user = request.getfixturevalue(who)

    assert signed_in(user).get(path.format(pending.pk)).status_code == status


def test_review_leads_nobody_to_the_login_form(pending: ArtifactVersion) -> None:
    got = Client().get(f"/review/versions/{pending.pk}/?record=1")

    assert (got.status_code, got["Location"]) == (302, f"/login/?next=/review/versions/{pending.pk}/%3Frecord%3D1")
    assert Client().get(f"/review/versions/{pending.pk}/units").status_code == 401


def test_review_refuses_readers_even_of_approved_versions(reader: User, gm: User, pending: ArtifactVersion) -> None:
    versions.approve(version_id=pending.pk, note="", by=gm)

    assert signed_in(reader).get(f"/review/versions/{pending.pk}/").status_code == 404


def test_review_marks_the_chosen_record_and_its_evidence(client: Client, pending: ArtifactVersion) -> None:
    html = page(client, pending, "?record=1")

    assert html.count('aria-current="true"') == 1
    assert 'class="unit cited now" id="unit-50"' in html
    assert 'class="unit cited" id="unit-206"' in html
    assert 'class="unit" id="unit-41"' in html


@pytest.mark.parametrize("where", ["text", "speaker", "name", "member", "note"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_review_escapes_hostile_content(where: str, hostile: str, client: Client, gm: User, campaign: Campaign) -> None:
    unit = SourceUnit(1, hostile if where == "speaker" else "Yun", hostile if where == "text" else "Hm.")
    transcript = factories.make_transcript(factories.make_session(campaign), [unit])
    name = hostile if where == "name" else "Wick"
    version = factories.make_version(transcript, {name: ((1, 1),)})
    if where == "member":
        record = {"id": "x", "name": hostile, "source_refs": []}
        ident = version.payload.split('"id":"')[1].split('"')[0]
        ArtifactVersion.objects.filter(pk=version.pk).update(
            consolidations={
                "applied": [{"id": ident, "canonical": hostile, "members": [record, record]}],
                "proposals": [{"members": [hostile], "canonical": hostile, "verdict": hostile}],
            }
        )
    if where == "note":
        versions.reject(version_id=version.pk, note=hostile, by=gm)
    html = page(client, version) + client.get(f"/review/versions/{version.pk}/units").content.decode()

    assert "<script>alert" not in html
    assert "<img" not in html
    assert escape(hostile) in html


def test_review_has_no_inline_script_style_or_handler(client: Client, pending: ArtifactVersion) -> None:
    html = page(client, pending)

    assert " style=" not in html
    assert "<style" not in html
    assert " onclick=" not in html
    assert "<script>" not in html
    assert "default-src 'self'" in client.get("/")["Content-Security-Policy"]


@pytest.mark.parametrize("units", [3_308, 10_000])
def test_review_of_a_long_session_sends_only_the_first_stretch(units: int, client: Client, campaign: Campaign) -> None:
    html = client.get(f"/review/versions/{long_version(campaign, units, 150).pk}/").content

    assert html.count(b'class="unit') == FIRST_STRETCH
    assert len(html) < SMALL


def test_review_takes_a_constant_number_of_queries(client: Client, campaign: Campaign) -> None:
    counts = []
    for number, (units, records) in enumerate(((60, 2), (600, 40), (3_308, 190)), start=1):
        version = long_version(campaign, units, records, number)
        for path in ("", "units?from=30&count=90", "units?unit=31"):
            with CaptureQueriesContext(connection) as seen:
                client.get(f"/review/versions/{version.pk}/{path}")
            counts.append((path, len(seen)))

    assert len(set(counts)) == 3


def test_review_pages_the_records(client: Client, campaign: Campaign) -> None:
    version = long_version(campaign, 600, 450)
    first, last = page(client, version), page(client, version, "?record=449")

    assert first.count('class="pick"') == 200
    assert last.count('class="pick"') == 50
    assert "?record=200" in first


def test_review_works_by_links_without_a_script(client: Client, campaign: Campaign) -> None:
    version = long_version(campaign, 600, 5)
    html = page(client, version, "?record=2&from=300")
    sought = page(client, version, "?unit=7")

    assert 'data-at="300"' in html
    assert "record=2&amp;evidence=0&amp;from=360" in html
    assert "record=2&amp;evidence=0&amp;from=240" in html
    assert 'class="unit target" id="unit-7"' in sought


def test_review_says_kindly_that_there_is_no_such_unit(client: Client, pending: ArtifactVersion) -> None:
    html = page(client, pending, "?unit=99999")

    assert "There is no such unit" in html
    asked = client.get(f"/review/versions/{pending.pk}/units?unit=99999")

    # No fault: the script asks whether there is one, and a browser would write a 404 into its console.
    assert (asked.status_code, asked.headers.get("X-Position")) == (204, None)


@pytest.mark.parametrize("query", ["?record=x", "?record=-1", "?from=99999999999999999999", "?unit=%00", "?evidence=²"])
def test_review_survives_a_query_that_makes_no_sense(query: str, client: Client, pending: ArtifactVersion) -> None:
    assert client.get(f"/review/versions/{pending.pk}/{query}").status_code == 200
    assert client.get(f"/review/versions/{pending.pk}/units{query}").status_code in (200, 204)


def test_units_come_in_whole_blocks_at_their_positions(client: Client, campaign: Campaign) -> None:
    version = long_version(campaign, 600, 2)
    html = client.get(f"/review/versions/{version.pk}/units?from={2 * BLOCK}&count={BLOCK}").content.decode()
    jump = client.get(f"/review/versions/{version.pk}/units?unit=580")

    assert (html.count("data-from"), html.count("data-at")) == (1, BLOCK)
    assert f'data-from="{2 * BLOCK}"' in html
    assert f'data-at="{jump["X-Position"]}"' in jump.content.decode()
    assert 'id="unit-580"' in jump.content.decode()


@pytest.mark.parametrize("verdict", ["approve", "reject"])
def test_verdict_is_kept_with_who_when_and_note(
    verdict: str, client: Client, gm: User, pending: ArtifactVersion
) -> None:
    path = f"/review/versions/{pending.pk}/"
    got = client.post(path, {"verdict": verdict, "note": "Read it all."})
    pending.refresh_from_db()
    html = page(client, pending)

    assert (got.status_code, got["Location"]) == (302, path)
    assert (pending.state, pending.decided_by, pending.note) == (
        {"approve": "approved", "reject": "rejected"}[verdict],
        gm,
        "Read it all.",
    )
    assert "Read it all." in html
    assert f"Decided by {gm.username}" in html
    assert 'name="verdict"' not in html
    assert AuditEntry.objects.filter(act=f"version.{verdict}", by=gm).count() == 1


def test_verdict_on_a_decided_version_is_a_kind_409(client: Client, gm: User, pending: ArtifactVersion) -> None:
    versions.reject(version_id=pending.pk, note="mine", by=gm)
    got = client.post(f"/review/versions/{pending.pk}/", {"verdict": "approve", "note": "late"})

    assert got.status_code == 409
    assert "Your decision was not saved" in got.content.decode()
    assert ArtifactVersion.objects.get(pk=pending.pk).note == "mine"


@pytest.mark.parametrize("data", [{}, {"verdict": "maybe"}, {"verdict": "approve", "note": "x" * 2_001}])
def test_verdict_that_is_none_changes_nothing(data: dict[str, str], client: Client, pending: ArtifactVersion) -> None:
    got = client.post(f"/review/versions/{pending.pk}/", data)

    assert got.status_code == 400
    assert ArtifactVersion.objects.get(pk=pending.pk).state == "pending"


def test_verdict_needs_the_csrf_token(gm: User, pending: ArtifactVersion) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(gm)
    got = client.post(f"/review/versions/{pending.pk}/", {"verdict": "approve"})

    assert got.status_code == 403
    assert ArtifactVersion.objects.get(pk=pending.pk).state == "pending"


def test_review_of_a_superseded_version_leads_to_the_newest(
    client: Client, gm: User, transcript: Transcript, pending: ArtifactVersion
) -> None:
    versions.approve(version_id=pending.pk, note="", by=gm)
    newer = factories.make_version(transcript)
    versions.approve(version_id=newer.pk, note="", by=gm)
    html = page(client, pending)

    assert f"/review/versions/{newer.pk}/" in html
    assert 'name="verdict"' not in html


def test_review_shows_warnings_as_sentences(client: Client, transcript: Transcript) -> None:
    version = factories.make_version(transcript)
    ArtifactVersion.objects.filter(pk=version.pk).update(
        findings=[warning(Code.EVIDENCE_UNRELATED, "record[0]").as_json(), warning(Code.RECONCILE_TOO_LARGE).as_json()]
    )
    html = page(client, version)

    assert 'class="warning"' in html
    assert "evidence.unrelated" not in html
    assert "1 remark on the whole list" in html


def test_review_without_records_says_what_to_do(client: Client, transcript: Transcript) -> None:
    assert "No records were found" in page(client, factories.make_version(transcript, {}))


def long_version(campaign: Campaign, units: int, records: int, number: int = 7) -> ArtifactVersion:
    """A session of `units` units, with `records` people who are each cited eight times; ids run backwards in pairs."""
    said = [SourceUnit(at ^ 1, f"Player {at % 5}", "The lantern swings. " * (1 + at % 7)) for at in range(2, units + 2)]
    transcript = factories.make_transcript(factories.make_session(campaign, number), said)
    npcs = {
        f"Person {n} of the long night": [
            (said[at].unit_id, said[at + 1].unit_id) for at in range(n % 40, units - 1, max(1, units // 8))
        ]
        for n in range(records)
    }
    return factories.make_version(transcript, npcs)
