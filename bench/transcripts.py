"""Transcripts to measure on: generated ones, equal on every machine, the sample campaign, and a real one if any."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

from extraction.ingest import read_transcript
from extraction.source.documents import SourceDocument, SourceUnit

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "assets" / "sample"
REAL = ROOT.parent / "shared" / "data" / "crd3" / "C1E034.json"
SPEAKERS = ("Gwen", "Oluwa", "Petra", "Silas", "Mei", "Tomas")
# Lengths of turns, in words, as they are at real tables: mostly short, a few very long; the mean is 13.
MEDIAN_WORDS, SPREAD, LONGEST = 7.9, 1.0, 300
NAMED_SHARE = 0.1
SYLLABLES = ("bra", "den", "fil", "gar", "hol", "jin", "kel", "lor", "mas", "nim", "orr", "pel", "quo", "ris", "tav")
WORDS = (
    "the",
    "a",
    "and",
    "we",
    "to",
    "of",
    "it",
    "you",
    "is",
    "was",
    "with",
    "for",
    "at",
    "on",
    "he",
    "she",
    "door",
    "river",
    "lamp",
    "look",
    "take",
    "ask",
    "over",
    "behind",
)


@cache
def npc_names(count: int) -> tuple[str, ...]:
    """Return that many different names."""
    rng = random.Random(count)  # noqa: S311 - data to measure on, no secret
    names: dict[str, None] = {}
    while len(names) < count:
        first, last = ("".join(rng.choices(SYLLABLES, k=size)).capitalize() for size in (2, 3))
        names[f"{first} {last}"] = None
    return tuple(names)


def generated(turns: int, *, names: int = 50, seed: int = 1) -> tuple[SourceUnit, ...]:
    """Return that many turns of about 13 words, a tenth of which name an NPC; equal arguments give equal turns."""
    rng = random.Random(seed)  # noqa: S311 - data to measure on, no secret
    people = npc_names(names)
    units = []
    for number in range(1, turns + 1):
        size = max(1, min(LONGEST, round(rng.lognormvariate(0, SPREAD) * MEDIAN_WORDS)))
        said = rng.choices(WORDS, k=size)
        if rng.random() < NAMED_SHARE:
            said[rng.randrange(size)] = rng.choice(people)
        text, start = " ".join(said), number * 4_000
        # capitalize() would make the names small.
        sentence = f"{text[0].upper()}{text[1:]}."
        units.append(SourceUnit(number, rng.choice(SPEAKERS), sentence, start, start + 3_000))
    return tuple(units)


def document(source: str) -> SourceDocument:
    """Return the document that `source` names: a number of generated turns, or a transcript file."""
    if source.isdigit():
        return SourceDocument("bench.s1.t1", generated(int(source)))
    file = Path(source)
    return SourceDocument("bench.s1.t1", read_transcript(file.read_bytes(), filename=file.name).units)


def as_notarius_json(units: tuple[SourceUnit, ...]) -> bytes:
    value = {"schema": "notarius.transcript.v1", "title": None, "units": [unit.as_json() for unit in units]}
    return json.dumps(value).encode()


def as_srt(units: tuple[SourceUnit, ...]) -> bytes:
    cues = (
        f"{unit.unit_id}\n{_stamp(unit.start_ms)} --> {_stamp(unit.end_ms)}\n{unit.speaker}: {unit.text}\n"
        for unit in units
    )
    return "\n".join(cues).encode()


def as_webvtt(units: tuple[SourceUnit, ...]) -> bytes:
    cues = (
        f"{_stamp(unit.start_ms)} --> {_stamp(unit.end_ms)}\n".replace(",", ".") + f"<v {unit.speaker}>{unit.text}\n"
        for unit in units
    )
    return "\n".join(("WEBVTT\n", *cues)).encode()


def _stamp(milliseconds: int | None) -> str:
    seconds, rest = divmod(milliseconds or 0, 1_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02},{rest:03}"
