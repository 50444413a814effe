"""What stands above the records: out of date and why, contradictions, what one click accepts or makes anew."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.actions import decisions, reviews, versions
from campaigns.banners import contradicted_in
from campaigns.models import ArtifactVersion, Campaign, Decision, Run, Transcript
from campaigns.worklist import work_in
from extraction.codes import Code
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.review.acting import address, contradicted, done, signed_in
from tests.campaigns.reviews.acting import DELL, GROUP, PEOPLE, QUILLON, VOSS, WICK, group_of, names, on, records
from tests.standard import UNITS

RENEW = "Make anew what is out of date"


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign, 3, "Session 3: The weir"))


@pytest.fixture
def registry(transcript: Transcript) -> ArtifactVersion:
    return factories.make_version(transcript, PEOPLE, consolidations=group_of(transcript, GROUP))


def page(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def of(version: ArtifactVersion) -> str:
    return f"/review/versions/{version.pk}/"


def renewal(version: ArtifactVersion) -> str:
    return f"/review/sessions/{version.artifact.session_id}/renew"


def test_version_of_an_earlier_transcript_says_so_and_offers_a_run(
    client: Client, registry: ArtifactVersion, transcript: Transcript
) -> None:
    assert RENEW not in page(client, of(registry))

    factories.make_transcript(transcript.session, UNITS[:-1])
    html = page(client, of(registry))

    assert "The transcript is at revision 2; this was made from revision 1." in html
    assert RENEW in html
    assert RENEW in page(client, f"/review/sessions/{transcript.session_id}/")


def test_renew_runs_what_is_out_of_date_once_and_leads_back(
    client: Client, registry: ArtifactVersion, transcript: Transcript
) -> None:
    factories.make_transcript(transcript.session, UNITS[:-1])
    got = client.post(renewal(registry), {"version": registry.pk}, follow=True)
    again = client.post(renewal(registry), {"version": registry.pk}, follow=True)

    assert got.redirect_chain == [(of(registry), 302)]
    assert "NPCs will be made anew." in got.content.decode()
    assert "A run is at work on it." in got.content.decode() and RENEW not in got.content.decode()
    assert "Nothing of this session is out of date that is not at work." in again.content.decode()
    assert list(Run.objects.get().lanes.values_list("key", flat=True)) == ["dnd/npcs"]


@pytest.mark.parametrize("who", ["player", "reader", "outsider"])
def test_renew_is_for_game_masters_and_site_admins(
    who: str, request: pytest.FixtureRequest, registry: ArtifactVersion, transcript: Transcript
) -> None:
    factories.make_transcript(transcript.session, UNITS[:-1])

    assert signed_in(request.getfixturevalue(who)).post(renewal(registry)).status_code == 404
    assert Client().post(renewal(registry))["Location"].startswith("/login/")
    assert not Run.objects.exists()


def test_stale_approved_version_leads_to_what_was_made_since(
    client: Client, registry: ArtifactVersion, transcript: Transcript
) -> None:
    ArtifactVersion.objects.filter(pk=registry.pk).update(state="approved")
    newer = factories.make_version(factories.make_transcript(transcript.session, UNITS[:-1]), PEOPLE)
    html = page(client, of(registry))

    assert f'href="/review/versions/{newer.pk}/compare/?with=1">See what it has otherwise' in html
    assert RENEW not in html
    assert f'href="/review/versions/{newer.pk}/compare/?with=1">See what this has otherwise than version 1' in page(
        client, of(newer)
    )


def test_contradiction_stands_above_the_records_until_one_side_is_taken_back(
    client: Client, registry: ArtifactVersion, gm: User, admin: User
) -> None:
    merged = reviews.merge(**on(registry), records=(DELL, WICK), canonical=DELL, by=admin).version
    apart = reviews.undo_consolidation(**on(merged), record=names(merged).index("Harbourmaster Dell"), by=gm).version
    one, other = (names(apart).index(name) for name in ("Harbourmaster Dell", "Wick"))
    last = reviews.mark_not_same(**on(apart), one=one, other=other, reason="Two voices.", by=gm).version
    html = page(client, of(last))

    assert decisions.contradictions(last.artifact.session, "dnd/npcs")
    assert "Decisions contradict each other" in html and "Two voices." in html
    assert "Withdraw<span" in html and "Undo<span" in html
    assert "Decisions contradict each other" in page(client, f"{of(last)}decisions/")

    wrong = Decision.objects.get(kind="merge")
    client.post(f"{of(last)}withdraw", {"decision": wrong.pk})

    assert "Decisions contradict each other" not in page(client, of(last))


def test_contradiction_is_counted_where_work_is_looked_for_and_leads_to_its_page(
    client: Client, registry: ArtifactVersion, gm: User, admin: User
) -> None:
    pages = ("/review/", f"/review/sessions/{registry.artifact.session_id}/")
    assert [path for path in pages if "contradiction" in page(client, path)] == []
    last = contradicted(registry, admin, gm)
    told = f'href="{of(last)}#contradictions-title">NPCs'

    assert [path for path in pages if told in page(client, path)] == list(pages)
    assert all("1 contradiction<" in page(client, path) for path in pages)
    assert 'id="contradictions-title"' in page(client, of(last))

    client.post(f"{of(last)}withdraw", {"decision": Decision.objects.get(kind="merge").pk})

    assert [path for path in pages if "contradiction" in page(client, path)] == []


def test_contradiction_is_work_also_where_nothing_waits_and_no_version_is_left(
    client: Client, registry: ArtifactVersion, gm: User, admin: User
) -> None:
    last = contradicted(registry, admin, gm)
    registry.artifact.versions.filter(pk=last.pk).update(state="superseded")
    newer = factories.make_version(last.transcript, PEOPLE)
    versions.reject(version_id=newer.pk, note="", by=gm)
    [work] = work_in([last.artifact.session.campaign])

    assert not work.pending and not work.idle
    assert [(one.lane, one.count, one.version_id) for one in work.sessions[0].contradicted] == [
        ("dnd/npcs", 1, newer.pk)
    ]


def test_contradictions_of_many_sessions_take_the_queries_of_one(campaign: Campaign, gm: User, admin: User) -> None:
    counts = []
    for number in (1, 2, 3):
        transcript = factories.make_transcript(factories.make_session(campaign, number))
        contradicted(factories.make_version(transcript, PEOPLE), admin, gm)
        sessions = list(campaign.sessions.values_list("pk", flat=True))
        with CaptureQueriesContext(connection) as seen:
            assert len(contradicted_in(sessions)) == number
        counts.append(len(seen))

    assert len(set(counts)) == 1


def test_accept_all_lists_what_it_accepts_and_takes_the_chosen(client: Client, registry: ArtifactVersion) -> None:
    html = page(client, of(registry))
    form = page(client, address(registry, "accept_all"))

    assert 'Accept all 1<span class="sr-only"> merge that nothing speaks against' in html
    assert f'name="records" value="{VOSS}" checked' in form
    assert "from Aurelio Voss, Captain Voss" in form

    refused = client.post(address(registry, "accept_all"), {"expected_version": 1})
    made = done(client, registry, "accept_all", records=[VOSS])

    assert refused.status_code == 422 and "Choose at least one merge." in refused.content.decode()
    assert made.consolidations["applied"][0]["by"] == "review"
    assert "Accept all" not in page(client, of(made))


@pytest.mark.parametrize(
    ("act", "form"),
    [
        ("canonical", {"record": VOSS, "member": 1}),
        ("explode", {"record": VOSS}),
        ("merge", {"records": [DELL, WICK], "canonical": DELL}),
        ("same", {"record": DELL, "other": WICK}),
        ("not_same", {"record": VOSS, "members": [1]}),
        ("rename", {"record": WICK, "name": "Old Wick"}),
        ("remove", {"record": QUILLON}),
    ],
)
def test_act_that_changes_names_tells_what_it_would_change(
    act: str, form: dict[str, object], client: Client, registry: ArtifactVersion
) -> None:
    got = client.post(address(registry, act), {"expected_version": 1, **form})

    assert 'class="impact"' in got.content.decode()
    assert registry.artifact.versions.count() == 1


def test_verdicts_are_shown_once(client: Client, registry: ArtifactVersion) -> None:
    conflict = {"members": ["Wick", "Mother Quillon"], "canonical": "Wick", "verdict": Code.RECONCILE_CONFLICT.value}
    held = {**registry.consolidations, "proposals": [conflict]}
    ArtifactVersion.objects.filter(pk=registry.pk).update(consolidations=held)
    html = page(client, of(registry))

    assert html.count("Proposed merges claimed the same record and were all left out.") == 1


def test_title_that_begins_with_its_number_says_it_once(client: Client, registry: ArtifactVersion) -> None:
    for path in (of(registry), f"/review/sessions/{registry.artifact.session_id}/", "/review/"):
        html = page(client, path)

        assert "Session 3: The weir" in html
        assert "Session 3: Session 3" not in html


def test_place_of_several_of_one_name_is_chosen_by_where_it_is_first_met(
    client: Client, transcript: Transcript
) -> None:
    gates = [families.place(transcript, "The Water Gate", ((unit, unit),)) for unit in (41, 205)]
    families.make_version(transcript, "locations", gates, state="approved")
    here = {"location_id": gates[0]["id"], "name": "The Water Gate", "kind": "presence"}
    version = families.make_version(
        transcript, "location-occurrences", [{**here, "source_refs": families.refs(transcript, ((42, 42),))}]
    )
    form = page(client, f"{address(version, 'edit')}?record=0")

    assert "The Water Gate (session 3, from unit 205)" in form
    assert 'name="name"' not in form

    made = done(client, version, "edit", record=0, location_id=gates[1]["id"], kind="presence")

    assert records(made)[0]["location_id"] == gates[1]["id"]


def test_pages_take_the_same_queries_for_few_and_many_records_also_when_out_of_date(
    client: Client, transcript: Transcript
) -> None:
    newer = factories.make_transcript(transcript.session, UNITS[:-1])
    # So that also the one of few records is compared with another.
    factories.make_version(transcript, {"Wick": ((50, 52),)}).artifact.versions.update(state="rejected")
    counts = []
    for count in (2, 60):
        version = factories.make_version(transcript, {f"Person {at}": ((50, 52),) for at in range(count)})
        own = []
        for path in (of(version), f"{of(version)}compare/", f"/review/sessions/{newer.session_id}/", "/review/"):
            with CaptureQueriesContext(connection) as seen:
                client.get(path)
            own.append(len(seen))
        counts.append(own)
        version.artifact.versions.update(state="rejected")

    assert all(many <= few + 1 for few, many in zip(*counts, strict=True))
