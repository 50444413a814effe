"""An invented session, the pipeline over it, and a model that answers from what it is shown and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.loopback import RequestJson

CHUNKS, CHUNK_UNITS, RETRIES = 8, 5, 2
BUDGET = f"{{ extract = {RETRIES}, normalize = {RETRIES} }}"
PEOPLE = ("Warden Ilse", "Old Barnaby", "Sister Maud", "Tolliver Crake")
PLACES = ("Gull Tower", "Salt Market", "Lower Quay")
FIRST, SECOND = ("npcs", "locations"), ("npc-occurrences", "spells")
LANES = tuple(f"dnd/{key}" for key in (*FIRST, *SECOND))
TRANSCRIPT = "TRANSCRIPT:"
UNIT_LINE = re.compile(r"^\[(\d+)\] [^:\n]*: (.*)$", re.MULTILINE)


def calls(chunks: int) -> int:
    """Return how many an undisturbed run makes: one a chunk and lane, and one for the merges of each registry."""
    return chunks * len(LANES) + len(FIRST)


def transcript(chunks: int) -> bytes:
    """Return the session as a file to import."""
    said = (
        "{person} waits at the {place}, and the tide turns for the {n}. time.",
        "We follow {person} past the {place}.",
        "I cast Light on {person}, at the {place}.",
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


def lane_of(request: RequestJson) -> str:
    """Return what the request is about by the name of its schema."""
    return str(request["response_format"]["json_schema"]["name"])


def passage_of(request: RequestJson) -> list[tuple[int, str]]:
    # What follows the passage is no part of it.
    text = str(request["messages"][-1]["content"]).partition(TRANSCRIPT)[2].partition("\n\n")[0]
    return [(int(unit), said) for unit, said in UNIT_LINE.findall(text)]


def reply(request: RequestJson) -> Mapping[str, Any]:
    """Return the answer: the same for the same passage, always."""
    said = passage_of(request)
    lane = lane_of(request)
    if lane in ("npcs", "locations"):
        known = PEOPLE if lane == "npcs" else PLACES
        return {lane: [{"name": name, "source_refs": refs} for name in known if (refs := _cited(said, name))]}
    if lane == "npc_occurrences":
        found = [(name, _cited(said, name)) for name in PEOPLE]
        return {"occurrences": [{"name": n, "kind": "mention", "source_refs": refs} for n, refs in found if refs]}
    if lane == "spells":
        casts = [unit for unit, text in said if "I cast Light" in text]
        rest = {"spell": "Light", "level": 0, "targets": [], "outcome": None}
        return {"spells": [{"caster": "Joost", **rest, "source_refs": [_ref(unit)]} for unit in casts]}
    return {"duplicate_groups": []}


def _cited(said: list[tuple[int, str]], words: str) -> list[dict[str, int]]:
    return [_ref(unit) for unit, text in said if words in text]


def _ref(unit: int) -> dict[str, int]:
    return {"start_unit_id": unit, "end_unit_id": unit}
