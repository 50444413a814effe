"""On whom or at what a spell is cast, as the words after its name say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extraction.llm.rules.combat_people import People
from extraction.llm.rules.spell_words import word_set

_PREPOSITION = re.compile(r"\b(on|at|upon|against|targeting|for)\s+", re.IGNORECASE)
_FOLLOWING = re.compile(r"^\s*(?:(?:all|both|one|two|three|four) [\w, ]{0,24}?)?\b(?:on|at|upon)\b", re.IGNORECASE)
_PHRASE = re.compile(
    r"^(?:the|a|an|my|his|her|their|your|both|all|that|this|those|these|some)\b(?: (?:of )?[\w'-]+){1,4}", re.IGNORECASE
)
_CAPITALS = re.compile(r"^[A-Z][\w']+(?: (?:the |of )?[A-Z][\w']+){0,2}")
_SELF = re.compile(r"^(?:me|myself)\b", re.IGNORECASE)
# Whom these mean is not said here.
_SOMEBODY = re.compile(r"^(?:him|her|it|them|us|you)\b(?! \w+ing)", re.IGNORECASE)
_REACH = 6
_ENDS_PHRASE = word_set(
    """with and to as who that which because so from in while when right for at if it's that's is are was before after
    instead on by and or but then now over just into up down off around near again too please there here"""
)
_NO_TARGETS = word_set(
    """turn turns time top end start beginning bottom back range distance way ground fire purpose level action reaction
    same moment second first third fourth fifth sixth seventh eighth ninth go round minute hour slot next last other
    hand least feet foot"""
)
_BETWEEN = re.compile(r"^(?:\s*,?\s*(?:and\s+)?)")


def targets_in(after: str, following: str, caster: str, people: People) -> list[str]:
    """Return the targets in the rest of a casting's sentence, else in the sentence that follows it in the unit."""
    found = list(dict.fromkeys(_aimed_at(after, caster, people)))
    if found or _PREPOSITION.search(after):
        return found
    if _FOLLOWING.match(following):
        return list(dict.fromkeys(_aimed_at(following, caster, people)))
    return _only_names(following, caster, people)


def _aimed_at(text: str, caster: str, people: People) -> Iterator[str]:
    for match in _PREPOSITION.finditer(text):
        rest = text[match.end() :]
        if _SOMEBODY.match(rest) or len(text[: match.start()].split()) > _REACH:
            return
        targets = list(_listed(rest, caster, people, named_only=match.group(1).lower() == "for"))
        if targets:
            yield from targets
            return


def _listed(text: str, caster: str, people: People, *, named_only: bool) -> Iterator[str]:
    """Yield a name or a phrase, and the names that follow it after commas and "and"."""
    first = True
    while text:
        name, length = _name_at(text, caster, people)
        if name is None and first and not named_only:
            name, length = _words_at(text)
        if name is None:
            return
        yield name
        first, text = False, text[length:]
        gap = _BETWEEN.match(text)
        if gap is None or not gap.group().strip():
            return
        text = text[gap.end() :]


def _name_at(text: str, caster: str, people: People) -> tuple[str | None, int]:
    if (match := _SELF.match(text)) is not None:
        return caster, match.end()
    known = people.named_in(text[:60])
    if not known or known[0].first != 0:
        return None, 0
    spoken = list(re.finditer(r"[^\W\d_]+(?:['-][^\W\d_]+)*", text[:60]))
    return known[0].name, spoken[known[0].last].end()


def _words_at(text: str) -> tuple[str | None, int]:
    if (match := _CAPITALS.match(text)) is not None:
        return match.group(), match.end()
    if (match := _PHRASE.match(text)) is None:
        return None, 0
    words = match.group().split()
    size = next((at for at, word in enumerate(words) if at and word.lower() in _ENDS_PHRASE), len(words))
    kept = words[:size]
    if size < 2 or any(word.lower() in _NO_TARGETS for word in kept):
        return None, 0
    phrase = " ".join(kept)
    return phrase, len(phrase)


def _only_names(text: str, caster: str, people: People) -> list[str]:
    """Return the names of a sentence that is nothing but names: "Me, Ada, Bo."."""
    parts = [part.strip(" .!") for part in re.split(r",|\band\b", text)]
    names = [_name_at(part, caster, people) for part in parts if part]
    whole = all(
        name is not None and length == len(part)
        for (name, length), part in zip(names, filter(None, parts), strict=True)
    )
    return [name for name, _ in names if name is not None] if whole else []
