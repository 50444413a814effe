"""Answer "dnd/item-occurrences.extract": what happens to the items of the list, as far as verbs beside them say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.llm.rules import materials as given
from extraction.llm.rules.holders import Holders
from extraction.llm.rules.holding_verbs import ACTIVE, NEEDS_PARTICLE, PASSIVE, PAST
from extraction.llm.rules.known_names import Said
from extraction.llm.rules.materials import Materials
from extraction.llm.rules.occurrences import Passage, is_unreal, places, sentence, stretches, things_in
from extraction.llm.rules.tokens import Word
from extraction.llm.rules.words import NOT_NAMES

# Words between a verb and the thing it is about.
_REACH = 7
# Past one of these, a verb is about something else: "gives him a receipt for the lamp".
_PREPOSITIONS = frozenset({"for", "with", "at", "of", "about", "from", "in", "into", "near", "behind"})
_BE = frozenset({"is", "was", "gets", "got", "are", "were"})
_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "they", "it"})
_NOUN_MAKERS = frozenset({"the", "a", "an", "my", "your", "his", "her", "their", "our", "this", "that"})


@dataclass(frozen=True, slots=True)
class _Event:
    kind: str
    actor: str | None = None
    recipient: str | None = None


_MENTION = _Event("mentioned")


def extract_item_occurrences(materials: Materials) -> JsonValue:
    """Return `{"occurrences": [{"name", "kind", "actor", "recipient", "detail", "source_refs"}]}` in their order."""
    names = given.strings(materials.get("items"))
    passage = things_in(materials, names)
    holders = Holders(materials)
    by_place: dict[tuple[int, int], list[_Event]] = defaultdict(list)
    for said in passage.said:
        for entry in said.entries if len(said.entries) == 1 else ():
            by_place[said.at, entry].append(_event(said, passage, holders))
    found = list(_of_it(passage, holders))
    told = {(run[-1], entry) for run, entry, _ in found}
    mentions: dict[int, list[int]] = defaultdict(list)
    for (at, entry), events in by_place.items():
        happened = dict.fromkeys(event for event in events if event != _MENTION)
        found += [((at,), entry, event) for event in happened]
        if not happened and (at, entry) not in told:
            mentions[entry].append(at)
    found += [(run, entry, _MENTION) for entry, positions in mentions.items() for run in stretches(positions)]
    found.sort(key=lambda one: one[0][0])
    return {"occurrences": [_record(names[entry], event, run, passage) for run, entry, event in found]}


def _of_it(passage: Passage, holders: Holders) -> Iterator[tuple[Sequence[int], int, _Event]]:
    """Yield what somebody does to "it" where the unit, or else the one before, names one item and no other."""
    named: dict[int, set[tuple[int, ...]]] = defaultdict(set)
    for said in passage.said:
        named[said.at].add(said.entries)
    for at, text in enumerate(passage.texts):
        source = at if named.get(at) else at - 1
        meant = named.get(source, set())
        if len(meant) != 1 or len(entries := next(iter(meant))) != 1:
            continue
        for verb in range(len(text) - 1):
            if text[verb].key in ACTIVE and text[verb + 1].key == "it" and text[verb + 1].gap == " ":
                event = _active(text, verb, Said(entries, at, verb + 1, verb + 1), passage, holders)
                if event.actor is not None:
                    yield tuple(dict.fromkeys((source, at))), entries[0], event


def _record(name: str, event: _Event, run: Sequence[int], passage: Passage) -> JsonValue:
    return {
        "name": name,
        "kind": event.kind,
        "actor": event.actor,
        "recipient": event.recipient,
        "detail": None,
        "source_refs": places(run, passage),
    }


def _event(said: Said, passage: Passage, holders: Holders) -> _Event:
    text = passage.texts[said.at]
    around = sentence(text, said.first)
    verb = _verb_before(text, said, around.start, around.end)
    if verb is not None:
        return _active(text, verb, said, passage, holders)
    befallen = _befalls(text, said.last, around.end)
    real = not (around.asks or text[said.first].quoted or is_unreal(text, around.start, around.end))
    return _Event(befallen) if befallen is not None and real else _MENTION


def _active(text: Sequence[Word], verb: int, said: Said, passage: Passage, holders: Holders) -> _Event:
    """Return what the verb makes of its object, a mere mention where it is asked, ordered, quoted, told or unreal."""
    around = sentence(text, verb)
    told = not passage.narrated[said.at] and text[verb].key in PAST
    ordered = not passage.narrated[said.at] and _is_order(text, around.start, verb)
    if around.asks or text[verb].quoted or told or ordered or is_unreal(text, around.start, verb):
        return _MENTION
    kind = ACTIVE[text[verb].key]
    receiver = holders.receiver(text, verb, said.first, said.last, around.end) if kind == "transferred" else None
    return _Event(kind, holders.subject(text, around.start, verb, passage.units[said.at]), receiver)


def _verb_before(text: Sequence[Word], said: Said, start: int, end: int) -> int | None:
    """Return the place of the verb of holding whose object the thing is; None where another word takes it away."""
    for at in range(said.first - 1, max(start, said.first - _REACH) - 1, -1):
        word = text[at]
        noun = at > start and text[at - 1].key in _NOUN_MAKERS and not text[at - 1].clitic
        if word.key in ACTIVE and not noun:
            return at if _takes(text, at, said, start, end) else None
        if word.key in _PREPOSITIONS or text[at + 1].gap.strip():
            return None
    return None


def _takes(text: Sequence[Word], verb: int, said: Said, start: int, end: int) -> bool:
    key = text[verb].key
    if key == "got" and verb > start and _has(text[verb - 1]):
        return False
    if ACTIVE[key] != "transferred" and any(word.key in _SUBJECTS for word in text[verb + 1 : said.first]):
        return False
    needed = NEEDS_PARTICLE.get(key)
    beside = {text[at].key for at in (verb + 1, said.last + 1) if at < end}
    return needed is None or needed in beside


def _is_order(text: Sequence[Word], start: int, verb: int) -> bool:
    """Whether nobody is said to do it: "break the lamp!", "just break the lamp!"."""
    before = text[start:verb]
    return not any(word.key in _SUBJECTS or (word.capital and word.key not in NOT_NAMES) for word in before)


def _has(word: Word) -> bool:
    """Whether "got" after the word says what somebody has: "you've got the lamp"."""
    return word.clitic in {"'ve", "'s"} or word.key in {"have", "has", "had"}


def _befalls(text: Sequence[Word], last: int, end: int) -> str | None:
    """Return what a verb just after the thing makes of it: "the lamp falls", "the lamp is broken"."""
    at = last + 1
    if text[last].clitic or at >= end or text[at].gap != " ":
        return None
    if text[at].key not in _BE:
        return PASSIVE.get(text[at].key)
    return "destroyed" if at + 1 < end and ACTIVE.get(text[at + 1].key) == "destroyed" else None
