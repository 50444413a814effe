"""One run as a worker does it, in an archive of its own: `python -m bench.archive_run '<Plan as JSON>' [again]`.

Everything a lane of the archive writes is in it: checkpoints, exchanges, seats, heartbeats, the version at the end.
With `again` the same run is started once more, nothing having changed.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.lane_run import Plan
from bench.processes import Stopped, Stopwatch, counts, peak_mib, print_result
from bench.transcripts import SPEAKERS, as_notarius_json, document

if TYPE_CHECKING:
    from campaigns.models import GameSession

SLUG = "bench"


def run(plan: Plan, folder: str, *, again: bool = False) -> dict[str, object]:
    """Return the figures of one lane's work, or those of a second one; set-up and import of the SDK stand apart."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "notarius_site.settings",
        "NOTARIUS_DATA_DIR": folder,
        "NOTARIUS_LLM_BASE_URL": plan.url or "",
        "NOTARIUS_LLM_MODEL": "bench",
        "NOTARIUS_LLM_CONCURRENCY": str(plan.workers),
        "NOTARIUS_LLM_CHUNK_UNITS": str(plan.chunk_units),
        "NOTARIUS_LLM_CHUNK_WORDS": str(plan.chunk_words),
    }
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)

    from campaigns.actions import rosters, transcripts
    from extraction.llm.openai_client import preload

    campaign, _ = rosters.load_campaign(file=rosters.read_campaign(_campaign_file(), SLUG), by=None)
    read = document(plan.source)
    imported = transcripts.import_transcript(
        campaign=campaign,
        number=1,
        data=as_notarius_json(read.units),
        filename="bench.json",
        title=None,
        format=None,
        by=None,
    )
    preload()
    figures = _worked(imported.transcript.session)
    if again and plan.url:
        before = counts(plan.url)["calls"]
        first, figures = figures, _worked(imported.transcript.session)
        figures |= {"first_seconds": first["seconds"], "first_cpu_s": first["cpu_s"]}
        figures |= {"first_calls": before, "calls": counts(plan.url)["calls"] - before}
    words = sum(len(unit.text.split()) for unit in read.units)
    return figures | {"words": words, "peak_mib": peak_mib(), "import_seconds": None, "import_cpu_s": None}


def _worked(session: GameSession) -> dict[str, object]:
    """Return the figures of one run of the NPC lane, from the moment at which a worker has it."""
    from campaigns.actions import plans, runs, work

    started = runs.start(session=session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)
    lane = started.lanes.get()
    watch = Stopwatch()
    outcome = work.work(lane_id=lane.pk)
    if outcome != work.SUCCEEDED:
        raise Stopped(f"the lane ended as {outcome}")
    return {**watch.figures()}


def _campaign_file() -> str:
    party = "".join(
        f'[[party]]\ncharacter = "Wayfarer {label}"\nplayer = "{label}"\nspeaker_labels = ["{label}"]\n'
        for label in SPEAKERS[1:]
    )
    gm = f'[gm]\nplayer = "{SPEAKERS[0]}"\nspeaker_labels = ["{SPEAKERS[0]}"]\n'
    return f'[campaign]\nslug = "{SLUG}"\nname = "Bench"\n{gm}{party}'


if __name__ == "__main__":
    given = Plan(**json.loads(sys.argv[1]))
    with tempfile.TemporaryDirectory() as scratch:
        # A path of the caller would otherwise be read from another folder.
        source = given.source if given.source.isdigit() else str(Path(given.source).resolve())
        print_result(run(replace(given, source=source), scratch, again="again" in sys.argv[2:]))
