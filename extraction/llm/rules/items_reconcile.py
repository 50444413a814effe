"""Answer "dnd/items.reconcile": records that evidently mean one thing. In doubt, none."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.identity import comparison_key
from extraction.llm.rules import materials as given
from extraction.llm.rules.glossary import Glossary
from extraction.llm.rules.materials import Materials
from extraction.llm.rules.thing_words import CALLED, THINGS
from extraction.llm.rules.tokens import Word, words

_ARTICLES = frozenset({"the", "a", "an"})
_MORE = frozenset({"another", "other", "two", "both", "second", "three", "different"})
_REACH = 12


@dataclass(frozen=True, slots=True)
class _Offered:
    """A candidate whose name no other candidate shares; `keys` are the words of the name without an article."""

    name: str
    keys: tuple[str, ...]
    citations: int

    @property
    def head(self) -> str:
        return self.keys[-1]


def reconcile_items(materials: Materials) -> JsonValue:
    """Return `{"duplicate_groups": [{"members", "canonical"}]}`; groups share no member.

    Two names are joined where one is the other with words left out and no third thing of the kind is about, and where
    the windows give a described thing its name ("the dagger is called Sorrow").
    """
    offered = _offered(materials)
    heard = Glossary(given.glossary(materials))
    texts = [heard.mended(words(shown.unit.text)) for shown in given.window_units(materials)]
    of_kind: dict[str, list[_Offered]] = defaultdict(list)
    for candidate in offered:
        of_kind[candidate.head].append(candidate)
    several = _spoken_of_as_several(texts)
    used: set[str] = set()
    groups: list[JsonValue] = []
    for short, full in [*_named(offered, of_kind, texts), *_shortened(of_kind)]:
        if {short.name, full.name} & used or short.head in several:
            continue
        used |= {short.name, full.name}
        members: list[JsonValue] = [{"name": one.name, "source_refs": []} for one in (full, short)]
        groups.append({"members": members, "canonical": members[0]})
    return {"duplicate_groups": groups}


def _offered(materials: Materials) -> list[_Offered]:
    candidates = given.candidates(materials)
    shared = Counter(comparison_key(candidate.name) for candidate in candidates)
    found = []
    for candidate in candidates:
        keys = tuple(word.key for word in words(candidate.name))
        keys = keys[1:] if len(keys) > 1 and keys[0] in _ARTICLES else keys
        if keys and shared[comparison_key(candidate.name)] == 1:
            found.append(_Offered(candidate.name, keys, candidate.citations))
    return found


def _shortened(of_kind: dict[str, list[_Offered]]) -> Iterator[tuple[_Offered, _Offered]]:
    """Yield ("lantern", "cracked blue lantern") where these two are all there is of the kind.

    Things that share what they do ("ring of warmth") are of a kind by their first word, and never shortened.
    """
    for kind in of_kind.values():
        if len(kind) == 2:
            short, full = sorted(kind, key=lambda one: len(one.keys))
            if len(short.keys) < len(full.keys) and _within(short.keys, full.keys) and "of" not in full.keys:
                yield short, full


def _within(short: Sequence[str], full: Sequence[str]) -> bool:
    """Whether the words of the short name stand in the full one in that order."""
    rest = iter(full)
    return all(key in rest for key in short)


def _named(
    offered: Sequence[_Offered], of_kind: dict[str, list[_Offered]], texts: Sequence[Sequence[Word]]
) -> Iterator[tuple[_Offered, _Offered]]:
    """Yield (what is described, its name) where a unit says "the blade is called Morrow" of the one blade there is."""
    names: dict[str, list[_Offered]] = defaultdict(list)
    for candidate in offered:
        if candidate.name[0].isupper():
            names[candidate.keys[0]].append(candidate)
    for text in texts:
        for at, word in enumerate(text):
            if word.key not in CALLED:
                continue
            name = _name_at(text, at + 1, names)
            kinds = {one.key for one in text[max(0, at - _REACH) : at] if one.key in THINGS and one.key in of_kind}
            if name is not None and len(kinds) == 1 and len(of_kind[kind := kinds.pop()]) == 1:
                described = of_kind[kind][0]
                if described is not name and not described.name[0].isupper():
                    yield described, name


def _name_at(text: Sequence[Word], at: int, names: dict[str, list[_Offered]]) -> _Offered | None:
    at += at < len(text) and text[at].key in _ARTICLES
    for candidate in names.get(text[at].key, ()) if at < len(text) else ():
        if tuple(word.key for word in text[at : at + len(candidate.keys)]) == candidate.keys:
            return candidate
    return None


def _spoken_of_as_several(texts: Sequence[Sequence[Word]]) -> frozenset[str]:
    """Return the kinds of which the windows speak as of more than one: "another key", "both blades"."""
    found: set[str] = set()
    for text in texts:
        for at, word in enumerate(text):
            if word.key in _MORE:
                following = [one.key for one in text[at + 1 : at + 4]]
                found |= {key for key in (*following, *(key.removesuffix("s") for key in following)) if key in THINGS}
    return frozenset(found)
