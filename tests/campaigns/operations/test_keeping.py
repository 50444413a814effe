"""Backups that come back as they were, and an archive that moves from one database to another: with real commands."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import stat
import traceback
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import environ
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.backends.postgresql.base import DatabaseWrapper as PostgresWrapper
from django.utils import timezone

from campaigns.actions import pulses
from campaigns.errors import ActionError
from campaigns.keeping import backup, postgres, tables
from campaigns.models import Campaign
from extraction.codes import Code
from tests.campaigns.operations.databases import address_of, name_for, on_server
from tests.campaigns.supervisor.installation import Installation
from tests.factories import make_campaign, make_transcript, make_user

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = "glass-tithe"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A SQLite installation with the sample campaign's first session and a run of one lane."""
    home = Installation(tmp_path_factory.mktemp("filled"))
    home.command("migrate", "--verbosity", "0")
    sample = ROOT / "assets" / "sample"
    home.command("load_campaign", str(next(sample.glob("*.toml"))))
    transcript = sorted(path for path in sample.glob("*") if path.suffix in {".vtt", ".srt", ".json", ".txt"})[0]
    home.command("import_transcript", str(transcript), "--campaign", SAMPLE, "--session", "1")
    home.command("run_pipeline", "--campaign", SAMPLE, "--session", "1", "--pipeline", "npcs-only", "--inline")
    return home


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Installation]:
    """A migrated, empty installation: on PostgreSQL where the suite runs on it, else on another SQLite file."""
    home = Installation(tmp_path, **_other_database(tmp_path))
    home.command("migrate", "--verbosity", "0")
    yield home
    if "DATABASE_URL" in home.environ:
        on_server(f"DROP DATABASE {name_for(tmp_path)} WITH (FORCE)")


def _other_database(folder: Path) -> dict[str, Any]:
    if connection.vendor == "sqlite":
        return {}
    name = name_for(folder)
    on_server(f"CREATE DATABASE {name}")
    return {"DATABASE_URL": address_of(name), "NOTARIUS_SECRET_KEY": "only-for-tests"}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="about the file of SQLite")
@pytest.mark.slow
def test_a_folder_may_have_any_name(tmp_path: Path, filled: Installation) -> None:
    """What stands for something else in an address is a sign like others in the name of a folder."""
    folder = tmp_path / "the #1? campaign, 100%25"
    shutil.copytree(filled.folder, folder)
    home = Installation(folder)
    home.command("backup", str(folder / "kept.zip"))
    home.command("restore", str(folder / "kept.zip"), "--replace")

    assert total(home) == total(filled)


def total(home: Installation) -> str:
    return home.command("archive_digest", "--total").strip()


@pytest.mark.slow
def test_an_archive_moves_is_backed_up_and_comes_back_with_the_same_digest(
    filled: Installation, elsewhere: Installation
) -> None:
    source, kept = f"sqlite:///{filled.folder / 'notarius.sqlite3'}", elsewhere.folder / "kept.zip"
    whole = total(filled)
    said = elsewhere.command("move_database", source)
    elsewhere.command("backup", str(kept))
    own = stat.S_IMODE(kept.stat().st_mode)
    again = elsewhere.attempt("move_database", source)
    refused = elsewhere.attempt("restore", str(kept))
    # New rows get keys beyond the moved ones.
    elsewhere.command("run_pipeline", "--campaign", SAMPLE, "--session", "1", "--pipeline", "npcs-only", "--inline")
    changed = total(elsewhere)
    elsewhere.command("restore", str(kept), "--replace")

    assert whole in said
    assert own == 0o600
    assert (again.returncode, "already" in again.stderr) == (1, True)
    assert (refused.returncode, "--replace" in refused.stderr) == (1, True)
    assert changed != whole
    assert total(elsewhere) == whole


@pytest.mark.parametrize("writing", [False, True], ids=["idle", "writing"])
def test_a_database_that_another_program_has_open_is_not_taken_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writing: bool
) -> None:
    """A web server keeps its connections: it would write on into the file that was replaced."""
    monkeypatch.setattr(backup, "BUSY_S", 0.1)
    place = tmp_path / "notarius.sqlite3"
    with closing(sqlite3.connect(place, isolation_level=None)) as server:
        server.execute("PRAGMA journal_mode=WAL")
        server.execute("CREATE TABLE said (word)")
        if writing:
            server.execute("BEGIN IMMEDIATE")
        with pytest.raises(ActionError, match="in use") as refused:
            backup._taken(place)
        server.execute("INSERT INTO said VALUES ('still here')")
        if writing:
            server.execute("COMMIT")

    assert refused.value.code is Code.ARCHIVE_IN_USE
    with closing(backup._taken(place)) as alone:
        assert alone.execute("SELECT word FROM said").fetchall() == [("still here",)]
        assert not place.with_name(place.name + "-wal").exists()


def test_a_damaged_database_may_be_replaced(tmp_path: Path) -> None:
    place = tmp_path / "notarius.sqlite3"
    place.write_bytes(b"no database" * 100)
    backup._taken(place).close()

    assert place.read_bytes() == b"no database" * 100  # it is replaced later, whole or not at all


@pytest.mark.django_db
@pytest.mark.parametrize(
    "source",
    [
        "carrier-pigeon://loft",
        "postgres://",
        "postgres://loft:east/birds",
        "postgres://user:[hidden]@loft/birds",
        "postgres://user:hidden@lo\u2100ft/birds",
        "loft",
        "",
    ],
    ids=str,
)
def test_a_source_that_is_none_is_one_sentence_without_what_is_secret(source: str) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("move_database", source)

    assert str(refused.value).count("\n") == 0
    assert "hidden" not in "".join(traceback.TracebackException.from_exception(refused.value).format())


def test_a_source_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    for name in ("home", "elsewhere"):
        (tmp_path / name).mkdir()
    ended = Installation(tmp_path / "home").attempt("move_database", f"sqlite:///{tmp_path}/elsewhere/wrong.sqlite3")

    assert (ended.returncode, "does not answer" in ended.stderr) == (1, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_tools_of_postgresql_connect_as_the_program_does() -> None:
    """A server that asks for TLS, or is found by a certificate, is otherwise not reached or not checked."""
    given = PostgresWrapper(
        {
            **connections.configure_settings({"default": {}})["default"],
            **environ.Env.db_url_config(
                "postgres://pen:word@db.example.org:5433/archive?sslmode=verify-full&sslrootcert=/etc/ca.pem"
            ),
        }
    ).get_connection_params()

    assert (
        postgres.libpq_environ(given).items()
        >= {
            "PGHOST": "db.example.org",
            "PGPORT": "5433",
            "PGUSER": "pen",
            "PGPASSWORD": "word",
            "PGDATABASE": "archive",
            "PGSSLMODE": "verify-full",
            "PGSSLROOTCERT": "/etc/ca.pem",
        }.items()
    )


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Path]:
    """Write a backup file with this manifest over some bytes that are no database."""

    def make(**changes: object) -> Path:
        data = b"the bytes of a database"
        fitting = backup.Manifest(connection.vendor, "2026-01-01", (), hashlib.sha256(data).hexdigest(), {})
        file = tmp_path / "made.zip"
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(backup.MANIFEST, json.dumps({"format": backup.FORMAT, **fitting._asdict(), **changes}))
            archive.writestr(backup.SQLITE_FILE, data)
            archive.writestr(backup.POSTGRES_FILE, data)
        return file

    return make


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"sha256": "0" * 64}, "damaged"),
        ({"migrations": ["campaigns.9999_of_tomorrow"]}, "newer"),
        ({"engine": "another"}, "another"),
        ({"tables": {"campaigns.Unit": "many"}}, "no backup"),
    ],
    ids=["damaged", "newer", "another database", "manifest"],
)
def test_a_backup_that_does_not_fit_changes_nothing(
    made: Callable[..., Path], changes: dict[str, object], why: str
) -> None:
    campaign = make_campaign()
    with pytest.raises(ActionError, match=why):
        backup.restore(made(**changes), replace=True)

    assert Campaign.objects.get() == campaign


@pytest.mark.django_db
def test_nothing_is_restored_under_a_living_worker(made: Callable[..., Path]) -> None:
    pulses.stamp(kind=pulses.SUPERVISOR, name="here", at=timezone.now())
    with pytest.raises(ActionError, match="worker"):
        backup.restore(made(), replace=True)


@pytest.mark.django_db
@pytest.mark.parametrize("make", [make_campaign, make_user], ids=["campaign", "account"])
def test_nothing_that_is_there_is_replaced_without_leave(
    made: Callable[..., Path], make: Callable[[], Campaign | User]
) -> None:
    there = make()
    with pytest.raises(ActionError, match="--replace") as refused:
        backup.restore(made(), replace=False)

    assert refused.value.code is Code.ARCHIVE_NOT_EMPTY
    there.refresh_from_db()


@pytest.mark.django_db
@pytest.mark.parametrize("content", [b"", b"PK", b"mine"], ids=["empty", "cut", "text"])
def test_what_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "no.zip").write_bytes(content)
    with pytest.raises(ActionError, match="no backup"):
        backup.restore(tmp_path / "no.zip", replace=True)


@pytest.mark.django_db
def test_a_backup_overwrites_no_file_and_leaves_none_behind(tmp_path: Path) -> None:
    file = tmp_path / "mine.zip"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(ActionError):
        backup.write(file)

    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [("mine.zip", "mine")]


@pytest.mark.django_db
def test_the_digest_tells_apart_what_a_single_word_changes() -> None:
    transcript = make_transcript()
    before = tables.digests()
    transcript.units.filter(position=0).update(text="Another word.")
    after = tables.digests()

    assert {label for label in before if before[label] != after[label]} == {"campaigns.Unit"}
