"""What was deleted is not in the database's files either: not in a free page, the index's segments or the log."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from campaigns.actions import retention, sessions
from campaigns.actions.removal import remove_campaign
from campaigns.actions.transcripts import import_transcript
from campaigns.actions.withdrawal import withdraw_words
from campaigns.keeping import erasing
from campaigns.models import ArtifactVersion, Campaign, Checkpoint
from campaigns.search import sqlite
from campaigns.search.backends import backend
from campaigns.search.places import campaign_stretch
from tests.factories import make_campaign, make_version

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="looks into the files of SQLite"),
]
# Words that begin like no other: an index writes only that in which a word differs from the one before it.
TELLING = [f"q{letter}zjolanda" for letter in "bcdfghklmnprstvwxz"]
LINES = 400
FTS5_AUTOMERGE = 4  # its default
MOST_PURGES = 40


@pytest.fixture
def campaign() -> Iterator[Campaign]:
    """A campaign of a few sessions, so that deleted rows share pages with others and fill whole ones."""
    # The index is no model's table: the end of a test does not empty it, and what others left decides what is merged.
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM campaigns_search")
    backend().compact()
    merge_by_itself(0)
    campaign = make_campaign("salt-ferry")
    key = campaign.pk
    for number in (1, 2, 3):
        said = "\n".join(
            f"Joost: my {TELLING[at % len(TELLING)]} of evening {number} and {at}\n"
            f"Ines: Captain Voss answers you at gate {at} of {number}."
            for at in range(LINES)
        )
        import_transcript(campaign=campaign, number=number, data=said.encode(), filename="said.txt", by=None)
    yield campaign
    merge_by_itself(FTS5_AUTOMERGE)
    backend().remove(campaign_stretch(key))
    backend().compact()


def merge_by_itself(segments: int) -> None:
    """Let the index merge when there are so many; what it happens to merge depends on all that it ever wrote."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO campaigns_search(campaigns_search, rank) VALUES('automerge', %s)", [segments])


def bytes_of_files() -> bytes:
    place = Path(connection.settings_dict["NAME"])
    return b"".join(path.read_bytes() for path in (place, place.with_name(place.name + "-wal")) if path.exists())


def found_in_files() -> list[str]:
    data = bytes_of_files().lower()
    return [word for word in TELLING if word[1:].encode() in data]


def cells() -> Iterator[bytes]:
    """Return every value of every table as bytes, those of the search index's own tables too."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%%'")
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - a name of the database's own
            for row in cursor.fetchall():
                yield from (value if isinstance(value, bytes) else str(value).encode() for value in row)


def found_in_tables() -> list[str]:
    data = b"\n".join(cells()).lower()
    return [word for word in TELLING if word[1:].encode() in data]


def test_the_words_are_in_files_and_tables_before(campaign: Campaign) -> None:
    assert found_in_files() == TELLING
    assert found_in_tables() == TELLING


def test_a_deleted_campaign_is_in_no_file(campaign: Campaign) -> None:
    remove_campaign(campaign=campaign, confirmed=campaign.slug, by=None)

    assert found_in_tables() == []
    assert found_in_files() == []


def test_a_deleted_session_is_in_no_file(campaign: Campaign) -> None:
    for session in campaign.sessions.all():
        sessions.remove(session_id=session.pk, by=None)

    assert found_in_tables() == []
    assert found_in_files() == []


def test_withdrawn_words_are_in_no_file_and_the_others_are_still_found(campaign: Campaign) -> None:
    withdraw_words(campaign=campaign, label="Joost", by=None)

    assert found_in_tables() == []
    assert found_in_files() == []
    assert b"Captain Voss" in bytes_of_files()


def test_the_daily_purge_ends_what_a_release_before_left_in_the_index(campaign: Campaign) -> None:
    backend().remove(campaign_stretch(campaign.pk))
    Campaign.objects.all().delete()
    assert found_in_tables() == TELLING
    retention.purge_due(at=timezone.now())

    assert found_in_tables() == []
    assert found_in_files() == []


def test_what_is_purged_by_hand_is_in_no_file(campaign: Campaign) -> None:
    session = campaign.sessions.get(number=1)
    Checkpoint.objects.create(session=session, key="k", value=b"a reply about zzvarsselder")
    assert b"zzvarsselder" in bytes_of_files()
    call_command("purge", "--checkpoints", stdout=io.StringIO())

    assert b"zzvarsselder" not in bytes_of_files()


def test_what_has_a_term_of_its_own_and_is_purged_by_hand_is_in_no_file() -> None:
    Session.objects.create(session_key="k", session_data="zzvarsselder", expire_date=timezone.now() - timedelta(days=1))
    assert b"zzvarsselder" in bytes_of_files()
    call_command("purge", "--sign-ins", stdout=io.StringIO())

    assert b"zzvarsselder" not in bytes_of_files()


def test_a_purge_of_several_kinds_empties_the_log_once(campaign: Campaign, settings: Settings) -> None:
    settings.KEEP_CHECKPOINTS_DAYS = settings.KEEP_REJECTED_DAYS = 1
    session = campaign.sessions.get(number=1)
    Checkpoint.objects.create(session=session, key="k", value=b"a reply")
    for state in (ArtifactVersion.State.REJECTED, ArtifactVersion.State.PENDING):
        make_version(session.transcripts.get(), state=state)
    with CaptureQueriesContext(connection) as asked:
        removed = retention.purge_due(at=timezone.now() + timedelta(days=30))

    assert (removed["checkpoints"], removed["versions"]) == (1, 1)
    assert sum("wal_checkpoint" in query["sql"] for query in asked.captured_queries) == 1


def test_a_large_index_is_merged_for_a_time_and_the_next_purges_go_on(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(erasing, "WITHIN_S", 0.0)
    monkeypatch.setattr(sqlite, "MERGED_PAGES", 1)
    withdraw_words(campaign=campaign, label="Joost", by=None)
    assert found_in_tables() != []
    assert "the next purge goes on" in caplog.text
    for _ in range(MOST_PURGES):
        retention.purge_due(at=timezone.now())

    assert found_in_tables() == []
    assert found_in_files() == []


def test_a_purge_by_hand_merges_a_large_index_to_its_end(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "WITHIN_S", 0.0)
    monkeypatch.setattr(sqlite, "MERGED_PAGES", 1)
    withdraw_words(campaign=campaign, label="Joost", by=None)
    assert found_in_tables() != []
    call_command("purge", "--sign-ins", stdout=io.StringIO())

    assert found_in_tables() == []


def test_deletions_are_overwritten_whatever_the_build_of_sqlite_does_by_itself() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA secure_delete")

        assert cursor.fetchone() == (1,)
    assert "secure_delete=ON" in connection.settings_dict["OPTIONS"]["init_command"]


def test_a_reader_of_the_log_is_not_waited_for_long_and_the_next_purge_ends_it(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(erasing, "PATIENCE_MS", 1)
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM campaigns_unit").fetchone()
        remove_campaign(campaign=campaign, confirmed=campaign.slug, by=None)
        left = found_in_files()
    retention.purge_due(at=timezone.now())

    assert left == TELLING
    assert "in use" in caplog.text
    assert found_in_files() == []
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone() == (20_000,)


def test_a_campaign_is_removed_though_somebody_writes(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows the commit waits a little for the other writer and leaves the rest to the next purge."""
    monkeypatch.setattr(erasing, "PATIENCE_MS", 50)
    patience = pragma("busy_timeout")
    name = connection.settings_dict["NAME"]
    with closing(sqlite3.connect(name, uri=str(name).startswith("file:"), isolation_level=None)) as other:
        act = erasing._merged

        def meanwhile(within_s: float | None) -> bool:
            other.execute("BEGIN IMMEDIATE")
            return act(within_s)

        monkeypatch.setattr(erasing, "_merged", meanwhile)
        remove_campaign(campaign=campaign, confirmed=campaign.slug, by=None)
        other.execute("ROLLBACK")

    assert not Campaign.objects.exists()
    assert pragma("busy_timeout") == patience


def pragma(name: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        return cursor.fetchone()[0]
