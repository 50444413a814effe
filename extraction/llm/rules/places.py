"""Capitalised names that may be places, and what the words around one say for that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from extraction.identity import comparison_key
from extraction.llm.rules.cues import Setting, weigh
from extraction.llm.rules.names import Span
from extraction.llm.rules.place_words import (
    FRONT_HEADS,
    HEADS,
    MOTION,
    NEARBY,
    REACHING,
    READS,
    REAL_PLACES,
    SIGNS,
    STAYING,
    TOWARDS,
    WITHIN,
)
from extraction.llm.rules.tokens import Word
from extraction.llm.rules.words import FUNCTION_WORDS, INTERJECTIONS, NOT_NAMES, TITLES, VERB_FORMS

# Words of a name, letters of a word: what is longer is a cry or noise.
_LONGEST, _LONGEST_WORD = 5, 30
_BREAKS = FUNCTION_WORDS | VERB_FORMS | INTERJECTIONS
_JOINTS = (("of",), ("of", "the"), ("on", "the"), ("by", "the"))
_SIGN_REACH = 6
# What a place of the players' own world, and talk of films and shows, take away.
_REAL, _OUTSIDE = 3.0, 1.0
STRONG, FAIR = 2.5, 1.2


@dataclass(frozen=True, slots=True)
class PlaceMention:
    """One place where a name is said: words `first` to `last` of unit `at`. `headed` names have a word for a place.

    `score` is what speaks for a place less what speaks for a person; `cue` the strongest thing said for a place.
    `article` says that "the" stands before it.
    """

    name: str
    key: str
    at: int
    first: int
    last: int
    headed: bool
    article: bool
    certain: bool
    score: float
    cue: float


def place_spans(text: Sequence[Word], common: Collection[str] = ()) -> Iterator[Span]:
    """Yield the runs of capitalised words that may name a place, possessives and "of" inside them included.

    `common` are keys that are seen in lower case elsewhere: a name is not made of them alone, unless a word for a
    place stands at its end ("Long Ford").
    """
    at = 0
    while at < len(text):
        end = _run_end(text, at)
        if end > at and (span := _trimmed(text, at, end, common)) is not None:
            yield span
        at = max(end, at + 1)


def mention(span: Span, setting: Setting, at: int, weight: float) -> PlaceMention:
    """Return the mention with what the words around it say."""
    name = written(setting.text, span)
    headed = _headed(setting.text, span)
    cue = max(_named(span, setting), _described(span, setting), _reached(span, setting))
    # The stronger reading holds: "walk to X" may be said of a person, "the town of X" may not.
    best = 0.0 if headed else weigh(span, setting).best
    person = best if best > max(cue, 1.0) else 0.0
    outside = 0.0 if REAL_PLACES.isdisjoint(comparison_key(name).split()) else _REAL
    outside += _OUTSIDE * (setting.outside and not headed)
    before = setting.before(span)
    return PlaceMention(
        name=name,
        key=comparison_key(name),
        at=at,
        first=span.first,
        last=span.last,
        headed=headed,
        article=before is not None and before.key == "the",
        certain=not setting.text[span.first].opens,
        score=weight * (cue + 1.5 * headed - 1.2 * person - outside),
        cue=cue,
    )


def written(text: Sequence[Word], span: Span) -> str:
    """Return the name as it is written, with the possessives inside it and without one at its end."""
    parts = []
    for at in range(span.first, span.last + 1):
        inner = at < span.last
        parts.append(text[at].text + text[at].clitic * inner + "'" * (inner and text[at + 1].gap.startswith("'")))
    return " ".join(parts)


def _run_end(text: Sequence[Word], start: int) -> int:
    """Return the position after the run that starts at `start`, or `start` if none does."""
    if not _may_start(text[start]):
        return start
    end = start + 1
    while end < len(text):
        if _may_follow(text, end):
            end += 1
        elif text[end - 1].key in HEADS and not text[end - 1].clitic and (joint := _joint(text, end)):
            end += joint + 1
        else:
            break
    return end


def _may_start(word: Word) -> bool:
    return _is_name_word(word) and word.key not in _BREAKS


def _is_name_word(word: Word) -> bool:
    if len(word.text) > _LONGEST_WORD:
        return False
    whole = not any(part[:1].islower() for part in word.text.split("-")[1:])
    return word.capital and len(word.text) > 1 and not word.shouted and whole


def _may_follow(text: Sequence[Word], at: int) -> bool:
    before = text[at - 1]
    joined = text[at].gap == " " or (text[at].gap == "' " and before.key.endswith("s"))
    return _is_name_word(text[at]) and joined and before.clitic in {"", "'s"} and not text[at].opens


def _joint(text: Sequence[Word], at: int) -> int:
    """Return how many small words join the words before `at` to a capitalised one after them; 0 if none do."""
    for joint in _JOINTS:
        end = at + len(joint)
        if tuple(word.text for word in text[at:end]) != joint or end >= len(text):
            continue
        if all(word.gap == " " for word in text[at : end + 1]) and _is_name_word(text[end]):
            return len(joint)
    return 0


def _trimmed(text: Sequence[Word], start: int, end: int, common: Collection[str]) -> Span | None:
    """Return the run as a name, without a sentence's first word where that is a common one, or None for no name."""

    def ordinary(word: Word) -> bool:
        return word.key in NOT_NAMES or word.key in common

    keys = [word.key for word in text[start:end]]
    if text[start].opens and ordinary(text[start]) and end - start > 1 and not _ends_in_head(keys[:2]):
        start += 1
    while start < end and not _is_name_word(text[start]):
        start += 1
    if start >= end or end - start > _LONGEST or text[start].key in TITLES:
        return None
    capitals = [word for word in text[start:end] if word.capital]
    plain = sum(ordinary(word) or word.key in HEADS for word in capitals)
    span = Span(start, start, end - 1, (), plain)
    if plain == len(capitals) and (not _headed(text, span) or text[end - 1].opens):
        return None
    return span


def _ends_in_head(keys: Sequence[str]) -> bool:
    return len(keys) > 1 and keys[-1] in HEADS


def _headed(text: Sequence[Word], span: Span) -> bool:
    """As in "Sill Road", "Castle Dray", "Chapel of Still Water"."""
    if span.first == span.last:
        return False
    first, last = text[span.first].key, text[span.last].key
    return last in HEADS or first in FRONT_HEADS or (first in HEADS and text[span.first + 1].key == "of")


def _key(word: Word | None) -> str:
    return "" if word is None else word.key


def _before(span: Span, setting: Setting) -> tuple[str, str, str, bool]:
    """Return the three words before the name, an article left out, and whether there was one."""
    one, two, three, four = (_key(setting.before(span, distance)) for distance in range(1, 5))
    return (two, three, four, True) if one in {"the", "a"} else (one, two, three, False)


def _named(span: Span, setting: Setting) -> float:
    """As in "the town of X", "an inn called the X", "the sign reads: X", "welcome to X"."""
    one, two, three, _ = _before(span, setting)
    if (one in {"of", "called", "named"} and two in HEADS) or (two in {"is", "was"} and three == "name"):
        return 4.0
    if one in {"is", "was"} and two in HEADS:
        return 1.5
    if one == "to" and two == "welcome":
        return 3.0
    near = [word.key for word in setting.text[max(0, span.first - _SIGN_REACH) : span.first]]
    return 3.0 if not SIGNS.isdisjoint(near) and not READS.isdisjoint(near) else 0.0


def _described(span: Span, setting: Setting) -> float:
    """As in "the X inn", "X village", "X, a town", "X is the hill town"."""
    after = setting.after(span)
    if after is None or setting.text[span.last].clitic not in {"", "'s"}:
        return 0.0
    certain = not setting.text[span.first].opens
    if certain and after.gap == " " and after.key in HEADS and not after.capital and not setting.text[span.last].clitic:
        return STRONG
    told = after.key in {"is", "was"} or setting.text[span.last].clitic or after.gap == ", "
    following = [_key(setting.after(span, distance)) for distance in range(1, 8)]
    starts = next((at for at, key in enumerate(following[:5]) if key in {"a", "an", "the", "one"}), None)
    if not told or starts is None or "in" in following[:starts]:
        return 2.0 if after.gap == ", " and after.key in HEADS else 0.0
    return STRONG if not HEADS.isdisjoint(following[starts + 1 : starts + 4]) else 0.0


def _reached(span: Span, setting: Setting) -> float:
    """As in "in X", "we get to X", "stay at the X", "near X"."""
    one, two, three, article = _before(span, setting)
    factor = 0.3 if _owns(span, setting) and not article else 1.0
    if one in WITHIN:
        return 1.5 * factor
    if one in TOWARDS:
        return (1.5 if article or one == "into" else 1.2 if MOTION & {two, three} else 0.3) * factor
    if one in REACHING or (one == "at" and (article or STAYING & {two, three})):
        return 1.5 * factor
    if one in {"at", "on", "of", "by", "outside", "near", "in"} and two in HEADS:
        return 1.5 * factor
    if one in NEARBY or one == "from":
        return 0.8 * factor
    if one in {"up", "down", "off", "on", "over", "under"} and article:
        return 0.8
    return 0.0


def _owns(span: Span, setting: Setting) -> bool:
    """As in "X's hand", not "X's a town": what belongs to X may as well belong to a person."""
    owned = setting.after(span)
    return setting.text[span.last].clitic == "'s" and owned is not None and owned.key not in FUNCTION_WORDS
