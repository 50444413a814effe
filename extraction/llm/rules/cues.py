"""What the words around a possible name say: a person, or a place or thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from extraction.identity import comparison_key
from extraction.llm.rules.names import Span
from extraction.llm.rules.tokens import Word
from extraction.llm.rules.verbs import PARTICIPLES, SPEECH, STRONG_ACTIONS, WEAK
from extraction.llm.rules.words import (
    ARTICLES,
    HE_WORDS,
    LOOSE_PREPOSITIONS,
    PERSON_POSSESSIONS,
    PLACE_HEADS,
    PLACE_PREPOSITIONS,
    PUBLIC_CULTURE_CUES,
    ROLES,
    SHE_WORDS,
    SOCIAL_LINKS,
    SOCIAL_VERBS,
    USE_VERBS,
)

_HONOURED = frozenset({"saint", "st"})
_KIN = frozenset({"uncle", "aunt", "auntie", "granny", "grandmother", "grandfather", "mother", "father"})
_GREETINGS = frozenset({"hello", "hi", "hey", "greetings", "goodbye", "farewell", "dear", "poor"})
_NAMINGS = frozenset(
    {("this", "is"), ("here", "is"), ("goes", "by"), ("go", "by"), ("known", "as"), ("call", "me"), ("call", "him")}
)
_OBJECTS = frozenset({"us", "me", "you", "him", "her"})
_ADVERBS = frozenset({"just", "then", "also", "still", "now", "even", "never", "always", "already", "both", "again"})
_DETERMINERS = frozenset({"the", "a", "an", "my", "your", "his", "her", "our", "their", "another", "one"})
# A capital inside a sentence with nothing that speaks for a thing.
_BARE = 0.4
_PRONOUN_REACH = 12
_PRONOUNS = (HE_WORDS | SHE_WORDS) - {"himself", "herself"}


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a name stands: the words of its unit, who says them, who is known to be a person.

    `outside` says that the unit talks of films, shows and the like.
    """

    text: Sequence[Word]
    narrated: bool
    outside: bool
    is_person: Callable[[str], bool]

    def before(self, span: Span, distance: int = 1) -> Word | None:
        """Return the word that many places before the name, None across a sentence's start."""
        at = span.first - distance
        if at < 0 or any(self.text[here].opens for here in range(at + 1, span.first + 1)):
            return None
        return self.text[at]

    def after(self, span: Span, distance: int = 1) -> Word | None:
        """Return the word that many places after the name, None across a sentence's end."""
        at = span.last + distance
        if at >= len(self.text) or any(self.text[here].opens for here in range(span.last + 1, at + 1)):
            return None
        return self.text[at]


@dataclass(frozen=True, slots=True)
class Evidence:
    """How strongly one mention speaks for a person and for a thing; `best` is its strongest cue for a person."""

    person: float
    thing: float
    best: float


def talks_of_outside(text: Sequence[Word]) -> bool:
    return any(word.key in PUBLIC_CULTURE_CUES for word in text)


def weigh(span: Span, setting: Setting) -> Evidence:
    """Return what the cues around one mention add up to."""
    for_person = [cue(span, setting) for cue in _PERSON_CUES]
    thing = sum(cue(span, setting) for cue in _THING_CUES)
    best = max(for_person)
    bare = _BARE if thing == 0 and not setting.text[span.first].opens else 0.0
    return Evidence(sum(for_person) + bare, thing, best)


def _key(word: Word | None) -> str:
    return "" if word is None else word.key


def _titled(span: Span, setting: Setting) -> float:
    """As in "Captain X"; "Uncle X" may as well be family of somebody at the table, "Saint X" a church."""
    if not span.titles:
        return 0.0
    title = comparison_key(span.titles[-1].rstrip("."))
    return 1.0 if title in _HONOURED else 2.5 if title in _KIN else 4.0


def _named_in_full(span: Span, setting: Setting) -> float:
    return 0.8 if span.length >= 2 and not span.ordinary else 0.0


def _introduced(span: Span, setting: Setting) -> float:
    """As in "a woman named X", "his name is X", "this is X", "known as X"."""
    word = setting.before(span)
    one, two, three = (_key(setting.before(span, distance)) for distance in (1, 2, 3))
    if one in {"named", "called"}:
        return 0.0 if two in PLACE_HEADS else 4.0 if two in ROLES or one == "named" else 1.0
    if (one in {"is", "was"} and two == "name") or (one == "name" and word is not None and word.clitic == "'s"):
        return 0.0 if three in PLACE_HEADS else 4.0
    return 2.0 if (two, one) in _NAMINGS else 0.0


def _names_oneself(span: Span, setting: Setting) -> float:
    """As in "I am X", "I'm X", "X. X Y."."""
    word, core = setting.before(span), setting.text[span.core]
    if word is not None:
        is_self = (word.key == "i" and word.clitic == "'m") or (
            word.key == "am" and _key(setting.before(span, 2)) == "i"
        )
        return (4.0 if setting.narrated or core.quoted else 1.0) if is_self else 0.0
    if not setting.narrated or span.length == 1 or span.core == 0:
        return 0.0
    return 3.0 if setting.text[span.core - 1].key in {core.key, setting.text[span.last].key} else 0.0


def _speaks(span: Span, setting: Setting) -> float:
    """As in "X says", "X slowly whispers", "X goes, "..."", "..." says X"."""
    verb, quotes = _verb_after(span, setting)
    if _key(verb) in SPEECH or quotes:
        return 3.0 if setting.narrated else 1.5
    before = setting.before(span)
    follows_quote = before is not None and before.key in SPEECH and any(mark in before.gap for mark in '"”»')
    return 3.0 if follows_quote else 0.0


def _acts(span: Span, setting: Setting) -> float:
    """As in "X steps", "X gives you", "X standing"."""
    verb, _ = _verb_after(span, setting)
    if verb is None:
        return 0.0
    if verb.key in STRONG_ACTIONS:
        return 2.0 if setting.narrated else 1.2
    if verb.key in WEAK:
        to_somebody = any(_key(setting.after(span, distance)) in _OBJECTS for distance in (2, 3))
        return 2.0 if to_somebody else 0.8 if setting.narrated else 0.4
    return 0.8 if verb.key in PARTICIPLES and setting.narrated else 0.0


def _verb_after(span: Span, setting: Setting) -> tuple[Word | None, bool]:
    """Return the word where a verb is expected, and whether it is "goes" or "is like" before a quotation."""
    if setting.text[span.last].clitic:
        return None, False
    verb = setting.after(span)
    distance = 1
    if verb is not None and (verb.key in _ADVERBS or verb.key.endswith("ly")):
        distance, verb = 2, setting.after(span, 2)
    if verb is None or verb.gap != " ":
        return None, False
    at = span.last + distance + 1
    quotes = verb.key == "goes" and at < len(setting.text) and any(mark in setting.text[at].gap for mark in '"“:,')
    return verb, quotes


def _described(span: Span, setting: Setting) -> float:
    """As in "your friend X", "the smith, X", "X, the old smith", "X the smith", "X is a smith", "X, who"."""
    before, after = setting.before(span), setting.after(span)
    if _key(before) in ROLES and not (before is not None and before.clitic):
        return 2.0 if setting.text[span.first].gap == " " else 1.0
    if setting.text[span.last].clitic:
        return 0.0
    if _key(after) == "who":
        return 2.0
    start = 1 if _key(after) in _DETERMINERS else 2 if _key(after) in {"is", "was"} else 0
    if start and _key(setting.after(span, start)) in _DETERMINERS:
        return 2.0 if any(_key(setting.after(span, start + more)) in ROLES for more in (1, 2)) else 0.0
    return 0.0


def _owns(span: Span, setting: Setting) -> float:
    """As in "X's eyes", "X's old friend"; not "X's Shield", which is the name of something."""
    owned = setting.after(span)
    if setting.text[span.last].clitic != "'s" or owned is None or owned.capital:
        return 0.0
    return 1.5 if any(_key(setting.after(span, distance)) in PERSON_POSSESSIONS for distance in (1, 2)) else 0.4


def _dealt_with(span: Span, setting: Setting) -> float:
    """As in "ask X", "talk to X", "look at X", "who is X"."""
    before, earlier = setting.before(span), setting.before(span, 2)
    if before is None or setting.text[span.first].gap != " ":
        return 0.0
    if before.key in {"meet", "met"}:
        return 2.0
    if before.key in SOCIAL_VERBS or before.key == "whom":
        return 1.2
    who = before.key == "who" or (before.key in {"is", "was"} and _key(earlier) == "who")
    return 1.2 if who or _key(earlier) in SOCIAL_LINKS.get(before.key, ()) else 0.0


def _addressed(span: Span, setting: Setting) -> float:
    """As in "Thank you, X.", "X, please", "Hello X"; what the narrator says outside quotes addresses players."""
    first, last = setting.text[span.first], setting.text[span.last]
    before = setting.before(span)
    if last.clitic:
        return 0.0
    if _key(before) in _GREETINGS:
        return 2.0
    if _key(before) == "you" and _key(setting.before(span, 2)) == "thank":
        return 2.5
    if setting.narrated and not first.quoted:
        return 0.0
    ends = last.after in {".", "?", "!", ""}
    if first.gap == ", " and ends:
        return 1.2
    if first.opens and (last.after == "," or (ends and last.after in {"?", "!"})):
        return 0.8
    return 0.0


def _accompanied(span: Span, setting: Setting) -> float:
    """As in "X and a person at the table", either way round."""
    before, after = setting.before(span), setting.after(span)
    pairs = ((before, setting.before(span, 2)), (after, setting.after(span, 2)))
    return 1.0 if any(_key(link) == "and" and setting.is_person(_key(other)) for link, other in pairs) else 0.0


def _referred_to(span: Span, setting: Setting) -> float:
    """A personal pronoun follows soon in the narrator's words."""
    if not setting.narrated:
        return 0.0
    following = setting.text[span.last + 1 : span.last + 1 + _PRONOUN_REACH]
    return 0.5 if any(word.key in _PRONOUNS for word in following) else 0.0


def _with_article(span: Span, setting: Setting) -> float:
    return 2.0 if not span.titles and _key(setting.before(span)) in ARTICLES else 0.0


def _placed(span: Span, setting: Setting) -> float:
    """As in "in X", "the city of X", "a ship called X", "from X"."""
    one, two = _key(setting.before(span)), _key(setting.before(span, 2))
    if two in PLACE_HEADS and one in {"of", "called", "named"}:
        return 3.0
    if one in {"is", "was"} and two in {"it", "place", "town", "city", "village"}:
        return 1.5
    if span.titles:
        return 0.0
    if one in PLACE_PREPOSITIONS:
        return 1.5
    if one in LOOSE_PREPOSITIONS:
        return 0.5
    return 0.2 if one in {"to", "from", "at"} and two not in SOCIAL_LINKS.get(one, ()) else 0.0


def _heads_a_thing(span: Span, setting: Setting) -> float:
    """As in "X Street", "the X spell", and names that hold common words."""
    after = setting.after(span)
    if after is None or after.gap != " ":
        return 2.0 * (span.ordinary > 0)
    clitic = setting.text[span.last].clitic
    heads = after.capital if clitic else after.key in PLACE_HEADS
    return 2.0 * heads + 2.0 * (span.ordinary > 0)


def _used(span: Span, setting: Setting) -> float:
    return 2.0 if _key(setting.before(span)) in USE_VERBS else 0.0


def _of_the_world_outside(span: Span, setting: Setting) -> float:
    """Films, shows and the like in the same breath."""
    return 1.5 if setting.outside else 0.0


_Cue = Callable[[Span, Setting], float]
_PERSON_CUES: tuple[_Cue, ...] = (
    _titled,
    _named_in_full,
    _introduced,
    _names_oneself,
    _speaks,
    _acts,
    _described,
    _owns,
    _dealt_with,
    _addressed,
    _accompanied,
    _referred_to,
)
_THING_CUES: tuple[_Cue, ...] = (_with_article, _placed, _heads_a_thing, _used, _of_the_world_outside)
