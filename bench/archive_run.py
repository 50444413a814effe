"""One run as a worker does it, in an archive of its own: `python -m bench.archive_run '<Plan as JSON>'`.

Everything a lane of the archive writes is in it: checkpoints, exchanges, seats, heartbeats, the version at the end.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from bench.lane_run import Plan
from bench.processes import Stopwatch, peak_mib, print_result
from bench.transcripts import SPEAKERS, as_notarius_json, document

SLUG = "bench"


def run(plan: Plan, folder: str) -> dict[str, object]:
    """Return the figures of one lane's work; set-up and import of the SDK stand apart."""
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

    from campaigns.actions import plans, rosters, runs, transcripts, work
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
    started = runs.start(
        session=imported.transcript.session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None
    )
    lane = started.lanes.get()
    preload()
    watch = Stopwatch()
    outcome = work.work(lane_id=lane.pk)
    figures: dict[str, object] = {**watch.figures()}
    if outcome != work.SUCCEEDED:
        raise RuntimeError(f"the lane ended as {outcome}")
    words = sum(len(unit.text.split()) for unit in read.units)
    return figures | {"words": words, "peak_mib": peak_mib(), "import_seconds": None, "import_cpu_s": None}


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
        print_result(run(replace(given, source=source), scratch))
