"""Damage as it is said: by the player who rolled it, and by the GM who repeats, halves or deals it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.llm.rules.combat_facts import facts_of
from extraction.llm.rules.combat_lines import Line
from extraction.llm.rules.combat_words import DAMAGE_TYPES
from extraction.llm.rules.spoken_numbers import NUMBER, value_of

_JUDGED = re.compile(r"\bhits?\b|\bmiss")
_DAMAGE = re.compile(r"^\d+ (?:\w+ )?damage$")
_ALONE = re.compile(
    r"^(?:(?:that's|that is|that'll be|so|and|for|okay|total of|which is|plus|is|i got|we got|it's)[, ]+)*"
    rf"(?P<n>{NUMBER})(?:,? (?:points?|total|all together|damage))?[.!\u2026]*$"
)
_PLUS = re.compile(rf"^(?:(?:so|and|that's|okay)[, ]+)*(?P<n>{NUMBER}),? plus \w+ ")
# "15 for the first one", "14 on the second hit": blows told apart.
_EACH = re.compile(
    rf"\b(?P<n>{NUMBER})(?: points?(?: of damage)?| damage)?,? (?:for|on) (?:the |my |that )?"
    r"(?P<which>first|second|third|last)\b"
)
_OF_SOMETHING = re.compile(
    rf"\b(?P<n>{NUMBER}) points? of (?!(?:{DAMAGE_TYPES}) )(?:(?!damage)[\w']+ ){{1,3}}damage\b"
    rf"|\b(?P<m>{NUMBER}) for (?:just )?(?:the )?damage\b"
)
_TOGETHER = re.compile(r"\b(?:plus|and)\b")
# What is no damage to an enemy: the player's own wounds, a plan, healing.
_ELSEWHERE = re.compile(
    r"\b(?:back|heal\w*|temporary|take|took|taking|takes|me|my hit|hit points|against (?:me|us|you)|to (?:me|us|you)"
    r"|going to|attempt|would|could|if|resist\w*)\b"
)
_DEALT = re.compile(
    rf"\btakes? (?:a total of |an additional |another )?(?P<n>{NUMBER})(?: (?:more|additional|extra))?(?: points?)?"
    rf"(?: of)?(?: (?P<type>{DAMAGE_TYPES}))?(?: damage)?\b(?! (?:steps?|feet|rounds?|turns?|attacks?|shots?|swings?))"
)
_DEALT_TO = re.compile(
    rf"\b(?P<n>{NUMBER})(?: (?:more|additional|extra))?(?: points?)?(?: of)?(?: (?:additional|extra))?"
    rf"(?: (?P<type>{DAMAGE_TYPES}))? damage to (?P<whom>.+)"
)
_NOT_REPEATED = re.compile(r"\b(?:takes?|taking|took|you|your|additional|extra|if|would)\b")
_SETTLED = re.compile(
    rf"^(?:(?:okay|all right|so|halved|then|and)[, ]+)*(?:that's|that is|that'd be|that would be) (?P<n>{NUMBER})\b"
    r"(?! to hit)"
)
_ROLLS_DAMAGE = re.compile(
    r"\broll (?:me |for |your |the |up |it |that )*damage\b|\bdamage (?:on|for) (?:that|it)\b"
    r"|\b(?:tell me|what's|how much) (?:the |that )?damage\b|\broll (?:\w+ ){0,3}?\d{0,2}d(?:4|6|8|10|12)\b"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """`which` is the blow among those of one attack ("first"); `open` says that the number stands without "damage"."""

    detail: str
    which: str | None = None
    open: bool = False

    @property
    def number(self) -> str:
        return self.detail.partition(" ")[0]


def amounts_said(said: Sequence[Line], before: Line | None, answer: Sequence[Line], *, asked: bool) -> list[Amount]:
    """Return the damage that a player's unit says, in its own numbers.

    A number alone is none where the GM's answer says that it hits or misses. A question counts only if damage was
    `asked` for.
    """
    typed: list[str] = []
    untyped: list[str] = []
    alone: list[str] = []
    each: list[Amount] = []
    previous = before
    for line in said:
        if not line.asks or asked:
            each += [Amount(f"{value_of(one['n'])} damage", one["which"]) for one in _EACH.finditer(line.low)]
            facts = list(_facts(line, previous))
            if len(facts) > 1 and _TOGETHER.search(line.low):
                typed += facts
                continue
            typed += [fact for fact in facts if fact.count(" ") > 1]
            untyped += [fact for fact in facts if fact.count(" ") == 1]
        if not line.asks and (number := _ALONE.match(line.low) or _PLUS.match(line.low)) is not None:
            alone.append(number["n"])
        previous = line
    if each:
        first = [Amount(f"{value_of(alone[-1])} damage", open=True)] if alone and each[0].which == "second" else []
        return first + each
    if typed:
        return [Amount(", ".join(dict.fromkeys(typed)))]
    if alone and not untyped and not any(line.gm and _JUDGED.search(line.low) for line in answer):
        return [Amount(f"{value_of(alone[-1])} damage", open=True)]
    return [Amount(untyped[-1])] if untyped else []


def _facts(line: Line, previous: Line | None) -> Iterator[str]:
    """Yield the damage of a sentence where it calls it damage, or points."""
    low = line.low
    if _ELSEWHERE.search(low):
        return
    said_so = "damage" in low or "point" in low
    for fact in facts_of(line, previous, played=True):
        if _DAMAGE.match(fact) and (said_so or fact.count(" ") > 1):
            yield fact
    for found in _OF_SOMETHING.finditer(low):
        yield f"{value_of(found['n'] or found['m'])} damage"


def asks_for_damage(line: Line) -> bool:
    """Return whether the GM has a player roll damage: the attack before it hit."""
    return _ROLLS_DAMAGE.search(line.low) is not None


def damage_repeated(line: Line, previous: Line | None) -> Amount | None:
    """Return the damage that the GM says of an attack as it was rolled; None where it is done to a character."""
    if _NOT_REPEATED.search(line.low):
        return None
    if (found := _EACH.search(line.low)) is not None:
        return Amount(f"{value_of(found['n'])} damage", found["which"])
    facts = [fact for fact in facts_of(line, previous, played=True) if _DAMAGE.match(fact)]
    return Amount(", ".join(dict.fromkeys(facts))) if facts else None


def damage_settled(line: Line) -> Amount | None:
    """Return the damage that the GM makes of the one that was rolled: "so that's 13"."""
    found = _SETTLED.match(line.low)
    return Amount(f"{value_of(found['n'])} damage") if found is not None and not line.asks else None


def damage_dealt(line: Line) -> tuple[Amount, str, str | None] | None:
    """Return damage that the GM deals, with the words before it, or those that say to whom."""
    if line.asks:
        return None
    if (found := _DEALT_TO.search(line.low)) is not None:
        return Amount(_amount(found)), "", line.text[found.start("whom") :]
    if (found := _DEALT.search(line.low)) is not None and ("damage" in found.group() or "point" in found.group()):
        return Amount(_amount(found)), line.text[: found.start()], None
    return None


def _amount(found: re.Match[str]) -> str:
    return f"{value_of(found['n'])} {found['type'] + ' ' if found['type'] else ''}damage"
