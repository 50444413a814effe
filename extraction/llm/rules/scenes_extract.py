"""Scene starts by the words with which a table moves on: a fight, a new place, a jump in time, a break, a recap."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.llm.rules import materials as given
from extraction.llm.rules.materials import Materials, Unit
from extraction.llm.rules.speakers import gm_keys, labels

COMBAT, SOCIAL, EXPLORATION, DOWNTIME, TABLE_TALK, OTHER = (
    "combat",
    "social",
    "exploration",
    "downtime",
    "table_talk",
    "other",
)
# A start this near to the last one is taken for a flourish of the same scene. A fight always starts one, and so does
# the way back from a break.
LEAST_UNITS = 15
TITLE_WORDS = 8
OPENING_UNITS = 6

_FIGHT = re.compile(
    r"\broll (?:for |me )?(?:some )?initiative\b|\binitiative,? (?:everyone|everybody|please)\b", re.IGNORECASE
)
_FIGHT_OVER = re.compile(
    r"\b(?:out of|end of|drop(?:s|ped)?(?: out of)?) (?:initiative|combat|the fight)\b"
    r"|\b(?:combat|the fight) (?:is|'s) over\b",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"\b(?:take|have|call) (?:a|our|the) (?:short |quick |little )?break\b|\bwe'?ll be (?:right )?back\b"
    r"|\bwe'?ll (?:stop|leave it|end|pick (?:it|this) up)\b|\bthat'?s the (?:door|doorbell|buzzer|bell|phone)\b"
    r"|\bhold that thought\b|\bpizza'?s here\b",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\bwelcome back\b|\bwhere were we\b|\bare we all back\b|\bback (?:in the room|to it|to the game|in the game)\b"
    r"|\bplates down\b",
    re.IGNORECASE,
)
# A long unit of the GM that opens so sets the stage: the table has moved on.
_OPENER = re.compile(
    r"^(?:(?:ok|okay|all right|alright|right|good|perfect|and|now|anyway)[,.]? )*so[,.]? ", re.IGNORECASE
)
_STAGE_WORDS = 30
# While these are said nearby, a fight goes on.
_FIGHTING = re.compile(
    r"\b(?:hits?|miss(?:es)?|damage|attacks?|saving throw|save|initiative|turn|reaction|bonus action|to hit|rolls?)\b",
    re.IGNORECASE,
)
_NEARBY = 5
_FIGHT_SIGNS = 4
_RECAP = re.compile(r"\b(?:last time|previously|last week|last session|recap)\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:the )?(?:next|following) (?:morning|day|evening|night|week)\b|\b(?:hours?|days?|weeks?) (?:later|pass)\b"
    r"|\b(?:that|in the) (?:evening|night|morning)\b|\bat (?:dawn|dusk|first light|nightfall)\b|\bmeanwhile\b",
    re.IGNORECASE,
)
_REST = re.compile(r"\b(?:long|short) rest\b|\bmake camp\b|\bgo(?:es)? to (?:bed|sleep)\b|\bdowntime\b", re.IGNORECASE)
_ARRIVAL = re.compile(
    r"\b(?:you|you all|the (?:four|five|six|party|group) of you) (?:\w+ ){0,3}?(?:arrive|reach|enter"
    r"|step (?:in|out|through)|come (?:to|into|out|round|down|up)|make (?:it|your way)|walk (?:in|into|out)"
    r"|head (?:out|into|down|up)"
    r"|get (?:to|back)|find yourselves?|set out|climb)\b",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"[\"\u201c]")


@dataclass(frozen=True, slots=True)
class Start:
    at: int
    mode: str


def extract_scenes(materials: Materials) -> JsonValue:
    """Return where scenes begin in the passage, in order."""
    units = given.transcript(materials)
    before, _ = given.context_sides(materials)
    gm = gm_keys(materials, (*before, *units))
    starts = list(_starts(units, gm, opens=not before))
    bounds = [start.at for start in starts[1:]] + [len(units)][: len(starts)]
    return {
        "scenes": [
            {
                "start_unit_id": units[start.at].unit_id,
                "title": _title(units[start.at : end]),
                "primary_mode": _mode(start.mode, units[start.at : end], gm),
            }
            for start, end in zip(starts, bounds, strict=True)
        ]
    }


def _starts(units: Sequence[Unit], gm: frozenset[str], *, opens: bool) -> Iterator[Start]:
    last: Start | None = None
    # A window may begin in the middle of a fight.
    before = COMBAT if sum(bool(_FIGHTING.search(unit.text)) for unit in units[:LEAST_UNITS]) >= _FIGHT_SIGNS else None
    if opens and units:
        recap = any(_RECAP.search(unit.text) for unit in units[:OPENING_UNITS])
        last = Start(0, TABLE_TALK if recap else OTHER)
        yield last
    for at, unit in enumerate(units):
        told = bool(gm & set(labels(unit.speaker)))
        nearby = units[max(0, at - _NEARBY) : at + _NEARBY + 1]
        mode = _turn(unit.text, nearby, told=told, within=last.mode if last else before)
        if mode is None or (last is not None and not _is_new(mode, at, last)):
            continue
        last = Start(at, mode)
        yield last


def _is_new(mode: str, at: int, last: Start) -> bool:
    """Return whether a scene of that mode may begin there, after the last one."""
    if mode == last.mode and mode in (COMBAT, TABLE_TALK):
        return False
    at_once = mode == COMBAT or TABLE_TALK in (mode, last.mode)
    return at > last.at and (at_once or at - last.at >= LEAST_UNITS)


def _turn(text: str, nearby: Sequence[Unit], *, told: bool, within: str | None) -> str | None:
    """Return the mode of the scene that the unit begins, None where it begins none."""
    if told and _FIGHT.search(text):
        return COMBAT
    if within == COMBAT:
        quiet = _sets_the_stage(text) and not any(_FIGHTING.search(unit.text) for unit in nearby)
        return OTHER if told and (quiet or _FIGHT_OVER.search(text)) else None
    if _BREAK.search(text):
        return TABLE_TALK
    if not told:
        return None
    if _BACK.search(text):
        return OTHER
    if within == TABLE_TALK and not _sets_the_stage(text):
        return None
    if _REST.search(text):
        return DOWNTIME
    return EXPLORATION if _TIME.search(text) or _ARRIVAL.search(text) or _sets_the_stage(text) else None


def _sets_the_stage(text: str) -> bool:
    return bool(_OPENER.match(text)) and len(text.split()) >= _STAGE_WORDS


def _mode(mode: str, units: Sequence[Unit], gm: frozenset[str]) -> str:
    """Return the scene's mode: of a scene that nothing but time or place began, mostly speech makes a social one."""
    if mode not in (OTHER, EXPLORATION):
        return mode
    told = [unit for unit in units if gm & set(labels(unit.speaker))]
    spoken = sum(bool(_QUOTE.search(unit.text)) for unit in told)
    if told and spoken * 2 >= len(told):
        return SOCIAL
    return mode


def _title(units: Sequence[Unit]) -> str:
    """Return the first words of the scene's longest early unit: nothing is made up."""
    opening = max(units[:OPENING_UNITS], key=lambda unit: len(unit.text))
    words = opening.text.split()
    title = " ".join(words[:TITLE_WORDS]).strip("\"\u201c\u201d'(),.;:!?-")
    return (title + (" \u2026" if len(words) > TITLE_WORDS else "")) or "Untitled stretch"
