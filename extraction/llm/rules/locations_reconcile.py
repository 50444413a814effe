"""Answer "dnd/locations.reconcile": records of one name that are one place, as far as nothing speaks of two."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.identity import comparison_key
from extraction.llm.rules import materials as given
from extraction.llm.rules.glossary import Glossary
from extraction.llm.rules.materials import Candidate, Materials
from extraction.llm.rules.place_words import FRONT_HEADS, HEADS
from extraction.llm.rules.tokens import Word, words
from extraction.llm.rules.towns import Towns, TownSaid, may_be_town, name_keys, places_of, talks_of_two


@dataclass(frozen=True, slots=True)
class _Said:
    """A name said as the words from `first` on of unit `at` of the windows; `article` where "the" stands before."""

    at: int
    first: int
    article: bool


def reconcile_locations(materials: Materials) -> JsonValue:
    """Return `{"duplicate_groups": [{"members", "canonical"}]}`; groups share no member.

    Records of one name, and of a name and its short form, are one group as far as their windows are shown. Where the
    windows speak of two places of the name, only those are that lie in one and the same town by their own window.
    """
    candidates = given.candidates(materials)
    shared = Counter(comparison_key(candidate.name) for candidate in candidates)
    shown = _Shown(materials)
    buckets = _buckets(candidates, shown)
    towns = shown.towns(buckets)
    groups: list[JsonValue] = []
    for keys, members in buckets.items():
        if len(members) > 1:
            groups += (_group(group, shared) for group in _places(keys, members, shown, towns))
    return {"duplicate_groups": groups}


class _Shown:
    """The units of the windows, and where in them names are said."""

    def __init__(self, materials: Materials) -> None:
        heard = Glossary(given.glossary(materials))
        self.texts: list[tuple[Word, ...]] = []
        self._window_start: list[int] = []
        self._at: dict[int, int] = {}
        self._with_word: dict[str, list[int]] = defaultdict(list)
        for window in given.windows(materials):
            start = len(self.texts)
            for shown in window:
                text = heard.mended(words(shown.unit.text))
                self._at.setdefault(shown.unit.unit_id, len(self.texts))
                for key in {word.key for word in text}:
                    self._with_word[key].append(len(self.texts))
                self.texts.append(text)
                self._window_start.append(start)
        self._found: dict[tuple[str, ...], tuple[_Said, ...]] = {}

    def said(self, keys: tuple[str, ...]) -> tuple[_Said, ...]:
        """Return where the name is said, in the order of the windows."""
        if keys not in self._found:
            self._found[keys] = tuple(
                _Said(at, first, first > 0 and self.texts[at][first - 1].key == "the")
                for at in self._units_with(keys)
                for first in places_of(self.texts[at], keys)
            )
        return self._found[keys]

    def _units_with(self, keys: Sequence[str]) -> list[int]:
        ends = {*self._with_word.get(keys[-1], ()), *self._with_word.get(keys[-1] + "s", ())}
        return sorted(ends)

    def talks_of_two(self, keys: Sequence[str]) -> bool:
        return talks_of_two(" ".join(keys), (self.texts[at] for at in self._units_with(keys)))

    def towns(self, names: Iterable[tuple[str, ...]]) -> Towns:
        found = [
            TownSaid(" ".join(keys), one.at, one.first, one.first + len(keys) - 1)
            for keys in names
            if may_be_town(" ".join(keys)) and 2 * sum(one.article for one in self.said(keys)) <= len(self.said(keys))
            for one in self.said(keys)
        ]
        return Towns(found, self.texts)

    def cited(self, candidate: Candidate) -> list[range]:
        """Return which units of the windows the candidate cites, as far as they are shown."""
        spans = ((self._at.get(start), self._at.get(end)) for start, end in candidate.ranges)
        return [range(start, end + 1) for start, end in spans if start is not None and end is not None]

    def since(self, at: int) -> int:
        """Return the first unit of the window that unit `at` stands in."""
        return self._window_start[at]


def _buckets(candidates: Sequence[Candidate], shown: _Shown) -> dict[tuple[str, ...], list[Candidate]]:
    """Return the candidates by the words of their names, a short form with its one full name."""
    found: dict[tuple[str, ...], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if keys := name_keys(candidate.name):
            found[keys].append(candidate)
    longer: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for keys in found:
        if len(keys) > 1:
            longer[keys[-1]].append(keys)
    for keys in [keys for keys in found if len(keys) == 1]:
        full = longer.get(keys[0], [])
        said = shown.said(keys)
        short = keys[0] not in HEADS and bool(said) and all(one.article or _inside(one, full, shown) for one in said)
        if len(full) == 1 and short and full[0][0] not in FRONT_HEADS | HEADS:
            found[full[0]] += found.pop(keys)
    return found


def _inside(one: _Said, full: Sequence[tuple[str, ...]], shown: _Shown) -> bool:
    """Whether the word stands inside the full name there."""
    text = shown.texts[one.at]
    return any(
        tuple(word.key for word in text[max(0, one.first - len(keys) + 1) : one.first]) == keys[:-1] for keys in full
    )


def _places(
    keys: tuple[str, ...], members: Sequence[Candidate], shown: _Shown, towns: Towns
) -> Iterator[Sequence[Candidate]]:
    """Yield the groups of two or more records that are one place. Who has no window shown is in none."""
    members = [member for member in members if shown.cited(member)]
    name = " ".join(keys)
    said = shown.said(keys)
    named_with = {towns.named_with(name, one.at, one.first, one.first + len(keys) - 1) for one in said} - {None}
    if len(named_with) < 2 and not shown.talks_of_two(keys):
        yield from [members] if len(members) > 1 else []
        return
    by_unit: dict[int, list[_Said]] = defaultdict(list)
    for one in said:
        by_unit[one.at].append(one)
    by_town: dict[str, list[Candidate]] = defaultdict(list)
    for member in members:
        lies_in = {
            towns.of(name, one.at, one.first, one.first + len(keys) - 1, shown.since(one.at))
            for cited in shown.cited(member)
            for at in cited
            for one in by_unit.get(at, ())
        }
        if len(lies_in) == 1 and (town := lies_in.pop()) is not None:
            by_town[town].append(member)
    yield from (group for group in by_town.values() if len(group) > 1)


def _group(members: Sequence[Candidate], shared: Mapping[str, int]) -> JsonValue:
    # The canonical name stands first, so that a bounded reply keeps it.
    ordered = sorted(members, key=lambda member: (-len(name_keys(member.name)), -member.citations, member.name))
    descriptors = [_descriptor(member, shared) for member in ordered]
    return {"members": descriptors, "canonical": descriptors[0]}


def _descriptor(member: Candidate, shared: Mapping[str, int]) -> JsonValue:
    """Return the name alone where it says which record is meant, else the name with all its ranges."""
    refs: list[JsonValue] = []
    if shared[comparison_key(member.name)] > 1:
        refs = [{"start_unit_id": start, "end_unit_id": end} for start, end in member.ranges]
    return {"name": member.name, "source_refs": refs}
