"""Answer "dnd/combat-turns.extract": the turns of a fight, split by the GM's cues and by who speaks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from extraction.canonical import JsonValue
from extraction.llm.rules import materials as given
from extraction.llm.rules.combat_actions import Action, actions_of, told_as
from extraction.llm.rules.combat_course import Course
from extraction.llm.rules.combat_lines import HEAT, Line, Lines
from extraction.llm.rules.combat_people import People
from extraction.llm.rules.combat_stretches import Stretch
from extraction.llm.rules.combat_summary import summary_of
from extraction.llm.rules.materials import Materials

# Units between two that belong to a turn that are still cited with them.
_GAP = 2
# A longer silence of the GM ends what is told of somebody.
_PAUSE = 5
_LONGEST_TALE = 15


@dataclass(frozen=True, slots=True)
class _Turn:
    stretch: Stretch
    actions: Sequence[Action]
    ranges: Sequence[tuple[int, int]]


def extract_combat_turns(materials: Materials) -> JsonValue:
    """Return the turns in the order they were played; an empty list where nobody fights."""
    before, _ = given.context_sides(materials)
    cited = given.transcript(materials)
    people = People(materials, (*before, *cited))
    lines = Lines(before, cited, people)
    turns: list[_Turn] = []
    taken: set[int] = set()
    # Interruptions first: what was said of them is not said of the turn that they break into.
    for stretch in sorted(Course(lines, people).stretches(), key=lambda stretch: stretch.interrupts is False):
        turn = _turn(stretch, lines, people, taken)
        if turn is not None:
            turns.append(turn)
            taken |= _lines_of(turn) if stretch.interrupts else set()
    turns.sort(key=lambda turn: turn.ranges[0])
    return {"turns": [_record(turn, lines) for turn in turns]}


def _turn(stretch: Stretch, lines: Lines, people: People, taken: Set[int]) -> _Turn | None:
    """Return the stretch as a turn, None where nothing was done in it or nothing of it may be cited."""
    played = people.is_character(stretch.actor)
    if stretch.told is not None and stretch.told.position < lines.start and not played:
        return None
    citable = [line for line in stretch.lines if line.position >= lines.start]
    own = [line for line in citable if line.number not in taken or line.character == stretch.actor]
    actions = [] if stretch.kind == "lair_action" else actions_of(own, stretch.actor, people)
    if not actions and stretch.told is not None and stretch.told.position >= lines.start:
        actions = [told_as(citable, stretch.told, stretch.actor, people)]
    if not actions:
        return None
    positions = _relevant(citable, stretch.actor, actions, people)
    return _Turn(stretch, actions, _ranges(positions)) if positions else None


def _lines_of(turn: _Turn) -> set[int]:
    """Return the sentences of an interruption from where it is told to its last cited unit."""
    told, end = turn.stretch.told, turn.ranges[-1][1]
    return {line.number for line in turn.stretch.lines if told and told.number <= line.number and line.position <= end}


def _relevant(lines: Sequence[Line], actor: str, actions: Sequence[Action], people: People) -> list[int]:
    """Return the units of the turn: the GM's and the actor's up to the last one in which something happens."""
    played = people.is_character(actor)
    told = {position for action in actions for position in action.positions}
    last = max(told | {line.position for line in lines if line.gm and HEAT.search(line.low)}, default=-1)
    if not played:
        last = _told_on(lines, actor, last)
    ours = {line.position for line in lines if line.gm or (played and line.character == actor)}
    after = sorted(position for position in ours if position > last)[:1]
    return sorted({position for position in ours if position <= last} | told | set(after))


def _told_on(lines: Sequence[Line], actor: str, last: int) -> int:
    """Return the last unit up to which the GM, without a longer pause, goes on to tell of the actor."""
    names = re.compile(rf"\b(?:he|she|it|they|{'|'.join(re.escape(part.lower()) for part in actor.split())})\b")
    furthest = last + _LONGEST_TALE
    for line in lines:
        if line.gm and last < line.position <= min(last + _PAUSE, furthest) and names.search(line.low):
            last = line.position
    return last


def _ranges(positions: Iterable[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for at in positions:
        if ranges and at <= ranges[-1][1] + 1 + _GAP:
            ranges[-1] = (ranges[-1][0], at)
        else:
            ranges.append((at, at))
    return ranges


def _record(turn: _Turn, lines: Lines) -> JsonValue:
    actions: list[JsonValue] = [
        {
            "category": action.category,
            "declaration": action.declaration,
            "targets": list(action.targets),
            "resolution": action.resolution,
        }
        for action in turn.actions
    ]
    refs: list[JsonValue] = [
        {"start_unit_id": lines.unit_ids[start], "end_unit_id": lines.unit_ids[end]} for start, end in turn.ranges
    ]
    return {
        "actor": turn.stretch.actor,
        "turn_kind": turn.stretch.kind,
        "round": turn.stretch.round,
        "actions": actions,
        "summary": summary_of(turn.stretch.actor, turn.actions),
        "source_refs": refs,
    }
