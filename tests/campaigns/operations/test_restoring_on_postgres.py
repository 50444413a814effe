"""A backup comes back over what a later version, or somebody else, left in the database: whole, or nothing of it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from campaigns.keeping import backup, postgres
from tests.campaigns.operations.databases import copied_database, name_for, on_server, owned_database
from tests.campaigns.supervisor.installation import CAMPAIGN, Installation

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="about the tools of PostgreSQL"),
    pytest.mark.slow,
    # They share one pattern.
    pytest.mark.xdist_group("restoring-on-postgres"),
]
LATER = "INSERT INTO django_migrations (app, name, applied) VALUES ('campaigns', '9999_of_tomorrow', now())"


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The settings for a database with a campaign; its account owns it and is no superuser. Copies are made of it."""
    folder = tmp_path_factory.mktemp("pattern")
    with owned_database(name_for(folder)) as settings:
        (folder / "campaign.toml").write_text(CAMPAIGN, encoding="utf-8")
        Installation(folder, **settings).commands(("migrate", "-v0"), ("load_campaign", str(folder / "campaign.toml")))
        yield settings


@pytest.fixture
def home(pattern: dict[str, Any], tmp_path: Path) -> Iterator[Installation]:
    """An installation with a copy of the pattern, under the same account."""
    address, name = pattern["DATABASE_URL"], name_for(tmp_path)
    base, _, of = address.rpartition("/")
    with copied_database(name, of=of):
        yield Installation(tmp_path, **{**pattern, "DATABASE_URL": f"{base}/{name}"})


def database_of(home: Installation) -> str:
    return home.environ["DATABASE_URL"].rpartition("/")[2]


def does(home: Installation, *statements: str) -> None:
    """Run statements as the installation's own account."""
    with psycopg.connect(home.environ["DATABASE_URL"], autocommit=True) as server:
        for statement in statements:
            server.execute(statement.encode())


def total(home: Installation) -> str:
    return home.command("archive_digest", "--total").strip()


@pytest.mark.parametrize(
    ("reference", "extension"),
    [("", "stays"), ("REFERENCES campaigns_campaign", "is gone")],
    ids=["new table", "new table with a key to ours, extension gone"],
)
def test_tables_of_a_later_version_go(home: Installation, reference: str, extension: str) -> None:
    """The way back over a migration. Extensions and their indexes are not ours to lose; other accounts may be gone."""
    kept, name = home.folder / "kept.zip", database_of(home)
    on_server("CREATE EXTENSION pg_trgm", database=name)
    does(home, "CREATE INDEX likeness ON campaigns_campaign USING gin (name gin_trgm_ops)")
    on_server(f"CREATE ROLE {name}_reads", f"GRANT SELECT ON campaigns_campaign TO {name}_reads", database=name)
    try:
        before = total(home)
        home.command("backup", str(kept))
    finally:
        on_server(f"DROP OWNED BY {name}_reads", f"DROP ROLE {name}_reads", database=name)
    new = f"CREATE TABLE campaigns_extra (id bigserial PRIMARY KEY, campaign_id bigint {reference})"
    does(home, new, "CREATE VIEW extras AS SELECT id FROM campaigns_extra", LATER)
    if extension == "is gone":
        on_server("DROP EXTENSION pg_trgm CASCADE", database=name)
    home.command("restore", str(kept), "--replace")

    assert total(home) == before
    home.command("migrate", "--check")
    assert home.value("SELECT count(*) FROM pg_class WHERE relname IN ('campaigns_extra', 'extras')") == 0
    assert home.value("SELECT count(*) FROM pg_indexes WHERE indexname = 'likeness'") == 1
    does(home, new)  # what the upgrade would do, once more


def test_what_is_not_the_manifests_leaves_no_half_of_it(home: Installation) -> None:
    kept, wrong = home.folder / "kept.zip", home.folder / "wrong.zip"
    home.command("backup", str(kept))
    with zipfile.ZipFile(kept) as good, zipfile.ZipFile(wrong, "w") as bad:
        manifest = json.loads(good.read(backup.MANIFEST))
        manifest["tables"]["campaigns.Campaign"] = [1, "0" * 64]
        bad.writestr(backup.MANIFEST, json.dumps(manifest))
        bad.writestr(backup.POSTGRES_FILE, good.read(backup.POSTGRES_FILE))
    does(home, "UPDATE campaigns_campaign SET name = 'Of today'")
    ended = home.attempt("restore", str(wrong), "--replace")

    assert (ended.returncode, "not those of its manifest" in ended.stderr) == (1, True)
    assert home.value("SELECT name FROM campaigns_campaign") == "Of today"


def test_a_database_that_does_not_answer_is_not_said_to_refuse(
    home: Installation, pattern: dict[str, Any], tmp_path: Path
) -> None:
    kept = home.folder / "kept.zip"
    home.command("backup", str(kept))
    away = Installation(tmp_path, **{**pattern, "DATABASE_URL": "postgres://somebody@127.0.0.1:1/nothing"})
    ended = away.attempt("restore", str(kept), "--replace")

    assert ended.returncode == 1
    assert "does not answer" in ended.stderr
    assert "refused" not in ended.stderr


def test_tables_of_another_program_stay(home: Installation, tmp_path: Path) -> None:
    """Somebody named the wrong database: there is no campaign in it, and all the same nothing in it may go."""
    kept = home.folder / "kept.zip"
    home.command("backup", str(kept))
    with owned_database(name_for(tmp_path / "wrong")) as settings:
        other = Installation(tmp_path, **settings)
        does(other, "CREATE TABLE auth_user (id int)", "CREATE TABLE bills (id int)", "INSERT INTO bills VALUES (7)")
        ended = other.attempt("restore", str(kept), "--replace")

        assert (ended.returncode, "nothing was changed" in ended.stderr) == (1, True)
        assert ended.stderr.count("\n") == 1
        assert other.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1") == [
            ("auth_user",), ("bills",),
        ]  # fmt: skip
        assert other.rows("SELECT id FROM bills") == [(7,)]


@pytest.mark.django_db
def test_a_newer_tool_sets_what_this_server_does_not_know() -> None:
    """And what it says to psql alone is left out; rows come as they are, whatever they look like."""
    script = (
        b"\\restrict word\nSET setting_of_tomorrow = 0;\nSET client_min_messages = warning;\n"
        b"CREATE SCHEMA public;\nCREATE TEMPORARY TABLE said (\n    word text\n);\n"
        b"COPY said (word) FROM stdin;\nCOPY said (word) FROM stdin;\n\\\\restrict\n\\N\n\\.\n\n\n\\unrestrict word\n"
    )
    with connection.cursor() as cursor:
        postgres._send(io.BytesIO(script))
        cursor.execute("SELECT word FROM said")

        assert cursor.fetchall() == [("COPY said (word) FROM stdin;",), ("\\restrict",), (None,)]
