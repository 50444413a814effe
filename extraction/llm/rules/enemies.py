"""Who is fought: names and descriptions of hostile creatures, and whom a sentence is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from extraction.llm.rules.combat_cues import CueKind, calls_initiative, cue_in
from extraction.llm.rules.combat_lines import HEAT, Line, Lines
from extraction.llm.rules.combat_people import People
from extraction.llm.rules.enemy_words import (
    ATTACKS,
    ATTACKS_YOU,
    COUNTING,
    CREATURES,
    GENERAL,
    MONSTERS,
    NOT_SO,
    ONES,
    STRIKING_SPELLS,
    THINGS,
)
from extraction.llm.rules.materials import Unit
from extraction.llm.rules.person_names import parse
from extraction.llm.rules.spoken_numbers import NUMBER
from extraction.llm.rules.words import HE_WORDS, SHE_WORDS

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_DETERMINERS = frozenset({"the", "that", "this", "another", "those", "these", "both"})
_INSIDE_PHRASE = 3
_PRONOUN = re.compile(r"\b(?:he|she|it|they)\b")
_AIM = re.compile(
    r"\b(?:at|on|into|against|towards?|attack|hit|shoot|stab|strike|slash|punch|kick|bite|grapple|shove|target)\b"
)
_OBJECT = re.compile(r"\b(?:him|her|it|them)\b")
_SIGN_OF = dict.fromkeys(HE_WORDS, "m") | dict.fromkeys(SHE_WORDS, "f")
_STRIKES = re.compile(r"(?:attack|hit|shoot|stab|strike|slash|punch|kick|bite)$")
_ANYTHING = re.compile(r"the (?:[a-z'-]+ )?[a-z'-]+")
_FIRST_PERSON = re.compile(r"\bi(?:'ll|'m)?\b")
_AFTER_NOUN = frozenset(
    (
        "with",
        "and",
        "to",
        "in",
        "on",
        "at",
        "again",
        "twice",
        "from",
        "as",
        "for",
        "once",
        "now",
        "then",
        "so",
        "while",
        "is",
        "was",
        "are",
        "a",
        "an",
        "of",
        "or",
        "but",
    )
)
_SIGNS = 2
_ANY_NUMBER = re.compile(rf"\b{NUMBER}\b")
_ORDER_UNITS = 12
# What the GM lets a player do to an enemy: "you can still go after her".
_YOU_MAY = re.compile(r"\b(?:go after|attack|swing at|shoot at|strike at)\b")
_YOUR_TURN = re.compile(r"\b(?:you're (?:now )?up|your turn|what do you (?:do|want))\b")
_NEAR_TURN = 30
_ORDER_NUMBERS = 3


def played_names(people: People, units: Iterable[Unit]) -> set[str]:
    """Return the names that the GM gives a turn in the second person ("Ada, you're up"): players' characters.

    A roster may leave some of them out, and a registry may have them.
    """
    names: set[str] = set()
    for unit in units:
        if people.is_gm(unit.speaker):
            text = unit.text.replace("\u2019", "'")
            for found in _YOUR_TURN.finditer(text):
                called = re.split(r"[.!?;\u2014]", text[max(0, found.start() - _NEAR_TURN) : found.start()])[-1]
                names.update(one.name for one in people.named_in(called)[-1:])
    return names


class Enemies:
    """Knows, for a stretch of talk, which known names are fought; nobody's character ever is."""

    def __init__(self, lines: Lines, people: People) -> None:
        self._people = people
        self._words_of_unit: dict[int, set[str]] = {}
        for line in lines.lines:
            self._words_of_unit.setdefault(line.position, set()).update(_WORD.findall(line.low))
        self._hostile = {name for line in lines.lines for name in self._fought(line, lines)} | set(self._listed(lines))
        self._genders = self._heard_genders(lines)
        self._sole = self._only_one(lines, CREATURES)
        self._likely = self._only_one(lines, MONSTERS)

    def is_hostile(self, name: str) -> bool:
        return name in self._hostile

    def is_fought(self, name: str) -> bool:
        """Return whether a name or a description is that of an enemy."""
        return name in self._hostile or name.startswith("the ")

    def hostile_names(self, text: str) -> list[str]:
        """Return the enemies known by name that a text names."""
        return [one.name for one in self._people.named_in(text) if one.name in self._hostile]

    @property
    def sole(self) -> str | None:
        """Return the only enemy that this stretch of talk knows, None where there are several or none."""
        return self._sole

    def subject(self, before: str, last: str | None) -> str | None:
        """Return the enemy that a sentence is about, from the words before its verb.

        `last` is the enemy spoken of last, whom a pronoun means, or nobody at all before the verb. None where the
        words are about somebody else.
        """
        known = self._people.named_in(before)
        if known:
            return known[-1].name if known[-1].name in self._hostile else None
        if (phrase := described(before)) is not None:
            return None if phrase.rpartition(" ")[2] in ONES and last is None else phrase
        words = _WORD.findall(before.lower())
        if not words or (_PRONOUN.search(" ".join(words[-3:])) and not {"you", "i", "we"} & set(words[-3:])):
            return last
        return None

    def gender(self, name: str) -> str | None:
        """Return "m" or "f" where a title or the talk says so, else None."""
        return parse(name).gender or self._genders.get(name)

    def target(self, text: str, meant: Callable[[str], str | None]) -> str | None:
        """Return the enemy that a player's declaration aims at; `meant` says whom a pronoun means."""
        for match in _AIM.finditer(text.lower()):
            rest = text[match.end() : match.end() + 60]
            known = self._people.named_in(rest)
            if known and known[0].first <= 1:
                return None if known[0].is_character else known[0].name
            words = rest.strip().lower()
            if (phrase := described(" ".join(words.split()[:4]), anchored=True)) is not None:
                return phrase
            if (pronoun := _OBJECT.match(words)) is not None:
                named_it = pronoun.group() == "it" and self._likely is not None and not self._likely.startswith("the ")
                return meant(pronoun.group()) or (None if named_it else self._likely)
            if _STRIKES.match(match.group()) and (thing := _ANYTHING.match(words)) is not None:
                return None if THINGS & set(thing.group().split()) else _cut(thing.group())
        return None

    def _heard_genders(self, lines: Lines) -> dict[str, str]:
        """Return for each known name whether "he" or "she" is said more often where nobody else is named."""
        votes: dict[str, Counter[str]] = {}
        for line in lines.lines:
            known = line.named
            said = {sign for word in _WORD.findall(line.low) if (sign := _SIGN_OF.get(word)) is not None}
            if len(known) == 1 and len(said) == 1:
                votes.setdefault(known[0].name, Counter()).update(said)
        return {name: count.most_common(1)[0][0] for name, count in votes.items()}

    def _has_turn(self, line: Line, name: str) -> bool:
        cue = cue_in(line, self._people, fighting=True)
        return cue is not None and cue.kind is CueKind.TURN and cue.actor == name

    def _listed(self, lines: Lines) -> Iterator[str]:
        """Yield the names around the GM's call for initiative and in the order that follows it."""
        called = [line.position for line in lines.lines if calls_initiative(line)]
        for line in lines.lines:
            near = any(0 <= line.position - at <= _ORDER_UNITS for at in called) and not calls_initiative(line)
            if line.gm and near and (line.position in called or len(_ANY_NUMBER.findall(line.low)) >= _ORDER_NUMBERS):
                yield from (one.name for one in line.named if not one.is_character)

    def _only_one(self, lines: Lines, nouns: frozenset[str]) -> str | None:
        """Return the enemy of a stretch where just one is spoken of: by name, or by a noun more than once."""
        spoken: Counter[str] = Counter()
        for line in lines.lines:
            if lines.is_fighting(line.position, _SIGNS):
                spoken.update(one.name for one in line.named if not one.is_character)
                spoken.update(f"the {word}" for word in _WORD.findall(line.low) if line.gm and word in nouns - GENERAL)
        name, times = next(iter(spoken.most_common(1)), ("", 0))
        is_enemy = name in self._hostile or (name.rpartition(" ")[2] in MONSTERS and times > 1)
        return name if is_enemy and len(spoken) == 1 else None

    def _fought(self, line: Line, lines: Lines) -> Sequence[str]:
        if line.asks or not lines.is_fighting(line.position, _SIGNS):
            return ()
        others = [one for one in line.named if not one.is_character]
        if not others:
            return ()
        if line.gm:
            if (aim := _YOU_MAY.search(line.low)) is not None and "you" in line.low:
                after = self._people.named_in(line.text[aim.end() :])
                return [one.name for one in after if not one.is_character][:1]
            acts = others[0].first <= 2 and (ATTACKS_YOU.search(line.low) or HEAT.search(line.low))
            return [others[0].name] if acts or self._has_turn(line, others[0].name) else ()
        if line.character is None:
            return ()
        struck = [word.start() for word in _WORD.finditer(line.low) if word.group() in ATTACKS]
        if STRIKING_SPELLS & self._words_of_unit[line.position]:
            return [others[-1].name]
        after = self._people.named_in(line.text[struck[0] :]) if struck else []
        return [one.name for one in after if not one.is_character][:1]


def described(text: str, *, anchored: bool = False) -> str | None:
    """Return the last description of a creature in a text ("the first hound"), or the one it starts with."""
    words = _WORD.findall(text.lower())
    found = None
    for at, word in enumerate(words[:1] if anchored else words):
        if word in _DETERMINERS:
            found = _phrase(words[at + 1 : at + 1 + _INSIDE_PHRASE]) or found
    return found


def _phrase(words: Sequence[str]) -> str | None:
    for size, word in enumerate(words, start=1):
        head = word.removesuffix("'s")
        if word in _AFTER_NOUN or word in _DETERMINERS:
            return None
        if head in CREATURES or (head in ONES and size > 1 and not COUNTING & set(words[: size - 1])):
            return " ".join(("the", *words[: size - 1], head))
    return None


def is_monster(phrase: str) -> bool:
    """Return whether a description says a kind of creature that hardly ever is anything but an enemy."""
    head = phrase.rpartition(" ")[2]
    return {head, head.removesuffix("s")} & (MONSTERS - GENERAL) != set()


def declares_attack(line: Line) -> bool:
    """Return whether a player's sentence says that its character attacks."""
    if line.asks or not ATTACKS & set(_WORD.findall(line.low)) or not _FIRST_PERSON.search(line.low):
        return False
    return NOT_SO.search(line.low.replace("going to", "")) is None


def _cut(phrase: str) -> str:
    """Return "the red scarf" of what may go on: "the scarf with"."""
    words = phrase.split()
    return " ".join(words[:2]) if words[-1] in _AFTER_NOUN else phrase
