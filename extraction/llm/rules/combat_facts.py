"""What a sentence says came of an attack, a save or a check. Numbers only as they were spoken."""

from __future__ import annotations

import re

from extraction.llm.rules.combat_lines import Line
from extraction.llm.rules.combat_words import CONDITIONS, DAMAGE_TYPES
from extraction.llm.rules.spoken_numbers import NUMBER, value_of

_DAMAGE = re.compile(
    rf"\b(?P<n>{NUMBER})(?: points?)?(?: of)?(?: (?P<type>{DAMAGE_TYPES}))? damage\b"
    rf"|\b(?P<m>{NUMBER}) (?P<kind>{DAMAGE_TYPES})\b"
    rf"|\b(?P<p>{NUMBER}) points? of (?P<sort>{DAMAGE_TYPES})\b"
)
_TO_HIT = re.compile(rf"\b(?P<n>{NUMBER}) to hit\b|\bnatural (?P<nat>{NUMBER})\b")
_MISS = re.compile(r"\bmiss(?:es)?\b|\b(?:doesn't|does not|won't|will not|don't|do not) hit\b")
_HIT = re.compile(
    r"\b(?:that|both|those|still|just|will|would|does|it|which|one|two|three|all|first|second) hits?\b"
    r"|\bhits\b[.!,]?|^hits?\b"
)
_SAVED = re.compile(
    r"\b(?:makes|made) (?:it(?=[.,!]|$| with)|(?:the|his|her|its|their|that|your) sav\w+)\b|\b(?:succeeds?|succeeded)\b"
    r"|\bshakes? it off\b"
    r"|\b(?:you|he|she|it) resists?\b|\bpasses\b"
)
_FAILED = re.compile(r"\b(?:fails?|failed|does not save|doesn't (?:save|make it)|did not make)\b")
_ONLY_NUMBER = re.compile(
    rf"^(?:(?:that's|that is|it's|i got|so|and|for|okay|oh|yeah|a|an|the|with|plus"
    rf"|is)[, ]+)*(?P<n>{NUMBER})(?: all together| total)?[.!?\u2026]*$"
)
_STATE = re.compile(rf"\b(?:you're|you are|he's|he is|she's|she is|it's|is) (?:now |still )?(?P<state>{CONDITIONS})\b")
_DEATH = re.compile(
    r"\b(?:is dead|he's dead|she's dead|it's dead|that one's dead|dies|falls unconscious|out cold|comes apart)\b"
)


def facts_of(line: Line, before: Line | None, *, played: bool) -> list[str]:
    """Return the outcomes in the sentence, each in a few words; `before` is the sentence said just before it."""
    low, facts = line.low, list[str]()
    if not line.asks or (line.gm and not played):
        facts += [f"{value_of(roll['n'])} to hit" for roll in _TO_HIT.finditer(low) if roll["n"]]
        facts += [f"natural {value_of(roll['nat'])}" for roll in _TO_HIT.finditer(low) if roll["nat"]]
    if line.gm or not played:
        if _MISS.search(low):
            facts.append("misses")
        elif _HIT.search(low) and not line.asks:
            facts.append("hits")
        if _FAILED.search(low):
            facts.append("the save fails")
        elif _SAVED.search(low) and not line.asks:
            facts.append("the save succeeds")
    facts += _damage(low)
    answers_hit = before is not None and before.gm and "hit" in before.low and not line.gm
    if not facts and answers_hit and (number := _ONLY_NUMBER.match(low)) is not None:
        facts.append(f"{value_of(number['n'])} damage")
    facts += [state["state"] for state in _STATE.finditer(low) if line.gm]
    if line.gm and _DEATH.search(low):
        facts.append("falls")
    return facts


def spoken_damage(low: str) -> list[tuple[int, str]]:
    """Return each number that the lower-case text says together with damage, and its type, empty where none is said."""
    return [
        (value_of(found["n"] or found["m"] or found["p"]), found["type"] or found["kind"] or found["sort"] or "")
        for found in _DAMAGE.finditer(low)
    ]


def _damage(low: str) -> list[str]:
    return [f"{number} {kind + ' ' if kind else ''}damage" for number, kind in spoken_damage(low)]
