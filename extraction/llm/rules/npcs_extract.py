"""Answer "dnd/npcs.extract": the people of the story that a stretch of transcript names, with where it names them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.llm.rules.citing import LONGEST_KEY, cite
from extraction.llm.rules.materials import Materials
from extraction.llm.rules.mentions import Mention, Scan, scan

# The sum a name needs, the single cue it needs, and the smaller cue that also serves where it comes twice.
_ENOUGH = 2.2
_STRONG = 2.0
_FAIR = 1.2
_THING_FACTOR = 1.2
_PLAYERS_ONLY = 0.6
_CONTEXT = 0.5


@dataclass(frozen=True, slots=True)
class _Tally:
    """What all mentions of one name in a stretch add up to."""

    person: float
    thing: float
    strong: int
    fair: int
    mentions: int
    certain: bool

    def persuades(self) -> bool:
        cued = self.strong >= 1 or self.fair >= 2 or (self.fair == 1 and self.mentions >= 3)
        capital = self.certain or self.strong >= 1
        return cued and capital and self.person - _THING_FACTOR * self.thing >= _ENOUGH


def extract_npcs(materials: Materials) -> JsonValue:
    """Return `{"npcs": [{"name", "source_refs"}]}` for the units of the transcript, best attested names first.

    The order matters where the reply is bounded: what is cut off then is the weakest.
    """
    scanned = scan(materials)
    by_key: dict[str, list[Mention]] = defaultdict(list)
    for mention in scanned.mentions:
        by_key[mention.key].append(mention)
    accepted = _accepted(by_key)
    # A capitalised cry of two hundred letters is no name.
    short = [(key, mentions) for key, mentions in by_key.items() if len(key) <= LONGEST_KEY]
    named = [(mentions, _strength(mentions)) for key, mentions in short if key in accepted]
    cited = [(mentions, strength) for mentions, strength in named if strength]
    cited.sort(key=lambda pair: (-pair[1].total(), min(pair[1])))
    return {"npcs": [_record(mentions, strength, scanned) for mentions, strength in cited]}


def _accepted(by_key: Mapping[str, Sequence[Mention]]) -> frozenset[str]:
    tallies = {key: _tally(mentions) for key, mentions in by_key.items()}
    fuller = _fuller_names(by_key)
    singular = {key.rpartition(" ")[2] for key in by_key}
    accepted = set()
    for key, tally in tallies.items():
        long = fuller.get(key)
        # Another name of the stretch with an "s" is a family, not a person.
        if key.endswith("s") and key[:-1] in singular:
            continue
        if tally.persuades() or (long is not None and _sum(tally, tallies[long]).persuades()):
            accepted.add(key)
            # "Oswin Hale" stands or falls with what "Oswin" does.
            if long is not None and tallies[long].thing <= tallies[long].person:
                accepted.add(long)
    return frozenset(accepted)


def _tally(mentions: Sequence[Mention]) -> _Tally:
    person = thing = 0.0
    strong = fair = 0
    said_by_gm = any(mention.narrated for mention in mentions)
    for mention in mentions:
        sure = said_by_gm or mention.evidence.best >= _STRONG
        weight = (1.0 if sure else _PLAYERS_ONLY) * (1.0 if mention.position is not None else _CONTEXT)
        person += weight * mention.evidence.person
        thing += weight * mention.evidence.thing
        strong += mention.evidence.best >= _STRONG
        fair += mention.evidence.best >= _FAIR
    return _Tally(person, thing, strong, fair, len(mentions), any(mention.certain for mention in mentions))


def _sum(one: _Tally, other: _Tally) -> _Tally:
    return _Tally(
        one.person + other.person,
        one.thing + other.thing,
        one.strong + other.strong,
        one.fair + other.fair,
        one.mentions + other.mentions,
        one.certain or other.certain,
    )


def _fuller_names(by_key: Mapping[str, Sequence[Mention]]) -> dict[str, str]:
    """Return for a single word the one longer name that starts with it, or its one titled form."""
    longer: dict[str, set[str]] = defaultdict(set)
    for key, mentions in by_key.items():
        first = mentions[0]
        if " " in first.core_key:
            longer[first.core_key.split()[0]].add(key)
        elif first.titled:
            longer[first.core_key].add(key)
    return {word: next(iter(keys)) for word, keys in longer.items() if len(keys) == 1 and word in by_key}


def _strength(mentions: Sequence[Mention]) -> Counter[int]:
    """Return how much each citable position that has the name says for it, in whole numbers."""
    strength: Counter[int] = Counter()
    for mention in mentions:
        if mention.position is not None:
            strength[mention.position] += 1 + round(10 * max(0.0, mention.evidence.person - mention.evidence.thing))
    return strength


def _record(mentions: Sequence[Mention], strength: Counter[int], scanned: Scan) -> JsonValue:
    spelling = Counter(mention.name for mention in mentions)
    name = min(spelling, key=lambda text: (-spelling[text], text))
    return {"name": name, "source_refs": cite(strength, scanned.units)}
