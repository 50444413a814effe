"""Typed views of a request's materials. What is missing or has another shape counts as absent: nothing here raises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue

Materials = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Unit:
    unit_id: int
    speaker: str | None
    text: str


@dataclass(frozen=True, slots=True)
class WindowUnit:
    unit: Unit
    cited: bool


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    term: str
    heard_as: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record offered for reconciliation; only how often it is cited matters here."""

    name: str
    citations: int


def fields(value: JsonValue | None) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}


def entries(value: JsonValue | None) -> Sequence[JsonValue]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def strings(value: JsonValue | None) -> tuple[str, ...]:
    return tuple(item for item in entries(value) if isinstance(item, str) and item.strip())


def text_of(value: JsonValue | None) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def units(value: JsonValue | None) -> tuple[Unit, ...]:
    return tuple(unit for item in entries(value) if (unit := _unit(item)) is not None)


def transcript(materials: Materials) -> tuple[Unit, ...]:
    """The units that may be cited."""
    return units(materials.get("transcript"))


def context(materials: Materials) -> tuple[Unit, ...]:
    """The units before and after the transcript, which inform and are never cited."""
    around = fields(materials.get("context"))
    return units(around.get("before")) + units(around.get("after"))


def glossary(materials: Materials) -> tuple[GlossaryEntry, ...]:
    rows = (fields(item) for item in entries(materials.get("glossary")))
    return tuple(
        GlossaryEntry(term.strip(), strings(row.get("heard_as"))) for row in rows if (term := text_of(row.get("term")))
    )


def gm_labels(materials: Materials) -> tuple[str, ...]:
    """The speaker labels and the name of the game master, empty where unknown."""
    gm = fields(materials.get("gm"))
    player = text_of(gm.get("player"))
    return strings(gm.get("speaker_labels")) + ((player,) if player else ())


def roster_names(materials: Materials) -> tuple[str, ...]:
    """Every name of the party: characters, players, speaker labels, other names."""
    names: list[str] = []
    for item in entries(materials.get("party")):
        member = fields(item)
        names += [name for key in ("character", "player") if (name := text_of(member.get(key)))]
        names += strings(member.get("speaker_labels")) + strings(member.get("other_names"))
    return tuple(names)


def candidates(materials: Materials) -> tuple[Candidate, ...]:
    rows = (fields(item) for item in entries(materials.get("candidates")))
    return tuple(
        Candidate(name, len(entries(row.get("source_refs")))) for row in rows if (name := text_of(row.get("name")))
    )


def window_units(materials: Materials) -> tuple[WindowUnit, ...]:
    """The units of all windows in the order they are shown."""
    shown = (
        fields(item) for window in entries(materials.get("windows")) for item in entries(fields(window).get("units"))
    )
    return tuple(WindowUnit(unit, row.get("cited") is True) for row in shown if (unit := _unit(row)) is not None)


def _unit(value: JsonValue) -> Unit | None:
    row = fields(value)
    unit_id, text = row.get("unit_id"), row.get("text")
    if not isinstance(unit_id, int) or isinstance(unit_id, bool) or not isinstance(text, str):
        return None
    return Unit(unit_id, text_of(row.get("speaker")), text)
