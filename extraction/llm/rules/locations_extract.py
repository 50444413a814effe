"""Answer "dnd/locations.extract": the places that a stretch of transcript names, with where it names them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from extraction.canonical import JsonValue
from extraction.identity import comparison_key
from extraction.llm.rules import materials as given
from extraction.llm.rules.citing import cite
from extraction.llm.rules.cues import Setting, talks_of_outside
from extraction.llm.rules.glossary import Glossary
from extraction.llm.rules.materials import Materials
from extraction.llm.rules.mentions import seen_in_lower_case
from extraction.llm.rules.npcs_extract import extract_npcs
from extraction.llm.rules.place_words import HEADS, OTHERS
from extraction.llm.rules.places import FAIR, STRONG, PlaceMention, mention, place_spans
from extraction.llm.rules.speakers import TableNames, gm_keys, labels
from extraction.llm.rules.tokens import Word, words
from extraction.llm.rules.towns import Towns, TownSaid, may_be_town, talks_of_two

_ENOUGH = 1.5
_PLAYERS = 0.8
_CONTEXT = 0.5
_GLOSSARY_HINT = 0.5


@dataclass(frozen=True, slots=True)
class _Read:
    """The words of all units shown, in document order, with the mentions in them; `cited` may be cited."""

    texts: tuple[tuple[Word, ...], ...]
    mentions: tuple[PlaceMention, ...]
    cited: range


def extract_locations(materials: Materials) -> JsonValue:
    """Return `{"locations": [{"name", "source_refs"}]}` for the units of the transcript, best attested places first.

    A name is one record, unless the passage itself says that there are two places of the name: then one a town.
    """
    read = _read(materials)
    by_key: dict[str, list[PlaceMention]] = defaultdict(list)
    for said in read.mentions:
        by_key[said.key].append(said)
    people = _people(materials)
    accepted = {key: said for key, said in by_key.items() if _persuades(said, is_person=_belongs_to(key, people))}
    accepted = _with_short_forms(accepted, by_key)
    found = [
        (mentions, strength)
        for mentions in _told_apart(accepted, read)
        if (strength := Counter(said.at - read.cited.start for said in mentions if said.at in read.cited))
    ]
    found.sort(key=lambda pair: (-sum(said.score for said in pair[0]), min(pair[1])))
    units = given.transcript(materials)
    return {"locations": [{"name": _name(one), "source_refs": cite(strength, units)} for one, strength in found]}


def _read(materials: Materials) -> _Read:
    cited, (before, after) = given.transcript(materials), given.context_sides(materials)
    every = (*before, *cited, *after)
    citable = range(len(before), len(before) + len(cited))
    heard = Glossary(given.glossary(materials))
    texts = tuple(heard.mended(words(unit.text)) for unit in every)
    gm = gm_keys(materials, every)
    table = TableNames(materials, every)
    common = seen_in_lower_case(texts)
    found: list[PlaceMention] = []
    for at, (unit, text) in enumerate(zip(every, texts, strict=True)):
        said = labels(unit.speaker)
        narrated = not gm or not said or any(label in gm for label in said)
        weight = (1.0 if narrated else _PLAYERS) * (1.0 if at in citable else _CONTEXT)
        setting = Setting(text, narrated, talks_of_outside(text), table.is_table_word)
        mentions = (mention(span, setting, at, weight) for span in place_spans(text, common))
        found += (_hinted(one, heard) for one in mentions if one.headed or not table.refuses(one.name))
    return _Read(texts, tuple(found), citable)


def _hinted(said: PlaceMention, heard: Glossary) -> PlaceMention:
    """Return the mention with what it says for a name that the group wrote it down."""
    return replace(said, score=said.score + _GLOSSARY_HINT) if heard.is_term(said.name) else said


def _people(materials: Materials) -> frozenset[str]:
    """Return the keys of the people whom the rules for NPCs find here, and of the parts of their names."""
    reply = given.fields(extract_npcs(materials))
    names = [name for row in given.entries(reply.get("npcs")) if (name := given.text_of(given.fields(row).get("name")))]
    keys = {comparison_key(name) for name in names}
    return frozenset(keys | {part for key in keys for part in key.split()})


def _belongs_to(key: str, people: frozenset[str]) -> bool:
    """Whether the name is a person's, or that of something a person has."""
    return key in people or key.split()[0].removesuffix("'s") in people


def _persuades(mentions: Sequence[PlaceMention], *, is_person: bool) -> bool:
    cues = [said.cue for said in mentions]
    strong = any(cue >= STRONG for cue in cues)
    fair = sum(cue >= FAIR for cue in cues)
    headed = mentions[0].headed
    if is_person and not strong and not headed:
        return False
    sure = strong or any(said.certain for said in mentions)
    return sure and (headed or strong or fair > 0) and sum(said.score for said in mentions) >= _ENOUGH


def _with_short_forms(
    accepted: Mapping[str, list[PlaceMention]], by_key: Mapping[str, list[PlaceMention]]
) -> dict[str, list[PlaceMention]]:
    """Return the accepted names with what is said of "the Heron" counted for the one "Patient Heron" there is."""
    longer: dict[str, set[str]] = defaultdict(set)
    for key in accepted:
        if " " in key:
            longer[key.rpartition(" ")[2]].add(key)
    full = dict(accepted)
    for short, names in longer.items():
        said = [one for one in by_key.get(short, ()) if one.article]
        if len(names) == 1 and said and short not in HEADS:
            (name,) = names
            full[name] = sorted([*full[name], *said], key=lambda one: (one.at, one.first))
            full.pop(short, None)
    return full


def _told_apart(accepted: Mapping[str, list[PlaceMention]], read: _Read) -> Iterator[Sequence[PlaceMention]]:
    """Yield the mentions of each place, two places of one name apart where the passage talks of two."""
    towns = [
        TownSaid(key, said.at, said.first, said.last)
        for key, mentions in accepted.items()
        if may_be_town(key) and 2 * sum(said.article for said in mentions) <= len(mentions)
        for said in mentions
    ]
    current = Towns(towns, read.texts)
    for key, mentions in accepted.items():
        if not talks_of_two(key, read.texts):
            yield mentions
            continue
        by_town: dict[tuple[str | None, bool], list[PlaceMention]] = defaultdict(list)
        for said in mentions:
            other = said.first > 0 and read.texts[said.at][said.first - 1].key in OTHERS
            by_town[current.of(key, said.at, said.first, said.last), other].append(said)
        yield from by_town.values()


def _name(mentions: Sequence[PlaceMention]) -> str:
    spelling = Counter(said.name for said in mentions)
    return min(spelling, key=lambda name: (-len(name.split()), -spelling[name], name))
