"""Answer "dnd/items.extract": the particular things that a stretch of transcript names, with where it names them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.identity import comparison_key
from extraction.llm.rules import materials as given
from extraction.llm.rules.citing import LONGEST_KEY, cite
from extraction.llm.rules.glossary import Glossary
from extraction.llm.rules.materials import Materials
from extraction.llm.rules.speakers import TableNames, gm_keys, labels
from extraction.llm.rules.thing_words import (
    ARTICLES,
    CALLED,
    DEFINITE,
    DENYING,
    EFFECTS,
    FINDING,
    GIVING,
    KEEPSAKES,
    MAGIC_HEADS,
    NAMED_KINDS,
    PLAIN,
    SPELLS_LIKE_THINGS,
    TABLE_THINGS,
    THINGS,
    VAGUE,
)
from extraction.llm.rules.tokens import Word, words
from extraction.llm.rules.words import (
    FUNCTION_WORDS,
    INTERJECTIONS,
    NOT_NAMES,
    PUBLIC_CULTURE_CUES,
    SPELL_WORDS,
    VERB_FORMS,
)

_MOST_MODIFIERS = 3
_CUE_REACH = 5
_ENOUGH = 1.5
_PLAYERS = 0.75
# What a further mention is worth, and the most that one place may say for a thing without any word about it.
_AGAIN, _MOST_AT_ONCE = 0.4, 1.2
_BREAKS = FUNCTION_WORDS | VERB_FORMS | INTERJECTIONS
# A mirror may show things, and a band may be of gold.
_OUTSIDE = PUBLIC_CULTURE_CUES - {"show", "song", "band", "album"}
_SUPPOSING = frozenset({"if", "imagine", "wish", "would", "could"})


@dataclass(frozen=True, slots=True)
class _Thing:
    """A possible item: words `first` to `last` of unit `at`, and how much its place says for it."""

    name: str
    keys: tuple[str, ...]
    at: int
    score: float


@dataclass(frozen=True, slots=True)
class _Line:
    at: int
    text: Sequence[Word]
    weight: float

    def written(self, first: int, last: int) -> str:
        inner = (self.text[at].text + self.text[at].clitic for at in range(first, last))
        return " ".join((*inner, self.text[last].text))

    def thing(self, first: int, last: int, score: float) -> _Thing:
        keys = tuple(word.key for word in self.text[first : last + 1])
        return _Thing(self.written(first, last), keys, self.at, score * self.weight)


def extract_items(materials: Materials) -> JsonValue:
    """Return `{"items": [{"name", "source_refs"}]}` for the units of the transcript, best attested things first."""
    units = given.transcript(materials)
    heard = Glossary(given.glossary(materials))
    texts = [heard.mended(words(unit.text)) for unit in units]
    gm = gm_keys(materials, units)
    table = TableNames(materials, units)
    found: dict[tuple[str, ...], list[_Thing]] = defaultdict(list)
    for at, (unit, text) in enumerate(zip(units, texts, strict=True)):
        said = labels(unit.speaker)
        narrated = not gm or not said or any(label in gm for label in said)
        line = _Line(at, text, 0.0 if _idle(text) else 1.0 if narrated else _PLAYERS)
        for thing in _things(line, table):
            if len(comparison_key(thing.name)) <= LONGEST_KEY and not table.refuses(thing.name):
                found[thing.keys].append(thing)
    accepted = {keys: things for keys, things in found.items() if sum(thing.score for thing in things) >= _ENOUGH}
    said_at = _said_at(accepted, texts)
    kept = [keys for keys in accepted if said_at[keys]]
    kept.sort(key=lambda keys: (-sum(thing.score for thing in accepted[keys]), min(said_at[keys]), keys))
    return {"items": [{"name": _name(accepted[keys]), "source_refs": cite(said_at[keys], units)} for keys in kept]}


def _idle(text: Sequence[Word]) -> bool:
    """Whether a unit talks of the world outside or only supposes something."""
    outside = any(word.key in _OUTSIDE for word in text)
    return outside or any(word.key in TABLE_THINGS for word in text) or _supposes(text)


def _supposes(text: Sequence[Word]) -> bool:
    return len(text) > 1 and any(word.key == "if" for word in text[:2]) and any(w.key in _SUPPOSING for w in text[2:])


def _things(line: _Line, table: TableNames) -> Iterator[_Thing]:
    """Yield the possible items of a unit; the words of one are not offered a second time."""
    at = 0
    while at < len(line.text):
        thing, after = next(
            (
                (found, end)
                for rule in (_magic, _kind, _titled, _baptised, _heirloom, _singled_out, _kept)
                if (pair := rule(line, at, table)) is not None
                for found, end in (pair,)
            ),
            (None, at + 1),
        )
        if thing is not None:
            yield thing
        at = after


_Found = tuple[_Thing, int]


def _magic(line: _Line, at: int, table: TableNames) -> _Found | None:
    """As in "greater potion of healing", "Cloak of the Deep", "scroll of hold person"."""
    text = line.text
    if text[at].key not in MAGIC_HEADS or at + 2 >= len(text) or text[at + 1].text != "of":
        return None
    first = at + 3 if text[at + 2].key == "the" else at + 2
    end = first
    while end < len(text) and end - first < _MOST_MODIFIERS and text[end].gap == " " and _does(text[end], text[at]):
        end += 1
    is_spell = tuple(word.key for word in text[at:end]) in SPELLS_LIKE_THINGS
    return (line.thing(at, end - 1, 3.0), end) if end > first and not is_spell else None


def _does(word: Word, head: Word) -> bool:
    effect = word.key in EFFECTS or (head.key in {"scroll", "scrolls", "wand", "staff"} and word.key in SPELL_WORDS)
    return effect or (word.capital and not word.shouted and word.key not in _BREAKS)


def _kind(line: _Line, at: int, table: TableNames) -> _Found | None:
    """As in "immovable rod"."""
    for size in (2, 3, 4):
        keys = tuple(word.key for word in line.text[at : at + size])
        if len(keys) == size and keys in NAMED_KINDS:
            return line.thing(at, at + size - 1, 3.0), at + size
    return None


def _titled(line: _Line, at: int, table: TableNames) -> _Found | None:
    """As in "the Dawn Blade": capitals inside a sentence that end in a word for a thing."""
    text = line.text
    end = at
    while end < len(text) and _capital(text[end]) and (end == at or text[end].gap == " ") and end - at < 4:
        end += 1
        if end - at > 1 and text[end - 1].key in THINGS and not text[at].opens:
            plain = all(word.key in NOT_NAMES for word in text[at : end - 1])
            return (line.thing(at, end - 1, 1.2 if plain else 2.5), end)
    return None


def _baptised(line: _Line, at: int, table: TableNames) -> _Found | None:
    """As in "a dagger called Sorrow", "it's called the Honest Glass"; the name is the item's."""
    text = line.text
    if text[at].key not in CALLED or at == 0 or at + 1 >= len(text):
        return None
    first = at + 2 if text[at + 1].key in {"the", "a"} else at + 1
    end = first
    while end < len(text) and _capital(text[end]) and text[end].gap == " " and end - first < 4:
        end += 1
    if end == first:
        return None
    of_thing = any(word.key in THINGS for word in text[max(0, at - 3) : at])
    in_sight = any(word.key in THINGS for word in text[max(0, at - 12) : at + 1]) and text[at - 1].key in {"it", "is"}
    return (line.thing(first, end - 1, 3.0), end) if of_thing or in_sight else None


def _heirloom(line: _Line, at: int, table: TableNames) -> _Found | None:
    """As in "Ebba's compass", not what the party's people carry anyway."""
    text = line.text
    if at + 1 >= len(text) or not _capital(text[at]) or text[at].clitic != "'s" or table.is_table_word(text[at].key):
        return None
    owned = text[at + 1]
    if owned.key not in THINGS or owned.gap != " " or text[at].key in NOT_NAMES:
        return None
    return line.thing(at, at + 1, 1.0 + _cued(line, at)), at + 2


def _singled_out(line: _Line, at: int, table: TableNames) -> _Found | None:
    """As in "you find a cracked blue lantern": a cue, an article, what is special about it, and a word for a thing."""
    text = line.text
    if text[at].key not in ARTICLES:
        return None
    end = at + 1
    while end < len(text) and end - at <= _MOST_MODIFIERS + 1 and text[end].gap in {" ", ", "}:
        word = text[end]
        if word.key in _BREAKS or word.capital or word.clitic:
            return None
        end += 1
        follows = text[end] if end < len(text) and text[end].gap == " " else None
        compound = follows is not None and follows.key in THINGS
        if word.key in THINGS - VAGUE and not compound:
            special = [one.key for one in text[at + 1 : end - 1] if one.key not in PLAIN]
            return (line.thing(at + 1, end - 1, 0.7 + _cued(line, at)), end) if special else None
    return None


def _kept(line: _Line, at: int, table: TableNames) -> _Found | None:
    """As in "you find a ledger", "the ledger": a cue and then talk of it again is enough, neither is alone."""
    text = line.text
    if text[at].key not in ARTICLES or at + 1 >= len(text) or text[at + 1].gap != " ":
        return None
    word = text[at + 1]
    goes_on = at + 2 < len(text) and text[at + 2].gap == " " and (text[at + 2].key in THINGS | {"of"})
    if word.key not in KEEPSAKES or word.capital or word.clitic or goes_on:
        return None
    said = _AGAIN if text[at].key in DEFINITE else 0.0
    return line.thing(at + 1, at + 1, min(_MOST_AT_ONCE, said + _cued(line, at))), at + 2


def _cued(line: _Line, at: int) -> float:
    """Return what the words before say: something is found, handed over, or shown to be there."""
    before = [word.key for word in line.text[max(0, at - _CUE_REACH) : at]]
    if any(key in DENYING or key.endswith("n't") for key in before):
        return 0.0
    if any(key in GIVING for key in before):
        return 1.5
    if any(key in FINDING for key in before):
        return 1.3
    shown = before[-1:] in (["there"], ["is"]) or before[-2:] in (["there", "is"], ["there", "are"])
    return 1.3 if shown else 0.0


def _capital(word: Word) -> bool:
    return word.capital and len(word.text) > 1 and not word.shouted and word.key not in _BREAKS


def _said_at(
    accepted: Mapping[tuple[str, ...], Sequence[_Thing]], texts: Sequence[Sequence[Word]]
) -> dict[tuple[str, ...], Counter[int]]:
    """Return at which units the words of each accepted name stand, and how strongly."""
    by_first: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for keys in sorted(accepted):
        by_first[keys[0]].append(keys)
    found: dict[tuple[str, ...], Counter[int]] = {keys: Counter() for keys in accepted}
    for at, text in enumerate(texts):
        for start, word in enumerate(text):
            for keys in by_first.get(word.key, ()):
                if tuple(one.key for one in text[start : start + len(keys)]) == keys and _alike(keys, accepted, word):
                    found[keys][at] += 1
    for keys, things in accepted.items():
        for thing in things:
            found[keys][thing.at] += round(thing.score)
    return found


def _alike(keys: tuple[str, ...], accepted: Mapping[tuple[str, ...], Sequence[_Thing]], word: Word) -> bool:
    """Whether a single word is written as the name is: "Sorrow" is no sorrow."""
    return len(keys) > 1 or word.capital == accepted[keys][0].name[0].isupper()


def _name(things: Sequence[_Thing]) -> str:
    spelling = Counter(thing.name for thing in things)
    return min(spelling, key=lambda name: (-spelling[name], comparison_key(name), name))
