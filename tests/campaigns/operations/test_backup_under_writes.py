"""A backup that is made while workers write is whole: it comes back with its digest and every artifact's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.db import connection

from tests.campaigns.operations.databases import name_for, owned_database
from tests.campaigns.supervisor.installation import ROOT, Installation, eventually

SAMPLE = ROOT / "assets" / "sample"
WHERE = ("--campaign", "glass-tithe", "--session", "1")
LANES = "SELECT count(*) FROM campaigns_lanerun WHERE state = 'succeeded'"
# Goes on starting runs, so that the workers always have something to write.
FEED = f"""
import time
from django.core.management import call_command
from campaigns.models import Run
while True:
    if Run.objects.filter(state__in=Run.ACTIVE).count() < 3:
        call_command("run_pipeline", *{WHERE!r}, "--pipeline", "complete")
    time.sleep(0.2)
"""
# Prints what is wrong, and how much there is.
READ_WHOLE = """
import json
from campaigns.adapters.documents import load_document
from campaigns.keeping.tables import digest_of, digests
from campaigns.models import ArtifactVersion, LaneRun, Transcript
from django.db import connection
from extraction.canonical import bytes_digest
from extraction.source.documents import units_digest

wrong = [f"version {each.pk}" for each in ArtifactVersion.objects.all()
         if bytes_digest(each.payload.encode()) != each.digest]
wrong += [f"transcript {each.pk}" for each in Transcript.objects.all()
          if units_digest(load_document(each).units) != each.digest]
with connection.cursor() as cursor:
    if connection.vendor == "sqlite":
        for check in ("integrity_check", "foreign_key_check"):
            wrong += [row for row in cursor.execute(f"PRAGMA {check}").fetchall() if row != ("ok",)]
lanes = LaneRun.objects.filter(state="succeeded").count()
print(json.dumps({"wrong": wrong, "lanes": lanes, "digest": digest_of(digests())}))
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[tuple[Installation, Installation]]:
    """Two installations, one of which has a campaign."""
    with ExitStack() as stack:
        made = []
        for name in ("busy", "again"):
            folder = tmp_path / f"{tmp_path.name}_{name}"
            folder.mkdir()
            on_postgres = connection.vendor == "postgresql"
            settings = stack.enter_context(owned_database(name_for(folder))) if on_postgres else {}
            made.append(Installation(folder, **settings))
            stack.callback(made[-1].end)
        transcript = sorted(path for path in SAMPLE.glob("*") if path.suffix in {".vtt", ".srt", ".json", ".txt"})[0]
        made[0].commands(
            ("migrate", "-v0"),
            ("load_campaign", str(next(SAMPLE.glob("*.toml")))),
            ("import_transcript", str(transcript), *WHERE),
        )
        yield made[0], made[1]


def written_after(home: Installation, seen: int) -> None:
    """Wait until more lanes than those have succeeded."""
    eventually(lambda: home.value(LANES) > seen, "a worker writes")


def test_a_backup_during_writes_is_whole(homes: tuple[Installation, Installation]) -> None:
    busy, again = homes
    writers = [busy.start("work"), busy.start("shell", "-v0", "-c", FEED)]
    kept = str(busy.folder / "kept.zip")
    written_after(busy, 0)
    told = busy.command("backup", kept)
    written_after(busy, int(busy.value(LANES)))
    for writer in writers:
        busy.stop(writer)
    again.command("restore", kept)
    found = json.loads(again.command("shell", "-v0", "-c", READ_WHOLE))

    assert found["wrong"] == []
    assert [found["digest"]] == re.findall(r"digest (\w+)\.", told)
    assert 0 < found["lanes"] < busy.value(LANES)
