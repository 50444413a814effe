"""Answer "dnd/location-occurrences.extract": where the party reaches, is at, leaves or speaks of the listed places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.llm.rules import materials as given
from extraction.llm.rules.known_names import Said
from extraction.llm.rules.materials import Materials
from extraction.llm.rules.occurrence_words import (
    BEFORE_PLACES,
    LEAVES,
    POINTED_AT,
    PRESENT,
    REACHES,
    REACHES_IT,
    TOWARDS,
    WITHIN,
)
from extraction.llm.rules.occurrences import Passage, is_unreal, places, sentence, stretches, things_in
from extraction.llm.rules.tokens import Word, words
from extraction.llm.rules.words import NOT_NAMES, PLACE_HEADS

# Units on each side of a shared name in which its surroundings may say which place is meant.
_REACH = 3
# Of several kinds in one unit, the first of these stands.
_STRENGTH = ("arrival", "departure", "presence", "mention")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A listed place. `units` and `words` of its context tell it from others of its name."""

    name: str
    registry_refs: tuple[tuple[int, int], ...]
    units: frozenset[int]
    words: frozenset[str]


def extract_location_occurrences(materials: Materials) -> JsonValue:
    """Return `{"occurrences": [{"name", "registry_refs", "kind", "source_refs"}]}` in the order of the transcript.

    A shared name is left out where neither its unit nor the units around it say which place is meant.
    """
    entries = _entries(materials)
    passage = things_in(materials, [entry.name for entry in entries])
    by_place: dict[tuple[int, int], set[str]] = defaultdict(set)
    for said in passage.said:
        chosen = said.entries[0] if len(said.entries) == 1 else _chosen(said, entries, passage)
        if chosen is not None:
            by_place[said.at, chosen].add(_kind(said, passage))
    kinds: dict[tuple[int, str], list[int]] = defaultdict(list)
    for (at, entry), found in by_place.items():
        kinds[entry, min(found, key=_STRENGTH.index)].append(at)
    records = [(run, entry, kind) for (entry, kind), positions in kinds.items() for run in stretches(positions)]
    records.sort(key=lambda record: record[0][0])
    return {"occurrences": [_record(entries[entry], kind, run, passage) for run, entry, kind in records]}


def _record(entry: _Entry, kind: str, run: Sequence[int], passage: Passage) -> JsonValue:
    return {
        "name": entry.name,
        "registry_refs": [{"start_unit_id": start, "end_unit_id": end} for start, end in entry.registry_refs],
        "kind": kind,
        "source_refs": places(run, passage),
    }


def _entries(materials: Materials) -> list[_Entry]:
    rows = (given.fields(item) for item in given.entries(materials.get("locations")))
    return [
        _Entry(name, given.ranges(row.get("registry_refs")), *_context(row))
        for row in rows
        if (name := given.text_of(row.get("name")))
    ]


def _context(row: Mapping[str, JsonValue]) -> tuple[frozenset[int], frozenset[str]]:
    shown = given.units(row.get("context"))
    names = {word.key for unit in shown for word in words(unit.text) if word.capital and word.key not in NOT_NAMES}
    return frozenset(unit.unit_id for unit in shown), frozenset(names)


def _chosen(said: Said, entries: Sequence[_Entry], passage: Passage) -> int | None:
    """Return the one place of a shared name that the transcript points to.

    The entry that cites the unit, else the one entry of whose names, that the others do not have, the nearest unit
    has one; None where the transcript does not say.
    """
    here = passage.units[said.at].unit_id
    citing = [number for number in said.entries if here in entries[number].units]
    if len(citing) == 1:
        return citing[0]
    own = {number: _own_words(number, said.entries, entries) for number in said.entries}
    for distance in range(_REACH + 1):
        near = [at for at in {said.at - distance, said.at + distance} if 0 <= at < len(passage.texts)]
        keys = {word.key for at in near for word in passage.texts[at] if word.capital}
        pointed = [number for number, names in own.items() if names & keys]
        if pointed:
            return pointed[0] if len(pointed) == 1 else None
    return None


def _own_words(number: int, group: Sequence[int], entries: Sequence[_Entry]) -> frozenset[str]:
    others = frozenset[str]().union(*(entries[other].words for other in group if other != number))
    return entries[number].words - others - {word.key for word in words(entries[number].name)}


def _kind(said: Said, passage: Passage) -> str:
    text = passage.texts[said.at]
    around = sentence(text, said.first)
    before = _before(text, said.first, around.start)
    narrated = passage.narrated[said.at] and not text[said.first].quoted
    if not narrated or around.asks or not before or is_unreal(text, around.start, said.first):
        return "mention"
    one, more = before[0], {word.key for word in before[1:4]}
    if one.key in LEAVES or (one.key == "of" and "out" in more) or (one.key == "from" and more & (LEAVES | {"away"})):
        return "departure"
    shown = one.key in {"is", "was"} or one.clitic == "'s"
    if one.key in REACHES_IT or (one.key in TOWARDS and more & REACHES):
        return "arrival"
    if shown and (more | {one.key}) & POINTED_AT:
        return "arrival"
    if one.key in WITHIN and {word.key for word in text[around.start : around.end]} & PRESENT:
        return "presence"
    return "mention"


def _before(text: Sequence[Word], first: int, start: int) -> list[Word]:
    """Return up to four words before the name in its sentence, nearest first, past articles and "the town of"."""
    at = _past_articles(text, first - 1, start)
    if at > start and text[at].key == "of" and text[at - 1].key in PLACE_HEADS:
        at = _past_articles(text, at - 2, start)
    return [text[here] for here in range(at, max(start, at - 3) - 1, -1)]


def _past_articles(text: Sequence[Word], at: int, start: int) -> int:
    while at >= start and text[at].key in BEFORE_PLACES and not text[at].clitic:
        if text[at].key in POINTED_AT and at + 1 < len(text) and text[at + 1].key in {"is", "was"}:
            break
        at -= 1
    return at
