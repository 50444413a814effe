"""Every limit at one less, at itself and at one more: what fits passes, what does not is refused and leaves nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeAlias

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from campaigns.actions import caps, exports, members, reviews, secrets, tokens, transcripts, versions, webhooks
from campaigns.api import once
from campaigns.api.gate import FORM_BYTES
from campaigns.errors import ActionError, Conflict
from campaigns.models import Campaign, Export, Webhook
from campaigns.search import queries
from extraction.errors import IngestError
from extraction.ingest import Limits, read_transcript
from tests import factories
from tests.campaigns.api.conftest import bearer
from tests.campaigns.reviews.acting import on
from tests.extraction.ingest.zips import zipped

Try: TypeAlias = "Callable[[int], object]"
ROOT = "/api/v1"


def around(limit: int) -> list[tuple[int, bool]]:
    return [(limit - 1, True), (limit, True), (limit + 1, False)]


def taken(attempt: Callable[[], object]) -> bool:
    """Return whether it was taken; what refuses must say so in one sentence."""
    try:
        attempt()
    except (ActionError, Conflict, IngestError) as error:
        assert str(error).endswith(".")
        return False
    return True


def lines(count: int) -> bytes:
    return b"Ida: Hm.\n" * count


def notarius(**unit: object) -> bytes:
    whole = {"unit_id": 1, "speaker": None, "text": "Hm.", "start_ms": None, "end_ms": None} | unit
    return json.dumps({"schema": "notarius.transcript.v1", "title": None, "units": [whole]}).encode()


def titled(count: int) -> bytes:
    return json.dumps({**json.loads(notarius()), "title": "x" * count}).encode()


def nested(depth: int) -> bytes:
    """A recogniser's JSON with something of that depth in a field that nobody reads."""
    extra: object = 1
    for _ in range(depth - 1):
        extra = [extra]
    return json.dumps({"segments": [{"start": 1, "end": 2, "text": "Hm."}], "extra": extra}).encode()


def packed(count: int) -> bytes:
    return zipped({f"{at}.txt": lines(1) for at in range(count)})


READING: Mapping[str, tuple[dict[str, int], Callable[[int], bytes], int]] = {
    "max_bytes": ({"max_bytes": 900}, lambda n: lines(99) + b"Ida: Hm" + b"." * (n - 899) + b"\n", 900),
    "max_units": ({"max_units": 7}, lines, 7),
    "max_unit_chars": ({"max_unit_chars": 50}, lambda n: notarius(text="x" * n), 50),
    "max_speaker_chars": ({"max_speaker_chars": 20}, lambda n: notarius(speaker="x" * n), 20),
    "max_json_depth": ({"max_json_depth": 9}, nested, 9),
    "max_archive_entries": (
        {"max_archive_entries": 4},
        lambda n: zipped({f"{at}.txt": lines(1) for at in range(n)}),
        4,
    ),
    "max_archive_bytes": ({"max_archive_bytes": 90}, lambda n: zipped({"a.txt": b"Ida: Hm" + b"." * (n - 7)}), 90),
}


@pytest.mark.parametrize("name", READING)
def test_limit_of_reading_takes_what_fits_alone(name: str) -> None:
    limits, made, limit = READING[name]
    got = [taken(partial(read_transcript, made(n), limits=Limits(**limits))) for n, _ in around(limit)]

    assert got == [True, True, False]


def test_title_is_cut_where_it_is_too_long() -> None:
    got = [read_transcript(titled(n), limits=Limits(max_title_chars=30)).title for n, _ in around(30)]

    assert got == ["x" * 29, "x" * 30, "x" * 30]


def test_every_limit_of_reading_is_tried() -> None:
    # How tightly a file may be packed is no whole number that a test can meet: tests/extraction/ingest/test_archive.py.
    assert {field.name for field in fields(Limits)} - set(READING) == {"max_archive_ratio", "max_title_chars"}


def upload_bytes(campaign: Campaign, gm: User) -> Try:
    return lambda n: transcripts.import_transcript(
        campaign=campaign, number=n, data=b"Ida: " + b"x " * 5 + b"." * (n - 15), by=gm
    )


def upload_units(campaign: Campaign, gm: User) -> Try:
    return lambda n: transcripts.import_transcript(campaign=campaign, number=n, data=lines(n), by=gm)


def session_number(campaign: Campaign, gm: User) -> Try:
    return lambda n: transcripts.import_transcript(campaign=campaign, number=n, data=lines(1), by=gm)


def session_title(campaign: Campaign, gm: User) -> Try:
    return lambda n: transcripts.import_transcript(campaign=campaign, number=1, data=lines(n), title="x" * n, by=gm)


def note_of_a_verdict(campaign: Campaign, gm: User) -> Try:
    def attempt(n: int) -> object:
        version = factories.make_version(factories.make_transcript(factories.make_session(campaign, n)))
        return versions.reject(version_id=version.pk, note="x" * n, by=gm)

    return attempt


def note_of_a_secret(campaign: Campaign, gm: User) -> Try:
    def attempt(n: int) -> object:
        transcript = factories.make_transcript(factories.make_session(campaign, n))
        return secrets.hide_range(session=transcript.session, start_unit=41, end_unit=44, note="x" * n, by=gm)

    return attempt


def reason_of_a_review(campaign: Campaign, gm: User) -> Try:
    def attempt(n: int) -> object:
        version = factories.make_version(factories.make_transcript(factories.make_session(campaign, n)))
        return reviews.remove(**on(version), record=0, reason="x" * n, by=gm)

    return attempt


def name_of_a_token(campaign: Campaign, gm: User) -> Try:
    return lambda n: tokens.create(user=gm, name="x" * n, scope="read")


def days_of_an_invitation(campaign: Campaign, gm: User) -> Try:
    return lambda n: members.invite(campaign=campaign, role="player", days=n, most_uses=1, by=gm)


def uses_of_an_invitation(campaign: Campaign, gm: User) -> Try:
    return lambda n: members.invite(campaign=campaign, role="player", days=1, most_uses=n, by=gm)


def length_of_a_search(campaign: Campaign, gm: User) -> Try:
    return lambda n: queries.parse("x" * n)


def tokens_of_a_cap(campaign: Campaign, gm: User) -> Try:
    return lambda n: caps.check((), n, None)


# Who tries, how much is allowed, and the settings that say so.
ACTS: Mapping[str, tuple[Callable[[Campaign, User], Try], int, dict[str, int]]] = {
    "upload-bytes": (upload_bytes, 60, {"UPLOAD_MAX_BYTES": 60}),
    "upload-units": (upload_units, 6, {"UPLOAD_MAX_UNITS": 6}),
    "session-number": (session_number, transcripts.NUMBER_LIMIT, {}),
    "session-title": (session_title, transcripts.TITLE_LIMIT, {}),
    "verdict-note": (note_of_a_verdict, versions.NOTE_LIMIT, {}),
    "secret-note": (note_of_a_secret, secrets.NOTE_LIMIT, {}),
    "review-reason": (reason_of_a_review, 2_000, {}),
    "token-name": (name_of_a_token, tokens.NAME_LIMIT, {}),
    "invitation-days": (days_of_an_invitation, members.MOST_DAYS, {}),
    "invitation-uses": (uses_of_an_invitation, members.MOST_USES, {}),
    "search": (length_of_a_search, queries.LONGEST, {}),
    "token-cap": (tokens_of_a_cap, 2**63 - 1, {}),
}


@pytest.mark.parametrize("name", ACTS)
def test_limit_of_an_act_takes_what_fits_alone(name: str, campaign: Campaign, gm: User, settings: Settings) -> None:
    prepare, limit, given = ACTS[name]
    for setting, value in given.items():
        setattr(settings, setting, value)
    attempt = prepare(campaign, gm)

    assert [taken(partial(attempt, n)) for n, _ in around(limit)] == [True, True, False]


def test_lowest_cap_is_one_token() -> None:
    assert [taken(partial(caps.check, (), n, None)) for n in (0, 1)] == [False, True]


def test_webhook_beyond_the_last_is_refused(campaign: Campaign, gm: User, settings: Settings) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    made = {"campaign": campaign, "owner": gm, "site": "https://n.example", "events": ["ping"], "salt": "s"}
    Webhook.objects.bulk_create(
        Webhook(url=f"https://h.example/{at}", **made) for at in range(webhooks.MOST_WEBHOOKS - 1)
    )

    def create() -> object:
        return webhooks.create(
            campaign=campaign, url="http://127.0.0.1:9/x", events=["run.finished"], site="https://n", by=gm
        )

    assert [taken(create) for _ in range(2)] == [True, False]
    assert Webhook.objects.count() == webhooks.MOST_WEBHOOKS


def test_export_beyond_the_last_unfinished_is_refused(campaign: Campaign, gm: User) -> None:
    def order() -> object:
        return exports.order(who=gm, slug=campaign.slug, format="csv", by=gm)

    assert [taken(order) for _ in range(exports.MOST_UNFINISHED + 1)] == [True] * exports.MOST_UNFINISHED + [False]
    Export.objects.update(state="succeeded")
    assert taken(order)


@pytest.mark.parametrize(("more", "status"), [(-1, 422), (0, 422), (1, 413)])
def test_body_of_the_api_at_its_limit_is_read_and_above_it_not(
    more: int, status: int, campaign: Campaign, gm: User, settings: Settings
) -> None:
    factories.make_session(campaign, 1)
    settings.API_BODY_MAX_BYTES = 4_000
    start = b'{"pipeline": "'
    body = start + b"x" * (settings.API_BODY_MAX_BYTES + more - len(start) - 2) + b'"}'
    got = bearer(gm, "write").post(
        f"{ROOT}/campaigns/{campaign.slug}/sessions/1/runs", body, content_type="application/json"
    )

    assert len(body) == 4_000 + more
    assert got.status_code == status


class Body(io.BytesIO):
    """What was sent; `asked` tells whether anybody read of it."""

    asked = False

    def read(self, size: int | None = -1, /) -> bytes:
        self.asked = True
        return super().read(size)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_form_of_the_site_above_its_limit_is_refused_unread(
    more: int, client: Client, campaign: Campaign, gm: User, settings: Settings
) -> None:
    settings.UPLOAD_MAX_BYTES = 4_000
    client.force_login(gm)
    body = Body(b"x" * (4_000 + FORM_BYTES + more))
    length = len(body.getbuffer())
    sent: dict[str, Any] = {  # Any: a WSGI environment
        "CONTENT_LENGTH": str(length),
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
        "wsgi.input": body,
    }
    got = client.generic("POST", f"/campaigns/{campaign.slug}/upload/", **sent)

    assert (got.status_code == 413, body.asked) == (more > 0, more <= 0)


@pytest.mark.parametrize("page", ["docs", "openapi.json", "examples", "campaigns", "nowhere"])
def test_form_that_is_sent_to_the_api_is_refused_unread(page: str) -> None:
    """Also with the cookie of a form's token, for which Django would read all of it."""
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "x" * 32
    body = Body(b"x" * 9_000)
    sent: dict[str, Any] = {  # Any: a WSGI environment
        "CONTENT_LENGTH": "9000",
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
        "wsgi.input": body,
    }
    got = client.generic("POST", f"{ROOT}/{page}", **sent)

    assert (got.status_code, body.asked) == (404 if page == "nowhere" else 405, False)


@pytest.mark.parametrize(("limit", "status"), [(0, 422), (1, 200), (199, 200), (200, 200), (201, 422)])
def test_page_of_a_list_is_at_most_as_long_as_the_setting(
    limit: int, status: int, campaign: Campaign, gm: User, settings: Settings
) -> None:
    assert settings.API_PAGE_MAX == 200
    assert bearer(gm, "read").get(f"{ROOT}/campaigns?limit={limit}").status_code == status


@pytest.mark.parametrize(("name", "who"), [("API_RATE", "token"), ("API_RATE_ANONYMOUS", "nobody")])
def test_rate_lets_through_what_it_says_and_nothing_more(
    name: str, who: str, campaign: Campaign, gm: User, settings: Settings
) -> None:
    setattr(settings, name, 4)
    client = bearer(gm, "read") if who == "token" else Client(REMOTE_ADDR="192.0.2.77")

    assert [client.get(f"{ROOT}/campaigns").status_code for _ in range(5)] == [200] * 4 + [429]


@pytest.mark.parametrize("length", [0, once.LONGEST - 1, once.LONGEST, once.LONGEST + 1])
def test_idempotency_key_is_as_long_as_it_may_be(length: int, campaign: Campaign, gm: User) -> None:
    got = bearer(gm, "write").post(
        f"{ROOT}/campaigns/{campaign.slug}/exports",
        json.dumps({"format": "csv"}),
        content_type="application/json",
        headers={"Idempotency-Key": "k" * length},
    )

    assert (got.status_code == 202) is (1 <= length <= once.LONGEST)
    assert Export.objects.count() == int(got.status_code == 202)


def test_every_limit_among_the_settings_is_tried() -> None:
    """A new limit of the site needs a row here."""
    tried = {name for _, _, given in ACTS.values() for name in given}
    tried |= {"API_BODY_MAX_BYTES", "API_PAGE_MAX", "API_RATE", "API_RATE_ANONYMOUS"}
    limits = {name for name in dir(site) if "_MAX" in name or "_RATE" in name}

    assert {name for name in limits if name.startswith(("API_", "UPLOAD_"))} == tried


def test_moment_is_not_before_now(gm: User) -> None:
    """A token may not have ended before it is made."""
    now = timezone.now()
    ends = (now - timedelta(seconds=1), datetime(2200, 1, 1, tzinfo=UTC))

    assert [taken(partial(tokens.create, user=gm, name="n", scope="read", expires_at=at)) for at in ends] == [
        False,
        True,
    ]
