"""Titles that reviewers gave scenes. When the scenes are made anew, the encounters that begin there keep them.

Nothing is written into the newer scenes: what an extraction found stays what it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from campaigns.actions import decisions
from campaigns.actions.history import lineage
from campaigns.actions.nodes import Record
from campaigns.carried import Way
from campaigns.models import ArtifactVersion, Decision, Transcript, Unit

LANE = "dnd/scenes"
COMBAT = "combat"
GIVING = (Decision.Kind.EDIT, Decision.Kind.ADD)
Ends = tuple[int, int]


@dataclass(frozen=True, slots=True)
class GivenTitle:
    """A title with the positions that it was given to; None where their words are not in the transcript any more.

    `own` says whether the version goes back to it, so that its scenes are titled as people last wanted them; `fight`
    whether the scene was one of combat.
    """

    title: str
    stretch: range | None
    own: bool
    fight: bool

    def holds(self, position: int) -> bool:
        return self.stretch is not None and position in self.stretch

    def meets(self, other: GivenTitle) -> bool:
        """Say whether the two stretches have a unit in common."""
        mine, its = self.stretch or range(0), other.stretch or range(0)
        return max(mine.start, its.start) < min(mine.stop, its.stop)


def title_at(titles: Sequence[GivenTitle], position: int) -> str | None:
    """Return the title that was given last to where this is, None where the scenes themselves have it, or none was."""
    last = next((one for one in titles if one.holds(position)), None)
    return None if last is None or last.own else last.title


def titled_in(sessions: Collection[int]) -> frozenset[int]:
    """Return those of the sessions of which somebody ever wrote a scene: one query."""
    rows = Decision.objects.filter(session__in=sessions, lane=LANE, kind__in=GIVING)
    return frozenset(rows.order_by().values_list("session", flat=True).distinct())


def given_titles(version: ArtifactVersion) -> tuple[GivenTitle, ...]:
    """Return the titles that stand, newest first, where the version of the scenes has its units."""
    rows = [row for row in decisions.live(version.artifact.session, LANE) if row.kind in GIVING]
    if not rows:
        return ()
    line = lineage(version)
    made = ArtifactVersion.objects.filter(pk__in=[row.made_id for row in rows]).select_related("transcript")
    sources = {one.pk: one.transcript for one in made.only("transcript")}
    said = [
        (scene, _here(_ends(scene), sources[row.made_id], version.transcript), row.made_id in line)
        for row in reversed(rows)
        if row.made_id in sources
        for scene in _given(row)
    ]
    places = _places(version.transcript, [unit for _, ends, _ in said for unit in ends or ()])
    return tuple(
        GivenTitle(scene["title"], _stretch(ends, places), own, scene["primary_mode"] == COMBAT)
        for scene, ends, own in said
    )


def approved_titles(version: ArtifactVersion) -> tuple[GivenTitle, ...]:
    """Return those of the titles that scenes had that were approved at some time."""
    titles = given_titles(version)
    if not titles:
        return ()
    decided = version.artifact.versions.filter(decided_at__isnull=False).exclude(state=ArtifactVersion.State.REJECTED)
    payloads = decided.order_by().values_list("payload", flat=True)
    told = {scene["title"] for payload in payloads for scene in orjson.loads(payload)["scenes"]}
    return tuple(one for one in titles if one.own or one.title in told)


def _given(row: Decision) -> Iterator[Record]:
    """Yield the scenes that the row gave a title."""
    before = {node["record"]["title"] for node in row.data.get("before", ())}
    for scene in (node["record"] for node in row.data.get("after", ())):
        if scene["title"] not in before:
            yield scene


def _ends(scene: Record) -> Ends:
    return scene["start_unit_id"], scene["end_unit_id"]


def _here(ends: Ends, source: Transcript, transcript: Transcript) -> Ends | None:
    """Return the ends by the units of the other revision; None where the words of either were changed."""
    if source.pk == transcript.pk:
        return ends
    way = Way.between(source, transcript)
    first, last = (way.standing(unit, unit) for unit in ends)
    return (first[0][0], last[0][1]) if first and last else None


def _places(transcript: Transcript, units: Sequence[int]) -> Mapping[int, int]:
    rows = Unit.objects.filter(transcript=transcript, unit_id__in=units)
    return dict(rows.order_by().values_list("unit_id", "position"))


def _stretch(ends: Ends | None, places: Mapping[int, int]) -> range | None:
    if ends is None or not all(unit in places for unit in ends):
        return None
    return range(places[ends[0]], places[ends[1]] + 1)
