"""The turns of a session as a timeline: encounters, their rounds, and in each the turns as they were taken.

Turns keep their order, which is that of the session. Nothing here is stored: an encounter is what the round numbers and
the session's scenes make of the turns. Its title alone outlives them, where a reviewer gave it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from campaigns.given_titles import COMBAT, GivenTitle, given_titles, title_at
from campaigns.models import ArtifactVersion
from campaigns.presentation import SCENES, round_label
from campaigns.review import Record, read_version

FAMILY = "combat-turns"


@dataclass(frozen=True, slots=True)
class Turn:
    """One record in its place.

    `interrupts` are those that break into it. `during` names whose turn it breaks into itself, where it could not
    stand inside that one. A turn whose round nobody said stands in the one before: then `assumed`.
    """

    record: Record
    interrupts: tuple[Turn, ...] = ()
    during: str = ""
    assumed: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the record's labels but for the round, under whose heading it stands."""
        number = self.record.shown.round
        said = None if number is None else round_label(number)
        return tuple(label for label in self.record.shown.labels if label != said)


@dataclass(frozen=True, slots=True)
class Round:
    """The turns of one round; `number` is None before anybody says one."""

    number: int | None
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Encounter:
    """One fight. `title` is that of the scene in which it begins; `continued`: its beginning is on an earlier page."""

    number: int
    title: str
    rounds: tuple[Round, ...]
    continued: bool = False

    @property
    def records(self) -> tuple[Record, ...]:
        turns = [turn for each in self.rounds for turn in each.turns]
        return tuple(one.record for turn in turns for one in (turn, *turn.interrupts))


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a turn stands: `host` is the record that it breaks into, `inside` whether it stands in it."""

    record: Record
    encounter: int
    title: str
    round: int | None
    host: Record | None = None
    inside: bool = False


class Scenes:
    """The session's scenes by position; scenes of combat that follow each other are one stretch, as are others.

    `titles` are those that reviewers gave, which go before what scenes that were made anew are called.
    """

    def __init__(self, records: Iterable[Record] = (), titles: Sequence[GivenTitle] = ()) -> None:
        self._titles = titles
        placed = [(record.cited.evidence[0].start, record) for record in records if record.cited.evidence]
        self._found = sorted(placed, key=lambda one: one[0])
        self._starts = [start for start, _ in self._found]
        fighting = [COMBAT in record.shown.labels for _, record in self._found]
        self._stretches = [0]
        for before, after in pairwise(fighting):
            self._stretches.append(self._stretches[-1] + (before != after))

    def stretch(self, record: Record) -> int | None:
        at = self._at(record)
        return None if at is None else self._stretches[at]

    def title(self, record: Record) -> str:
        at = self._at(record)
        if at is None:
            return ""
        return title_at(self._titles, record.cited.evidence[0].start) or self._found[at][1].cited.name

    def _at(self, record: Record) -> int | None:
        if not record.cited.evidence:
            return None
        at = bisect_right(self._starts, record.cited.evidence[0].start) - 1
        return at if at >= 0 else None


def scenes_of(version: ArtifactVersion) -> Scenes:
    """Return the newest usable scenes of the version's transcript, in two queries; none where there are none."""
    rows = ArtifactVersion.objects.usable().filter(
        artifact__session=version.artifact.session_id,
        artifact__lane=f"dnd/{SCENES}",
        transcript=version.transcript_id,
    )
    newest = rows.select_related("artifact__session", "transcript").order_by("-number").first()
    return Scenes(read_version(newest).records, given_titles(newest)) if newest else Scenes()


def titles_left(scenes: ArtifactVersion) -> tuple[str, ...]:
    """Return the titles that reviewers gave fights, and that neither these scenes nor an encounter have.

    They are for whoever reviews these scenes: once these are approved, that has been decided.
    """
    titles = given_titles(scenes)
    left = [(at, one) for at, one in enumerate(titles) if one.fight and not one.own]
    if not left:
        return ()
    records = read_version(scenes).records
    named = {record.cited.name for record in records}
    begun = _beginnings(scenes, Scenes(records, titles))
    return tuple(
        dict.fromkeys(
            one.title
            for at, one in left
            if one.title not in named
            and not any(newer.meets(one) for newer in titles[:at])
            and not any(one.holds(start) and title == one.title for start, title in begun)
        )
    )


def _beginnings(scenes: ArtifactVersion, plan: Scenes) -> list[tuple[int, str]]:
    """Return where the encounters of the newest turns that go with these scenes begin, with their titles."""
    rows = ArtifactVersion.objects.usable().filter(
        artifact__session=scenes.artifact.session_id, artifact__lane=f"dnd/{FAMILY}", transcript=scenes.transcript_id
    )
    turns = rows.select_related("artifact", "transcript").order_by("-number").first()
    placed = place_turns(read_version(turns).records, plan) if turns else ()
    return [
        (one.record.cited.evidence[0].start, one.title)
        for last, one in pairwise((None, *placed))
        if one is not None and one.record.cited.evidence and (last is None or last.encounter != one.encounter)
    ]


def place_turns(records: Sequence[Record], scenes: Scenes) -> tuple[Placed, ...]:
    """Return where each turn stands, in the order given."""
    placed: list[Placed] = []
    for record in records:
        last = placed[-1] if placed else None
        begins = last is None or _begins_a_fight(record, last, scenes)
        if last is None or begins:
            number = last.encounter + 1 if last else 1
            placed.append(Placed(record, number, scenes.title(record), record.shown.round))
            continue
        said = record.shown.round
        here = Placed(record, last.encounter, last.title, last.round if said is None else said)
        placed.append(_interrupting(here, placed) if record.shown.interrupt else here)
    return tuple(placed)


def timeline(placed: Sequence[Placed], first: int, count: int) -> tuple[Encounter, ...]:
    """Return `count` of the turns from number `first` on, under their encounters and rounds."""
    found: list[Encounter] = []
    for one in placed[first : first + count]:
        assumed = one.record.shown.round is None and one.round is not None
        encounter = found[-1] if found and found[-1].number == one.encounter else None
        if encounter is None:
            continued = not found and first > 0 and placed[first - 1].encounter == one.encounter
            found.append(Encounter(one.encounter, one.title, (Round(one.round, (_turn(one, assumed),)),), continued))
            continue
        rounds, last = encounter.rounds, encounter.rounds[-1]
        host = last.turns[-1]
        if last.number != one.round:
            rounds = (*rounds, Round(one.round, (_turn(one, assumed),)))
        elif one.inside and one.host is host.record:
            inner = replace(host, interrupts=(*host.interrupts, Turn(one.record)))
            rounds = (*rounds[:-1], replace(last, turns=(*last.turns[:-1], inner)))
        else:
            rounds = (*rounds[:-1], replace(last, turns=(*last.turns, _turn(one, assumed))))
        found[-1] = replace(encounter, rounds=rounds)
    return tuple(found)


def _turn(placed: Placed, assumed: bool) -> Turn:
    return Turn(placed.record, (), placed.host.cited.name if placed.host else "", assumed)


def _begins_a_fight(record: Record, last: Placed, scenes: Scenes) -> bool:
    """Say whether rounds start over, or the scenes say that the fight before has ended and no round says otherwise."""
    said = record.shown.round
    if said == 1 and last.round is not None and last.round > 1:
        return True
    before, after = scenes.stretch(last.record), scenes.stretch(record)
    if before is None or after is None or before == after:
        return False
    return not (said is not None and said > 1 and last.round is not None and said >= last.round)


def _interrupting(here: Placed, placed: Sequence[Placed]) -> Placed:
    """Say whose turn it breaks into: the last one begun in whose stretch of the session it starts."""
    fight = takewhile(lambda one: one.encounter == here.encounter, reversed(placed))
    newest = None
    for one in fight:
        if one.record.shown.interrupt:
            continue
        newest = newest or one
        if _covers(one.record, here.record):
            return replace(here, host=one.record, inside=one is newest and one.round == here.round)
    return here


def _covers(turn: Record, other: Record) -> bool:
    if not turn.cited.evidence or not other.cited.evidence:
        return False
    start = other.cited.evidence[0].start
    return turn.cited.evidence[0].start <= start <= max(piece.end for piece in turn.cited.evidence)
