"""An invented session, the pipeline over it, and a model that answers from what it is shown and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.loopback import RequestJson

CHUNKS, CHUNK_UNITS, RETRIES = 8, 5, 2
BUDGET = f"{{ extract = {RETRIES}, normalize = {RETRIES} }}"
PEOPLE = ("Warden Ilse", "Old Barnaby", "Sister Maud", "Tolliver Crake")
PLACES = ("Gull Tower", "Salt Market", "Lower Quay")
THINGS = ("Storm Lantern", "Tin Whistle")
FEW = (("npcs", "locations"), ("npc-occurrences", "spells"))
# All that read a session chunk by chunk.
NINE = (
    ("npcs", "items", "locations"),
    ("npc-occurrences", "item-occurrences", "location-occurrences", "spells", "combat-turns", "enemy-events"),
)
TRANSCRIPT = "TRANSCRIPT:"
PLACE_LINE = re.compile(r'^\{"name":.*\}$', re.MULTILINE)
UNIT_LINE = re.compile(r"^\[(\d+)\] [^:\n]*: (.*)$", re.MULTILINE)


def steps(*, wide: bool = False) -> tuple[tuple[str, ...], ...]:
    """Return the run's lanes by step: nine where it is wide, else four."""
    return NINE if wide else FEW


def lanes(*, wide: bool = False) -> list[str]:
    return sorted(f"dnd/{key}" for step in steps(wide=wide) for key in step)


def calls(chunks: int, *, wide: bool = False) -> int:
    """Return how many an undisturbed run makes: one a chunk and lane, and one for the merges of each registry."""
    return chunks * len(lanes(wide=wide)) + len(steps(wide=wide)[0])


def transcript(chunks: int) -> bytes:
    """Return the session as a file to import."""
    said = (
        "{person} waits at the {place}, and the tide turns for the {n}. time.",
        "We follow {person} past the {place}, with the Storm Lantern.",
        "I cast Light on {person}, at the {place}, and blow the Tin Whistle.",
    )
    units = [
        {
            "unit_id": n,
            "speaker": ("Ines", "Joost", "Ada")[n % 3],
            "text": said[n % 3].format(person=PEOPLE[n % len(PEOPLE)], place=PLACES[n % len(PLACES)], n=n),
            "start_ms": None,
            "end_ms": None,
        }
        for n in range(1, chunks * CHUNK_UNITS + 1)
    ]
    return json.dumps({"schema": "notarius.transcript.v1", "title": None, "units": units}).encode()


def short_transcript(number: int) -> bytes:
    """Return a session of one chunk, for the runs that go on beside a poisoned one."""
    said = f"Sister Maud waits, day {number}."
    unit = {"unit_id": 1, "speaker": "Ines", "text": said, "start_ms": None, "end_ms": None}
    return json.dumps({"schema": "notarius.transcript.v1", "title": None, "units": [unit]}).encode()


def pipeline(*steps: tuple[str, ...], name: str = "soak") -> str:
    lanes = "\n".join(
        "[[steps]]\n" + "\n".join(f'[[steps.lanes]]\nlane = "dnd/{key}"\nretries = {BUDGET}' for key in keys)
        for keys in steps
    )
    return f'name = "{name}"\n{lanes}\n'


KNOWN: Mapping[str, tuple[str, ...]] = {
    "npcs": PEOPLE,
    "items": THINGS,
    "locations": PLACES,
    "npc_occurrences": PEOPLE,
    "item_occurrences": THINGS,
}
OCCURRENCES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "npc_occurrences": ("occurrences", {"kind": "mention"}),
    "item_occurrences": ("occurrences", {"kind": "mentioned", "actor": None, "recipient": None, "detail": None}),
}
LIT: Mapping[str, Any] = {"category": "spell", "declaration": "Casts Light.", "targets": [], "resolution": None}
# What is told of every line with the words.
DEEDS: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "spells": (
        "spells",
        "I cast Light",
        {"caster": "Joost", "spell": "Light", "level": 0, "targets": [], "outcome": None},
    ),
    "combat_turns": (
        "turns",
        "I cast Light",
        {"actor": "Joost", "turn_kind": "turn", "round": None, "actions": [LIT], "summary": "Joost casts Light."},
    ),
    "enemy_events": (
        "events",
        "the tide turns",
        {"enemy": "the tide", "kind": "appears", "detail": "It turns.", "actor": None},
    ),
}


def lane_of(request: RequestJson) -> str:
    """Return what the request is about by the name of its schema."""
    return str(request["response_format"]["json_schema"]["name"])


def passage_of(request: RequestJson) -> list[tuple[int, str]]:
    # What follows the passage is no part of it.
    text = str(request["messages"][-1]["content"]).partition(TRANSCRIPT)[2].partition("\n\n")[0]
    return [(int(unit), said) for unit, said in UNIT_LINE.findall(text)]


def reply(request: RequestJson) -> Mapping[str, Any]:
    """Return the answer: the same for the same passage, always."""
    said, lane = passage_of(request), lane_of(request)
    if lane == "location_occurrences":
        return {"occurrences": [place for place in _places_met(request, said) if place["source_refs"]]}
    if lane in KNOWN:
        found = [(name, _cited(said, name)) for name in KNOWN[lane]]
        records, more = OCCURRENCES.get(lane, (lane, {}))
        return {records: [{"name": name, **more, "source_refs": refs} for name, refs in found if refs]}
    if lane in DEEDS:
        records, words, deed = DEEDS[lane]
        return {records: [{**deed, "source_refs": [ref]} for ref in _cited(said, words)]}
    return {"duplicate_groups": []}


def _places_met(request: RequestJson, said: list[tuple[int, str]]) -> Iterator[dict[str, Any]]:
    """Yield the places of the list with what the passage says of each. One of a name is another one elsewhere."""
    for place in map(json.loads, PLACE_LINE.findall(str(request["messages"][-1]["content"]))):
        refs = [ref for ref in _cited(said, place["name"]) if ref in place["registry_refs"]]
        known = {"name": place["name"], "registry_refs": place["registry_refs"]}
        yield {**known, "kind": "presence", "source_refs": refs}


def _cited(said: list[tuple[int, str]], words: str) -> list[dict[str, int]]:
    return [_ref(unit) for unit, text in said if words in text]


def _ref(unit: int) -> dict[str, int]:
    return {"start_unit_id": unit, "end_unit_id": unit}
