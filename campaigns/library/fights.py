"""The fights of a session: its turns by encounter and round, those that break into others inside of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from campaigns import fights as encounters
from campaigns.given_titles import GivenTitle, approved_titles, given_titles
from campaigns.joining import Citation
from campaigns.library.editions import payloads, records_of, stored_edition
from campaigns.library.places import Positions, positions_of
from campaigns.library.sessions import visible
from campaigns.library.sight import Sight
from campaigns.models import ArtifactVersion, Edition
from campaigns.presentation import SCENES, Shown, shown
from campaigns.review import Cited, Evidence, Record

FAMILY = encounters.FAMILY


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: its record, how it reads, and what it cites. `index` is the record's number in the artifact.

    `during` names whose turn it breaks into where it does not stand inside that one; `assumed`: nobody said its round.
    """

    index: int
    record: Mapping[str, Any]
    shown: Shown
    refs: list[Citation]
    interrupts: tuple[Turn, ...] = ()
    during: str = ""
    assumed: bool = False

    @property
    def actor(self) -> str:
        return str(self.record["actor"])

    @property
    def summary(self) -> str:
        return str(self.record["summary"])


@dataclass(frozen=True, slots=True)
class Round:
    """`number` is None before anybody says one."""

    number: int | None
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Fight:
    """`number` counts from 1 in the session; `title` is that of the scene in which it begins."""

    number: int
    title: str
    rounds: tuple[Round, ...]

    @property
    def turns(self) -> Iterator[Turn]:
        """Return all turns in their order, those that break in behind the one that they break into."""
        for each in self.rounds:
            for turn in each.turns:
                yield turn
                yield from turn.interrupts


def fights(sight: Sight, number: int) -> list[Fight]:
    """Return the session's fights in their order; none where no turns are approved."""
    visible(sight, number)
    found = payloads(sight, (FAMILY, SCENES), [number])
    if (number, FAMILY) not in found:
        return []
    version, payload = found[number, FAMILY]
    turns = records_of(payload)
    scenes = records_of(found[number, SCENES][1]) if (number, SCENES) in found else []
    places = positions_of({version.transcript_id: {unit for item in (*turns, *scenes) for unit in _units(item)}})
    read = [_read(FAMILY, version, at, item, places) for at, item in enumerate(turns)]
    titles = _titles(sight, found[number, SCENES][0]) if scenes else ()
    plan = encounters.Scenes((_read(SCENES, version, at, item, places) for at, item in enumerate(scenes)), titles)
    placed = encounters.place_turns(read, plan)
    session_id = version.artifact.session_id
    return [
        Fight(
            fight.number,
            fight.title,
            tuple(
                Round(each.number, tuple(_turn(turn, turns, session_id, number) for turn in each.turns))
                for each in fight.rounds
            ),
        )
        for fight in encounters.timeline(placed, 0, len(placed))
    ]


def _titles(sight: Sight, scenes: ArtifactVersion) -> tuple[GivenTitle, ...]:
    """Return the titles of encounters that outlive their scenes.

    Players of a campaign with secrets get none: no title of earlier scenes was judged by what is kept from them.
    """
    if not sight.words or stored_edition(sight) is not Edition.GM:
        return ()
    return given_titles(scenes) if sight.latest else approved_titles(scenes)


def _turn(turn: encounters.Turn, records: list[dict[str, Any]], session_id: int, number: int) -> Turn:
    index = turn.record.number
    refs = [
        Citation(session_id, number, ref["source_id"], ref["start_unit_id"], ref["end_unit_id"])
        for ref in records[index]["source_refs"]
    ]
    inner = tuple(_turn(each, records, session_id, number) for each in turn.interrupts)
    return Turn(index, records[index], turn.record.shown, refs, inner, turn.during, turn.assumed)


def _read(family: str, version: ArtifactVersion, number: int, item: Mapping[str, Any], places: Positions) -> Record:
    """Return the record as the timeline places it: with its evidence as positions."""
    read = shown(family, item)
    evidence = tuple(
        Evidence(start, end, first, last)
        for first, last in _ranges(item)
        if (start := places.get((version.transcript_id, first))) is not None
        and (end := places.get((version.transcript_id, last))) is not None
    )
    return Record(number, Cited(read.heading, evidence, 0), read, "", (), ())


def _ranges(item: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return what the record cites, or of a scene its stretch."""
    refs = item.get("source_refs", (item,))
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in refs]


def _units(item: Mapping[str, Any]) -> list[int]:
    return [unit for pair in _ranges(item) for unit in pair]
