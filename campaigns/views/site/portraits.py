"""What the library knows, as the plain data that pictures are drawn from."""

from __future__ import annotations

from collections.abc import Sequence

from campaigns.library.fights import Fight, Turn
from campaigns.library.occurrences import meetings, presence
from campaigns.library.registry import Line
from campaigns.library.transcripts import Voice as Spoke
from campaigns.pictures.drawing import Picture
from campaigns.pictures.fight import Beat, fight
from campaigns.pictures.presence import Seen
from campaigns.pictures.presence import presence as draw_presence
from campaigns.pictures.relations import Bond, relations
from campaigns.pictures.speaking import Voice, speaking
from campaigns.views.site.kinds import WORDINGS, Kind
from campaigns.views.site.visit import Visit


def presence_of(visit: Visit, kind: str, lines: Sequence[Line], *, title: str = "") -> Picture | None:
    """Return in which sessions the entries occur; where no occurrence was read, those that their evidence lies in."""
    met = presence(visit.sight, kind)
    seen = [Seen(line.name, met.get(line.entity_id) or dict.fromkeys(line.sessions, 1)) for line in lines]
    return draw_presence(seen, [session.number for session in visit.sessions], of=WORDINGS[kind].many, title=title)


def relations_of(visit: Visit, people: Sequence[Line]) -> Picture | None:
    bonds = [Bond(one, other, scenes) for (one, other), scenes in meetings(visit.sight, Kind.NPC).items()]
    return relations({line.entity_id: line.name for line in people}, bonds)


def speaking_of(spoken: Sequence[Spoke]) -> Picture | None:
    return speaking([Voice(each.speaker, each.units, each.signs) for each in spoken])


def fight_of(found: Fight) -> Picture | None:
    beats: list[Beat] = []
    for each in found.rounds:
        for turn in each.turns:
            beats.append(_beat(turn, each.number))
            beats += [_beat(one, each.number) for one in turn.interrupts]
    return fight(beats, title=f"Who acts when in fight {found.number}")


def _beat(turn: Turn, number: int | None) -> Beat:
    told = "; ".join(step.declared for step in turn.shown.steps if step.declared)
    return Beat(turn.shown.heading, number, turn.shown.interrupt, told)
