"""A small invented table for the tests of the rules: a game master, two players, and what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extraction.canonical import JsonValue
from extraction.llm.rules.npcs_extract import extract_npcs
from extraction.llm.rules.npcs_reconcile import reconcile_npcs

GM: Mapping[str, JsonValue] = {"player": "Noor", "speaker_labels": ["NOOR"]}
PARTY: Sequence[JsonValue] = (
    {"character": "Quill Harrow", "player": "Ines", "speaker_labels": ["INES"], "other_names": ["Quill"]},
    {"character": "Ash'vel", "player": "Theo", "speaker_labels": ["THEO"], "other_names": []},
)

RANGE: JsonValue = {
    "type": "object",
    "properties": {"start_unit_id": {"type": "integer"}, "end_unit_id": {"type": "integer"}},
    "required": ["start_unit_id", "end_unit_id"],
    "additionalProperties": False,
}
NAMED: JsonValue = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "source_refs": {"type": "array", "items": {"$ref": "#/$defs/Range"}}},
    "required": ["name", "source_refs"],
    "additionalProperties": False,
}
EXTRACT_SCHEMA: Mapping[str, JsonValue] = {
    "$defs": {"Range": RANGE, "Named": NAMED},
    "type": "object",
    "properties": {"npcs": {"type": "array", "items": {"$ref": "#/$defs/Named"}}},
    "required": ["npcs"],
    "additionalProperties": False,
}
RECONCILE_SCHEMA: Mapping[str, JsonValue] = {
    "$defs": {"Range": RANGE, "Named": NAMED},
    "type": "object",
    "properties": {
        "duplicate_groups": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "members": {"type": "array", "items": {"$ref": "#/$defs/Named"}},
                    "canonical": {"$ref": "#/$defs/Named"},
                },
                "required": ["members", "canonical"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["duplicate_groups"],
    "additionalProperties": False,
}

Said = tuple[str | None, str]


def units(*said: Said, first: int = 1) -> list[JsonValue]:
    return [{"unit_id": first + at, "speaker": speaker, "text": text} for at, (speaker, text) in enumerate(said)]


def extract_materials(*said: Said, **changes: JsonValue) -> dict[str, JsonValue]:
    materials: dict[str, JsonValue] = {
        "gm": GM,
        "party": PARTY,
        "glossary": [],
        "context": {"before": [], "after": []},
        "transcript": units(*said),
    }
    return materials | changes


def reconcile_materials(names: Sequence[str], *window: str) -> dict[str, JsonValue]:
    shown: list[JsonValue] = [
        {"unit_id": at, "speaker": "NOOR", "text": text, "cited": True} for at, text in enumerate(window, start=1)
    ]
    return {
        "party": PARTY,
        "glossary": [],
        "candidates": [{"name": name, "source_refs": [{"start_unit_id": 1, "end_unit_id": 1}]} for name in names],
        "windows": [{"units": shown}] if shown else [],
        "left_out": 0,
    }


def found(materials: Mapping[str, JsonValue]) -> dict[str, list[tuple[int, int]]]:
    """Return the extracted names with their ranges."""
    return dict(_named(extract_npcs(materials), "npcs"))


def groups(materials: Mapping[str, JsonValue]) -> list[tuple[set[str], str]]:
    """Return the proposed groups as (member names, canonical name)."""
    reply = reconcile_npcs(materials)
    assert isinstance(reply, Mapping)
    result = []
    for group in _rows(reply["duplicate_groups"]):
        canonical = group["canonical"]
        assert isinstance(canonical, Mapping)
        result.append(({str(member["name"]) for member in _rows(group["members"])}, str(canonical["name"])))
    return result


def _named(reply: JsonValue, key: str) -> list[tuple[str, list[tuple[int, int]]]]:
    assert isinstance(reply, Mapping)
    return [
        (str(row["name"]), [(_id(ref["start_unit_id"]), _id(ref["end_unit_id"])) for ref in _rows(row["source_refs"])])
        for row in _rows(reply[key])
    ]


def _rows(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    assert isinstance(value, Sequence)
    return [row for row in value if isinstance(row, Mapping)]


def _id(value: JsonValue) -> int:
    assert isinstance(value, int)
    return value
