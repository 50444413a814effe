"""Answer "dnd/npcs.reconcile": records that evidently name one person. In doubt, none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from extraction.canonical import JsonValue
from extraction.identity import comparison_key
from extraction.llm.rules import materials as given
from extraction.llm.rules.materials import Materials
from extraction.llm.rules.person_names import PersonName, parse
from extraction.llm.rules.speakers import TableNames
from extraction.llm.rules.tokens import Word, words
from extraction.llm.rules.words import FEMALE_TITLES, HE_WORDS, MALE_TITLES, SHE_WORDS

# Words that set two people side by side: "Bo and Bo the druid".
_SIDE_BY_SIDE = frozenset(
    {"and", "or", "nor", "with", "versus", "not", "than", "beside", "but", "to", "both", "neither"}
)
_PRONOUN_REACH = 10


@dataclass(frozen=True, slots=True)
class _Offered:
    """A candidate whose name no other candidate shares. `words` are the keys of the name as it stands in text."""

    name: str
    parts: PersonName
    words: tuple[str, ...]
    citations: int


def reconcile_npcs(materials: Materials) -> JsonValue:
    """Return `{"duplicate_groups": [{"members", "canonical"}]}`; groups share no member."""
    offered = _offered(materials)
    texts = [words(shown.unit.text) for shown in given.window_units(materials)]
    said = _SaidInWindows(texts)
    pairs = [pair for pair in _pairs(offered, said) if not said.side_by_side(*pair)]
    groups = [group for group in _connected(offered, pairs) if _coherent(group, said)]
    return {"duplicate_groups": [_group(group) for group in groups]}


def _offered(materials: Materials) -> list[_Offered]:
    candidates = given.candidates(materials)
    shared = Counter(comparison_key(candidate.name) for candidate in candidates)
    table = TableNames(materials, ())
    found = []
    for candidate in candidates:
        parts = parse(candidate.name)
        if shared[comparison_key(candidate.name)] == 1 and parts.core and not table.refuses(candidate.name):
            keys = tuple(word.key for word in words(candidate.name))
            found.append(_Offered(candidate.name, parts, keys, candidate.citations))
    return found


def _pairs(offered: Sequence[_Offered], said: _SaidInWindows) -> list[tuple[_Offered, _Offered]]:
    """Return the pairs (shorter, fuller) that one of the rules joins, each rule refusing what has a competitor."""
    by_word: dict[str, list[_Offered]] = defaultdict(list)
    for candidate in offered:
        for key in dict.fromkeys(candidate.parts.core):
            by_word[key].append(candidate)
    found: list[tuple[_Offered, _Offered]] = []
    for short in offered:
        kin = [other for other in by_word[short.parts.core[-1]] if other is not short]
        for rule in (_same_core, _first_name, _title_and_surname, _surname):
            found += [(short, full) for full in rule(short, kin, said)]
    return found


def _same_core(short: _Offered, kin: Sequence[_Offered], said: _SaidInWindows) -> list[_Offered]:
    """Join "X" with "Captain X" or "X the druid"; "X" with two different fuller forms is in doubt."""
    forms = [other for other in kin if other.parts.core == short.parts.core]
    if short.parts.titles or short.parts.descriptor:
        # Spelled alike but for a stop: "Dr X" and "Dr. X".
        return [other for other in forms if other.parts == short.parts]
    descriptors = {other.parts.descriptor for other in forms if other.parts.descriptor}
    titles = {other.parts.titles for other in forms if other.parts.titles}
    # "Captain Reed" beside "Ada Reed": the bare "Reed" may be either.
    rivals = any(len(other.parts.core) > 1 and other.parts.core[0] != short.parts.core[0] for other in kin)
    if len(short.parts.core) == 1 and (len(titles) > 1 or (rivals and titles) or (descriptors and _longer(kin))):
        return []
    if len(descriptors) > 1:
        return []
    return forms


def _first_name(short: _Offered, kin: Sequence[_Offered], said: _SaidInWindows) -> list[_Offered]:
    """Join "X" or "Captain X" with the one "X Y" there is; not where an "X the druid" may be another X."""
    longer = _longer(kin)
    described = any(other.parts.descriptor for other in (short, *kin) if len(other.parts.core) == 1)
    if len(short.parts.core) != 1 or described or len({other.parts.core for other in longer}) != 1:
        return []
    if longer[0].parts.core[0] != short.parts.core[0]:
        return []
    return [other for other in longer if not _contradict(short, other)]


def _title_and_surname(short: _Offered, kin: Sequence[_Offered], said: _SaidInWindows) -> list[_Offered]:
    """Join "Lord Y" with "Lord X Y"; with "X Y" only if nobody else is named Y and no pronoun objects."""
    surname = short.parts.core[-1]
    if len(short.parts.core) != 1 or not short.parts.titles:
        return []
    bearers = [other for other in _longer(kin) if other.parts.core[-1] == surname]
    same_title = [other for other in bearers if other.parts.titles and other.parts.titles[-1] == short.parts.titles[-1]]
    if same_title:
        return same_title if len({other.parts.core for other in same_title}) == 1 else []
    others = [other for other in kin if other not in bearers and other.parts.titles]
    if others or len({other.parts.core for other in bearers}) != 1:
        return []
    gender = short.parts.gender
    if gender is not None and any(said.gender(other) not in {gender, None} for other in bearers):
        return []
    return [other for other in bearers if not _contradict(short, other)]


def _surname(short: _Offered, kin: Sequence[_Offered], said: _SaidInWindows) -> list[_Offered]:
    """Join "Y" with the one "X Y" there is, if every "Lord Y" is evidently X too."""
    bearers = _longer(kin)
    if len(short.parts.core) != 1 or short.parts.titles or len({other.parts.core for other in bearers}) != 1:
        return []
    titled = [other for other in kin if other not in bearers]
    settled = all(_title_and_surname(other, [one for one in kin if one is not other], said) for other in titled)
    return bearers if settled and bearers[0].parts.core[-1] == short.parts.core[0] else []


def _longer(kin: Sequence[_Offered]) -> list[_Offered]:
    """Return the names of two words or more, titles and descriptors not counted."""
    return [other for other in kin if len(other.parts.core) > 1]


def _contradict(one: _Offered, other: _Offered) -> bool:
    """Whether titles speak against one person: two genders, or two unlike titles unless the full names are equal."""
    if len({one.parts.gender, other.parts.gender} - {None}) > 1:
        return True
    same_full_name = len(one.parts.core) > 1 and one.parts.core == other.parts.core
    titled = bool(one.parts.titles and other.parts.titles)
    return titled and not same_full_name and set(one.parts.titles).isdisjoint(other.parts.titles)


def _connected(offered: Sequence[_Offered], pairs: Sequence[tuple[_Offered, _Offered]]) -> list[list[_Offered]]:
    """Return the groups of two or more that the pairs connect, in the order of their first members."""
    parent = {candidate: candidate for candidate in offered}

    def root(candidate: _Offered) -> _Offered:
        while parent[candidate] is not candidate:
            parent[candidate] = parent[parent[candidate]]
            candidate = parent[candidate]
        return candidate

    for one, other in pairs:
        parent[root(other)] = root(one)
    groups: dict[_Offered, list[_Offered]] = defaultdict(list)
    for candidate in offered:
        groups[root(candidate)].append(candidate)
    return [group for group in groups.values() if len(group) > 1]


def _coherent(group: Sequence[_Offered], said: _SaidInWindows) -> bool:
    """Whether the members can all be one person: one first name, titles that agree, never side by side in a unit."""
    firsts = {member.parts.core[0] for member in group if len(member.parts.core) > 1}
    return len(firsts) <= 1 and not any(
        _contradict(one, other) or said.side_by_side(one, other) for one, other in combinations(group, 2)
    )


def _group(members: Sequence[_Offered]) -> JsonValue:
    # The canonical name stands first, so that a bounded reply keeps it.
    ordered = sorted(members, key=_completeness)
    descriptors: list[JsonValue] = [{"name": member.name, "source_refs": []} for member in ordered]
    return {"members": descriptors, "canonical": descriptors[0]}


def _completeness(member: _Offered) -> tuple[bool, int, int, int, str]:
    """Sort key: the fullest proper name without descriptor first, then the most often cited one.

    A full name is complete without its title, which may change; a single word is fuller with it.
    """
    parts = member.parts
    titles = len(parts.titles) if len(parts.core) > 1 else -len(parts.titles)
    return bool(parts.descriptor), -len(parts.core), titles, -member.citations, member.name


class _SaidInWindows:
    """What the windows say of names: who stands beside whom, and which pronouns follow."""

    def __init__(self, texts: Sequence[Sequence[Word]]) -> None:
        self._texts = texts
        self._with_word: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(texts):
            for key in {word.key for word in text}:
                self._with_word[key].append(at)

    def side_by_side(self, one: _Offered, other: _Offered) -> bool:
        """Whether a unit names both as two people: "Bo and Bo the druid"."""
        shared = sorted(set(self._with_word[one.words[0]]) & set(self._with_word[other.words[0]]))
        return any(_joined(self._texts[at], one.words, other.words) for at in shared)

    def gender(self, name: _Offered) -> str | None:
        """Return "m" or "f" where the pronouns soon after the name clearly lean one way, else None."""
        he = she = 0
        for at in self._with_word[name.words[0]]:
            text = self._texts[at]
            for _, end in _places(text, name.words):
                following = text[end : end + _PRONOUN_REACH]
                he += any(word.key in HE_WORDS | MALE_TITLES for word in following)
                she += any(word.key in SHE_WORDS | FEMALE_TITLES for word in following)
        return "m" if he >= 2 * she + 1 else "f" if she >= 2 * he + 1 else None


def _places(text: Sequence[Word], keys: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the words of a name stand in a text, as (start, end)."""
    return [
        (at, at + len(keys))
        for at, word in enumerate(text)
        if word.key == keys[0]
        and all(a.key == b for a, b in zip(text[at : at + len(keys)], keys, strict=False))
        and at + len(keys) <= len(text)
    ]


def _joined(text: Sequence[Word], one: Sequence[str], other: Sequence[str]) -> bool:
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    long_places = _places(text, longer)
    for start, end in long_places:
        for from_, to in _places(text, shorter):
            if any(from_ < stop and begin < to for begin, stop in long_places):
                continue
            between = text[end:from_] if end <= from_ else text[to:start]
            if 1 <= len(between) <= 2 and any(word.key in _SIDE_BY_SIDE for word in between):
                return True
    return False
