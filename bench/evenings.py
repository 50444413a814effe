"""`evenings`: what is told of a whole campaign of 8 and 24 evenings of 10,000 lines, new to a process and again."""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bench.pages import begin
from bench.processes import Stopwatch, measured, print_result
from bench.report import Row
from bench.scale_seed import FIRST, Record, approve, fill

if TYPE_CHECKING:
    from campaigns.models import Transcript

SIZES, LINES, TIMES = (8, 24), 10_000, 7
# Lines to an occurrence of each kind, and to a scene.
EVERY = {"npc": 20, "item": 40, "location": 60}
SCENE = 60
ASKED_FOR = (
    ("the campaign's page", "/campaigns/{slug}/"),
    ("a person's page", "/campaigns/{slug}/npcs/{person}/"),
    ("API, where they occur", "/api/v1/campaigns/{slug}/npcs/{person}/occurrences"),
    ("API, with whom", "/api/v1/campaigns/{slug}/npcs/{person}/companions"),
)


def rows() -> Iterator[Row]:
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            environ = {"NOTARIUS_DATA_DIR": folder, "DATABASE_URL": "", "NOTARIUS_DEBUG": "1"}
            found = measured("bench.evenings", str(size), environ=environ)
        for what, figures in found.items():
            yield Row("evenings", f"{size} evenings: {what}", "python -m bench evenings", figures)


def run(size: int) -> dict[str, Any]:
    """Return the figures of each address: answers are made in this process, with no server between."""
    campaign, client = begin()

    from campaigns.actions import registry
    from campaigns.library.sources import KINDS
    from campaigns.models import GameSession, RegistryEntry

    dice = random.Random(1)  # noqa: S311 - what a measurement draws is no secret
    for number in range(1, size + 1):
        evening = GameSession.objects.create(campaign=campaign, number=number)
        fill(evening, LINES)
        _tell(evening.transcripts.get(), dice)
    for kind in KINDS:
        registry.rebuild(campaign=campaign, kind=kind)
    person = RegistryEntry.objects.filter(campaign=campaign, kind="npc").order_by("key")[0].entity_id
    return {what: _figures(client, path.format(slug=FIRST, person=person)) for what, path in ASKED_FOR}


def _tell(transcript: Transcript, dice: random.Random) -> None:
    """Approve occurrences of those that the evening has, and scenes, in place of the few that it was filled with."""
    import orjson

    from campaigns.library.sources import KINDS
    from campaigns.models import Artifact, ArtifactVersion

    Artifact.objects.filter(session=transcript.session, lane="dnd/scenes").delete()
    starts = range(1, LINES - SCENE, SCENE)
    scenes = [{"title": f"Scene {at}", "primary_mode": "social", **_lines(at, at + SCENE - 1)} for at in starts]
    approve(transcript, "scenes", "scenes", scenes)
    for kind, source in KINDS.items():
        told = ArtifactVersion.objects.get(artifact__session=transcript.session, artifact__lane=source.lane)
        known = orjson.loads(told.payload)[source.records]
        met = [_met(transcript, source.id_field, dice.choice(known), at) for at in range(1, LINES, EVERY[kind])]
        approve(transcript, source.occurrences, "occurrences", met)


def _met(transcript: Transcript, id_field: str, entry: Record, at: int) -> Record:
    refs = [{"source_id": transcript.source_id, **_lines(at, at)}]
    return {id_field: entry["id"], "name": entry["name"], "kind": "mention", "source_refs": refs}


def _lines(start: int, end: int) -> dict[str, int]:
    return {"start_unit_id": start, "end_unit_id": end}


def _figures(client: Any, path: str) -> dict[str, int | float]:
    from campaigns.library import outlines

    client.get(path)
    spent: dict[str, list[float]] = {"first": [], "again": []}
    for _ in range(TIMES):
        outlines.forget()
        for name in spent:
            watch = Stopwatch()
            answer = client.get(path)
            spent[name].append(watch.figures()["cpu_s"])
            if answer.status_code != 200:
                raise ValueError(f"{path} answered {answer.status_code}")
    return {f"{name}_cpu_ms": 1000 * statistics.median(each) for name, each in spent.items()}


if __name__ == "__main__":
    print_result(run(int(sys.argv[1])))
