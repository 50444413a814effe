"""Where a stretch of transcript says the names of a list: whole words in the list's own spelling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from extraction.llm.rules.tokens import Word, words
from extraction.llm.rules.words import ABBREVIATIONS, NAME_PARTICLES, NOT_NAMES, PLACE_HEADS, TITLES

_ARTICLES = frozenset({"the", "a", "an"})
_ORDINARY = NOT_NAMES | PLACE_HEADS | TITLES | NAME_PARTICLES
_SHORTEST_PART = 3
_DEFINITE = frozenset({"the", "this", "that"})


@dataclass(frozen=True, slots=True)
class Said:
    """The words `first` to `last` of unit `at` say the name of these entries; several entries may share a name."""

    entries: tuple[int, ...]
    at: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Form:
    """A spelling. `part` says that it is a mere part of a longer name, `definite` that it stands after "the" alone."""

    words: tuple[Word, ...]
    entries: tuple[int, ...]
    part: bool = False
    definite: bool = False


class KnownNames:
    """Finds the names of a list. Case counts first: other capitals serve a name of several words found in no other way.

    With `refuses`, a list of people: a name's part means its one bearer, unless it is an ordinary word or refused.
    Without, a list of things: "the lamp" means the one thing whose name ends in "lamp".
    """

    def __init__(self, names: Sequence[str], refuses: Callable[[str], bool] | None = None) -> None:
        bearers: dict[tuple[str, ...], list[int]] = defaultdict(list)
        spelt: dict[tuple[str, ...], tuple[Word, ...]] = {}
        for number, name in enumerate(names):
            text = _without_article(words(name))
            if text:
                bearers[_keys(text)].append(number)
                spelt.setdefault(_keys(text), text)
        forms = [_Form(text, tuple(bearers[keys])) for keys, text in spelt.items()]
        forms += _heads(spelt, bearers) if refuses is None else _parts(spelt, bearers, refuses)
        self._by_start: dict[str, list[_Form]] = defaultdict(list)
        for form in sorted(forms, key=lambda form: (-len(form.words), form.part)):
            self._by_start[form.words[0].key].append(form)

    def find(self, texts: Sequence[Sequence[Word]]) -> list[Said]:
        """Return every place in the order of the texts, the longest name at each place."""
        strict = [said for at, text in enumerate(texts) for said in self._in_text(text, at, strict=True)]
        found = {entry for said in strict for entry in said.entries}
        taken = {(said.at, word) for said in strict for word in range(said.first, said.last + 1)}
        loose = [
            said
            for at, text in enumerate(texts)
            for said in self._in_text(text, at, strict=False)
            if found.isdisjoint(said.entries)
            and not any((at, word) in taken for word in range(said.first, said.last + 1))
        ]
        return sorted([*strict, *loose], key=lambda said: (said.at, said.first))

    def _in_text(self, text: Sequence[Word], at: int, *, strict: bool) -> Iterator[Said]:
        here = 0
        while here < len(text):
            form = next((f for f in self._by_start.get(text[here].key, ()) if _stands(f, text, here, strict)), None)
            if form is None:
                here += 1
                continue
            yield Said(form.entries, at, here, here + len(form.words) - 1)
            here += len(form.words)


def _parts(
    spelt: dict[tuple[str, ...], tuple[Word, ...]],
    bearers: dict[tuple[str, ...], list[int]],
    refuses: Callable[[str], bool],
) -> Iterator[_Form]:
    owners: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    written: dict[str, Word] = {}
    for keys, text in spelt.items():
        for word in text if len(text) > 1 else ():
            owners[word.key].add(keys)
            written.setdefault(word.key, word)
    for key, names in owners.items():
        word = written[key]
        usable = len(key) >= _SHORTEST_PART and word.capital and key not in _ORDINARY and not refuses(word.text)
        if usable and len(names) == 1 and (key,) not in spelt:
            (name,) = names
            yield _Form((word,), tuple(bearers[name]), part=True)


def _heads(
    spelt: dict[tuple[str, ...], tuple[Word, ...]], bearers: dict[tuple[str, ...], list[int]]
) -> Iterator[_Form]:
    owners: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    written: dict[str, Word] = {}
    for keys, text in spelt.items():
        for word in text:
            owners[word.key].add(keys)
        head = next((text[at - 1] for at in range(1, len(text)) if text[at].key == "of"), text[-1])
        if len(text) > 1:
            written.setdefault(head.key, head)
    for key, head in written.items():
        if len(owners[key]) == 1 and len(key) >= _SHORTEST_PART:
            (name,) = owners[key]
            yield _Form((head,), tuple(bearers[name]), part=True, definite=True)


def _stands(form: _Form, text: Sequence[Word], at: int, strict: bool) -> bool:
    end = at + len(form.words)
    if end > len(text) or (not strict and len(form.words) == 1):
        return False
    if form.definite and not (at and text[at].gap == " " and text[at - 1].key in _DEFINITE):
        return False
    for offset, wanted in enumerate(form.words):
        word = text[at + offset]
        if word.key != wanted.key or (strict and wanted.capital and word.text != wanted.text):
            return False
        if offset + 1 < len(form.words) and word.clitic != wanted.clitic:
            return False
        if offset and word.opens and text[at + offset - 1].key not in ABBREVIATIONS:
            return False
    return len(form.words) > 1 or not form.words[0].capital or not _within_longer_name(text, at)


def _within_longer_name(text: Sequence[Word], at: int) -> bool:
    """Whether a single capitalised word is a piece of a longer name: "Wick" in "Wick Street" and in "Bo Wick"."""
    after = text[at + 1] if at + 1 < len(text) else None
    if after is not None and after.gap == " " and after.capital and not after.shouted and after.key != "i":
        return True
    before = text[at - 1] if at else None
    return (
        before is not None
        and text[at].gap == " "
        and before.capital
        and not before.clitic
        and before.key not in NOT_NAMES
        and before.key not in TITLES
    )


def _without_article(text: tuple[Word, ...]) -> tuple[Word, ...]:
    return text[1:] if len(text) > 1 and text[0].key in _ARTICLES else text


def _keys(text: Sequence[Word]) -> tuple[str, ...]:
    return tuple(word.key + word.clitic for word in text)
