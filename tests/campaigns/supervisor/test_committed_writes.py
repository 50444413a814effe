"""What was acknowledged is there after a kill, and nothing is there by half. Real processes on a SQLite file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from tests.campaigns.supervisor.installation import PATIENCE_S, ROOT, Installation

pytestmark = pytest.mark.slow

WRITER = """
import sys, django
django.setup()
from campaigns.actions import transcripts
from campaigns.models import Campaign
campaign, first = Campaign.objects.get(), int(sys.argv[1])
for number in range(first, first + 1_000):
    words = "".join(f"Ida: Line {at} of {number}.\\n" for at in range(40))
    transcripts.import_transcript(campaign=campaign, number=number, data=words.encode(), by=None)
    print(number, flush=True)
"""
# After how many acknowledged writes each of the writers, who all write at once, is killed.
KILLED_AFTER = (1, 4)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="about the settings of SQLite")
def test_every_commit_reaches_the_disk_before_it_is_acknowledged(db: None) -> None:
    with connection.cursor() as cursor:
        modes = [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]

    assert modes == ["wal", 2]


def test_acknowledged_transcripts_of_killed_writers_are_whole(tmp_path: Path) -> None:
    place = Installation(tmp_path)
    place.command("migrate")
    table = tmp_path / "table.toml"
    table.write_text('[campaign]\nslug = "ferry"\nname = "Ferry"\n[gm]\nplayer = "Ines"\nspeaker_labels = ["Ines"]\n')
    place.command("load_campaign", str(table))
    environ = place.environ | {"DJANGO_SETTINGS_MODULE": "notarius_site.settings"}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(1 + 10_000 * at)],
            cwd=ROOT,
            env=environ,
            stdout=subprocess.PIPE,
            text=True,
        )
        for at in range(len(KILLED_AFTER))
    ]
    acknowledged: set[int] = set()
    for writer, count in zip(writers, KILLED_AFTER, strict=True):
        assert writer.stdout is not None
        acknowledged |= {int(writer.stdout.readline()) for _ in range(count)}
        writer.kill()
        acknowledged |= {int(line) for line in writer.stdout.read().split("\n")[:-1]}
        assert writer.wait(timeout=PATIENCE_S) == -9
        writer.stdout.close()
    stored = dict(
        place.rows(
            "select s.number, t.unit_count - (select count(*) from campaigns_unit u where u.transcript_id = t.id)"
            " from campaigns_gamesession s left join campaigns_transcript t on t.session_id = s.id"
        )
    )

    assert len(acknowledged) >= sum(KILLED_AFTER)
    assert acknowledged <= set(stored)
    assert set(stored.values()) == {0}
    assert place.value("pragma integrity_check") == "ok"
