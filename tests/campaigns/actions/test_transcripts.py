from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection
from pytest_django import Settings

from campaigns.actions import audit, transcripts
from campaigns.actions.transcripts import Imported
from campaigns.errors import ActionError
from campaigns.models import AuditEntry, Campaign, GameSession, Transcript, Unit
from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import IngestError
from extraction.source.documents import SourceUnit, units_digest
from tests import factories, standard
from tests.at_once import at_once
from tests.leaks import Leaks

AT_ONCE = 20


def notarius_json(units: Sequence[SourceUnit] = standard.UNITS, title: str | None = None) -> bytes:
    items: list[JsonValue] = [unit.as_json() for unit in units]
    return json.dumps({"schema": "notarius.transcript.v1", "title": title, "units": items}).encode()


def bring_in(campaign: Campaign, data: bytes, number: int = 1, title: str | None = None) -> Imported:
    return transcripts.import_transcript(campaign=campaign, number=number, data=data, title=title, by=None)


def test_import_keeps_units_in_file_order(campaign: Campaign) -> None:
    imported = bring_in(campaign, notarius_json())

    kept = imported.transcript
    assert imported.created
    assert (kept.source_id, kept.digest, kept.unit_count) == ("salt-ferry.s1.t1", units_digest(standard.UNITS), 36)
    rows = Unit.objects.order_by("position").values_list("position", "unit_id", "speaker", "text")
    assert list(rows) == [(at, unit.unit_id, unit.speaker, unit.text) for at, unit in enumerate(standard.UNITS)]


def test_import_in_several_batches_keeps_the_order(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "BATCH", 7)

    bring_in(campaign, notarius_json())

    kept = Unit.objects.order_by("position").values_list("unit_id", flat=True)
    assert list(kept) == [unit.unit_id for unit in standard.UNITS]


def test_import_of_equal_units_returns_the_existing_transcript(campaign: Campaign) -> None:
    first = bring_in(campaign, notarius_json())

    again = bring_in(campaign, notarius_json(title="Another title"))

    assert (again.transcript, again.created) == (first.transcript, False)
    assert (Transcript.objects.count(), Unit.objects.count(), AuditEntry.objects.count()) == (1, 36, 1)


def test_import_of_different_units_makes_the_next_revision(campaign: Campaign) -> None:
    bring_in(campaign, notarius_json())
    second = bring_in(campaign, notarius_json(standard.UNITS[1:]))
    back = bring_in(campaign, notarius_json())

    assert second.transcript.source_id == "salt-ferry.s1.t2"
    assert (second.created, second.same_as) == (True, None)
    assert (back.transcript.revision, back.created, back.same_as) == (3, True, 1)
    assert AuditEntry.objects.filter(facts__same_as=1).count() == 1


def test_import_of_units_that_are_current_again_is_stored_once(campaign: Campaign) -> None:
    first, other = notarius_json(), notarius_json(standard.UNITS[1:])
    made = [bring_in(campaign, data) for data in (first, other, first, first, other, first)]

    assert [one.transcript.revision for one in made] == [1, 2, 3, 3, 4, 5]
    assert [one.same_as for one in made] == [None, None, 1, None, 2, 3]


def test_import_of_equal_units_into_another_session_is_another_transcript(campaign: Campaign) -> None:
    bring_in(campaign, notarius_json(), number=1)

    assert bring_in(campaign, notarius_json(), number=2).transcript.source_id == "salt-ferry.s2.t1"


@pytest.mark.parametrize(
    ("given", "in_file", "session_title"),
    [
        pytest.param("The Bell", "Three", "The Bell", id="given"),
        pytest.param(None, "Three", "Three", id="from-the-file"),
        pytest.param(None, None, "", id="none"),
        pytest.param(None, "x" * 300, "x" * 200, id="long-in-the-file"),
    ],
)
def test_import_titles_a_new_session(
    campaign: Campaign, given: str | None, in_file: str | None, session_title: str
) -> None:
    bring_in(campaign, notarius_json(title=in_file), title=given)

    assert GameSession.objects.get().title == session_title


def test_import_keeps_the_title_a_session_has(campaign: Campaign) -> None:
    factories.make_session(campaign, 1, "The Ferry")

    bring_in(campaign, notarius_json(title="Other"))

    assert GameSession.objects.get().title == "The Ferry"


@pytest.mark.parametrize("number", [0, -1, 2**40])
def test_import_refuses_a_session_number(campaign: Campaign, number: int) -> None:
    with pytest.raises(ActionError):
        bring_in(campaign, notarius_json(), number=number)

    assert not GameSession.objects.exists()


@pytest.mark.parametrize("title", ["x" * 201, "a\x00b"], ids=["long", "nul"])
def test_import_refuses_a_title(campaign: Campaign, title: str) -> None:
    with pytest.raises(ActionError):
        bring_in(campaign, notarius_json(), title=title)

    assert not GameSession.objects.exists()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b"", Code.INGEST_EMPTY, id="empty"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00\x00" * 50, Code.INGEST_BINARY, id="binary"),
        pytest.param(b'{"schema": "notarius.transcript.v1", "units": []}', Code.INGEST_NO_UNITS, id="no-units"),
    ],
)
def test_import_of_an_unreadable_file_makes_nothing(campaign: Campaign, data: bytes, code: Code) -> None:
    with pytest.raises(IngestError) as error:
        bring_in(campaign, data)

    assert error.value.code is code
    assert not GameSession.objects.exists()


def test_import_of_an_unknown_format(campaign: Campaign) -> None:
    with pytest.raises(IngestError) as error:
        transcripts.import_transcript(campaign=campaign, number=1, data=notarius_json(), format="docx", by=None)

    assert error.value.code is Code.INGEST_UNKNOWN_FORMAT


@pytest.mark.parametrize("setting", ["UPLOAD_MAX_BYTES", "UPLOAD_MAX_UNITS"])
def test_import_keeps_to_the_sites_limits(campaign: Campaign, settings: Settings, setting: str) -> None:
    setattr(settings, setting, 20)

    with pytest.raises(IngestError) as error:
        bring_in(campaign, notarius_json())

    assert error.value.code is Code.INGEST_TOO_LARGE


def test_import_notes_codes_and_counts(campaign: Campaign, leaks: Leaks) -> None:
    data = f"{standard.GM}: Wick waits.\n\n{standard.PIKE}:\n{standard.PIKE}:   \n".encode()

    kept = bring_in(campaign, data).transcript

    assert all(set(note) == {"code", "count"} for note in kept.notes)
    assert leaks.found_in([kept.notes, *AuditEntry.objects.values()]) == []


@pytest.mark.parametrize("broken", [(audit, "record"), (Unit.objects, "bulk_create")], ids=["audit", "units"])
def test_import_keeps_nothing_when_a_later_write_fails(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, broken: tuple[object, str]
) -> None:
    monkeypatch.setattr(*broken, _fails)

    with pytest.raises(IntegrityError):
        bring_in(campaign, notarius_json(title="Three"))

    assert not (GameSession.objects.exists() or Transcript.objects.exists() or Unit.objects.exists())


def test_import_keeps_nothing_when_the_second_batch_fails(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "BATCH", 20)
    first_batch = Unit.objects.bulk_create
    monkeypatch.setattr(
        Unit.objects, "bulk_create", lambda rows: first_batch(rows) if rows[0].position == 0 else _fails()
    )

    with pytest.raises(IntegrityError):
        bring_in(campaign, notarius_json())

    assert not (GameSession.objects.exists() or Transcript.objects.exists() or Unit.objects.exists())


def test_import_says_who_and_how_much(campaign: Campaign, gm: User) -> None:
    transcripts.import_transcript(campaign=campaign, number=3, data=notarius_json(), by=gm)

    entry = AuditEntry.objects.get(act="transcript.import")
    assert entry.by == gm
    facts = {"session": 3, "revision": 1, "units": 36, "format": "notarius_json", "named_speakers": 0}
    assert entry.facts == facts


@pytest.mark.django_db(transaction=True)
def test_twenty_equal_uploads_at_once_make_one_transcript() -> None:
    """On SQLite the writers queue for the one write lock; an in-memory test database has no second connection."""
    if connection.vendor != "postgresql":
        pytest.skip("needs a database that several connections share")
    campaign = factories.make_campaign("salt-ferry")
    outcomes = at_once(*[partial(bring_in, campaign, notarius_json())] * AT_ONCE)

    assert sorted(outcome.created for outcome in outcomes) == [*[False] * (AT_ONCE - 1), True]
    assert (Transcript.objects.count(), Unit.objects.count(), GameSession.objects.count()) == (1, 36, 1)


def _fails(*args: object, **kwargs: object) -> None:
    raise IntegrityError("the second write failed")
