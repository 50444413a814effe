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
    """A record offered for reconciliation. `ranges` are the unit ids of its evidence, as they were given."""

    name: str
    citations: int
    ranges: tuple[tuple[int, int], ...] = ()


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
    before, after = context_sides(materials)
    return before + after


def context_sides(materials: Materials) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    """The context before the transcript, with the lead-in to it where a task is given one, and the context after it."""
    around, lead_in = fields(materials.get("context")), fields(materials.get("lead_in"))
    return units(lead_in.get("before")) + units(around.get("before")), units(around.get("after"))


def glossary(materials: Materials) -> tuple[GlossaryEntry, ...]:
    rows = (fields(item) for item in entries(materials.get("glossary")))
    return tuple(
        GlossaryEntry(term.strip(), strings(row.get("heard_as"))) for row in rows if (term := text_of(row.get("term")))
    )


def gm_labels(materials: Materials) -> tuple[str, ...]:
    """The speaker labels and the name of the game master, empty where unknown."""
    player = text_of(fields(materials.get("gm")).get("player"))
    return gm_speaker_labels(materials) + ((player,) if player else ())


def gm_speaker_labels(materials: Materials) -> tuple[str, ...]:
    """The labels the game master is known to speak under."""
    return strings(fields(materials.get("gm")).get("speaker_labels"))


def player_labels(materials: Materials) -> tuple[str, ...]:
    """The speaker labels and the names of the players."""
    found: list[str] = []
    for item in entries(materials.get("party")):
        member = fields(item)
        player = text_of(member.get("player"))
        found += (*strings(member.get("speaker_labels")), *((player,) if player else ()))
    return tuple(found)


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
        Candidate(name, len(entries(row.get("source_refs"))), ranges(row.get("source_refs")))
        for row in rows
        if (name := text_of(row.get("name")))
    )


def ranges(value: JsonValue | None) -> tuple[tuple[int, int], ...]:
    """Return the (start, end) unit ids of a list of references."""
    rows = (fields(item) for item in entries(value))
    pairs = ((row.get("start_unit_id"), row.get("end_unit_id")) for row in rows)
    return tuple((start, end) for start, end in pairs if isinstance(start, int) and isinstance(end, int))


def windows(materials: Materials) -> tuple[tuple[WindowUnit, ...], ...]:
    """The windows in the order they are shown, each with its units."""
    shown = ((fields(item) for item in entries(fields(one).get("units"))) for one in entries(materials.get("windows")))
    return tuple(
        tuple(WindowUnit(unit, row.get("cited") is True) for row in rows if (unit := _unit(row)) is not None)
        for rows in shown
    )


def window_units(materials: Materials) -> tuple[WindowUnit, ...]:
    """The units of all windows in the order they are shown."""
    return tuple(unit for window in windows(materials) for unit in window)


def _unit(value: JsonValue) -> Unit | None:
    row = fields(value)
    unit_id, text = row.get("unit_id"), row.get("text")
    if not isinstance(unit_id, int) or isinstance(unit_id, bool) or not isinstance(text, str):
        return None
    return Unit(unit_id, text_of(row.get("speaker")), text)
