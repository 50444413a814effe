"""Helpers for the tests of the rules for items and places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from extraction.canonical import JsonValue
from tests.extraction.llm.rules.table import PARTY, extract_materials

Answer = Callable[[Mapping[str, JsonValue]], JsonValue]
Named = tuple[str, list[tuple[int, int]]]


def found(answer: Answer, family: str, *said: Any, **changes: JsonValue) -> list[Named]:
    """Return the extracted names with their ranges, a name as often as it is a record."""
    reply: Any = answer(extract_materials(*said, **changes))
    return [(row["name"], [_pair(ref) for ref in row["source_refs"]]) for row in reply[family]]


def narrated(*texts: str) -> list[tuple[str, str]]:
    return [("NOOR", text) for text in texts]


def question(
    candidates: Sequence[Named], *windows: Sequence[tuple[int, str]], cited: bool = True, **changes: JsonValue
) -> dict[str, JsonValue]:
    """A reconcile question; each window is a list of (unit id, text)."""
    materials: dict[str, JsonValue] = {
        "party": PARTY,
        "glossary": [],
        "candidates": [
            {"name": name, "source_refs": [{"start_unit_id": start, "end_unit_id": end} for start, end in pairs]}
            for name, pairs in candidates
        ],
        "windows": [
            {"units": [{"unit_id": at, "speaker": "NOOR", "text": text, "cited": cited} for at, text in window]}
            for window in windows
        ],
        "left_out": 0,
    }
    return materials | changes


def groups(answer: Answer, materials: Mapping[str, JsonValue]) -> list[tuple[list[Named], str]]:
    """Return each proposed group as its members, in order of evidence, and the canonical name."""
    reply: Any = answer(materials)
    return [
        (
            sorted(((one["name"], [_pair(ref) for ref in one["source_refs"]]) for one in row["members"]), key=_place),
            row["canonical"]["name"],
        )
        for row in reply["duplicate_groups"]
    ]


def _pair(ref: Mapping[str, int]) -> tuple[int, int]:
    return ref["start_unit_id"], ref["end_unit_id"]


def _place(named: Named) -> tuple[list[tuple[int, int]], str]:
    return named[1], named[0]
