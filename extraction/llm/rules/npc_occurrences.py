"""Answer "dnd/npc-occurrences.extract": where the NPCs of the list appear, speak, act, or are spoken of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from extraction.canonical import JsonValue
from extraction.llm.rules import materials as given
from extraction.llm.rules.known_names import Said
from extraction.llm.rules.materials import Materials
from extraction.llm.rules.occurrence_words import BEFORE_PEOPLE, ENTERS, SHOWN_BY
from extraction.llm.rules.occurrences import Passage, is_unreal, people_in, places, sentence, stretches, verb_place
from extraction.llm.rules.tokens import Word
from extraction.llm.rules.verbs import SPEECH, STRONG_ACTIONS, WEAK
from extraction.llm.rules.words import ROLES, TITLES

# The order in which the records of one unit stand.
_KINDS = ("appearance", "action", "dialogue", "mention")


def extract_npc_occurrences(materials: Materials) -> JsonValue:
    """Return `{"occurrences": [{"name", "kind", "source_refs"}]}` for the units of the transcript, in their order."""
    names = given.strings(materials.get("npcs"))
    passage = people_in(materials, names)
    alone = _named_alone(passage)
    kinds: dict[tuple[int, str], list[int]] = defaultdict(list)
    met: set[int] = set()
    by_place: dict[tuple[int, int], set[str]] = defaultdict(set)
    for said in passage.said:
        for entry in said.entries if len(said.entries) == 1 else ():
            found = _kinds(said, passage, is_new=entry not in met, is_alone=said.at in alone)
            by_place[said.at, entry].update(found)
            if found != {"mention"}:
                met.add(entry)
    for (at, entry), found in by_place.items():
        for kind in _KINDS:
            if kind in found and (kind != "mention" or len(found) == 1):
                kinds[entry, kind].append(at)
    records = [(run, names[entry], kind) for (entry, kind), positions in kinds.items() for run in stretches(positions)]
    records.sort(key=lambda record: record[0][0])
    return {
        "occurrences": [
            {"name": name, "kind": kind, "source_refs": places(run, passage)} for run, name, kind in records
        ]
    }


def _named_alone(passage: Passage) -> frozenset[int]:
    """Return the positions in which the narrator quotes somebody and names exactly one NPC outside the quotation."""
    outside: dict[int, set[tuple[int, ...]]] = defaultdict(set)
    for said in passage.said:
        if not passage.texts[said.at][said.first].quoted:
            outside[said.at].add(said.entries)
    return frozenset(
        at
        for at, named in outside.items()
        if len(named) == 1 and passage.narrated[at] and any(word.quoted for word in passage.texts[at])
    )


def _kinds(said: Said, passage: Passage, *, is_new: bool, is_alone: bool) -> set[str]:
    text = passage.texts[said.at]
    around = sentence(text, said.first)
    if text[said.first].quoted or not passage.narrated[said.at] or around.asks:
        return {"mention"}
    if is_unreal(text, around.start, said.first):
        return {"mention"}
    at = verb_place(text, said.last)
    verb = "" if at is None else text[at].key
    if verb in SPEECH or _follows_quotation(text, said.first) or (verb == "goes" and _quotes_soon(text, said.last)):
        return {"dialogue"}
    found: set[str] = set()
    if is_new and (verb in ENTERS or _is_shown(text, said.first, around.start)):
        found.add("appearance")
    elif verb in STRONG_ACTIONS or verb in WEAK:
        found.add("action")
    if is_alone and not text[said.last].clitic and said.first - around.start <= 1:
        found.add("dialogue")
    return found or {"mention"}


def _follows_quotation(text: Sequence[Word], first: int) -> bool:
    """As in `"…," says X`."""
    if not first or text[first - 1].key not in SPEECH:
        return False
    return first == 1 or text[first - 2].quoted or any(mark in text[first - 1].gap for mark in "\"'\u201d\u2019")


def _quotes_soon(text: Sequence[Word], last: int) -> bool:
    return any(word.quoted for word in text[last + 2 : last + 4])


def _is_shown(text: Sequence[Word], first: int, start: int) -> bool:
    """As in "this is X", "you see X", "a man named X", "the smith, X"."""
    at = first - 1
    while at >= start and text[at].key in BEFORE_PEOPLE:
        at -= 1
    if at < start:
        return False
    before = text[at]
    return before.key in SHOWN_BY or before.key + before.clitic in SHOWN_BY or before.key in ROLES - TITLES
