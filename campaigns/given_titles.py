"""Titles that reviewers gave scenes. When the scenes are made anew, the encounters that begin there keep them.

Nothing is written into the newer scenes: what an extraction found stays what it is. A title ends where a reviewer took
it away: with its scene, by another title, or by another beginning of its scene or of the next one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from campaigns.actions import decisions
from campaigns.actions.history import lineage
from campaigns.actions.nodes import Record
from campaigns.carried import Way
from campaigns.library.places import positions_of
from campaigns.models import ArtifactVersion, Decision, Transcript

LANE = "dnd/scenes"
COMBAT = "combat"
GIVING = (Decision.Kind.EDIT, Decision.Kind.ADD)
CHANGING = (*GIVING, Decision.Kind.DELETE)
# What an answer says that takes a title away and gives none.
ENDED = ""
Ends = tuple[int, int]
Placed = tuple[Record, range]


@dataclass(frozen=True, slots=True)
class GivenTitle:
    """A title with the positions that it was given to; None where their words are not in the transcript any more.

    It is empty where a reviewer took one away. `own` says whether the version goes back to it, so that its scenes are
    titled as people last wanted them; `fight` whether the scene was one of combat.
    """

    title: str
    stretch: range | None
    own: bool
    fight: bool

    def holds(self, position: int) -> bool:
        return self.stretch is not None and position in self.stretch

    def meets(self, other: GivenTitle) -> bool:
        """Say whether both are titles, and their stretches have a unit in common."""
        mine, its = self.stretch or range(0), other.stretch or range(0)
        return ENDED not in (self.title, other.title) and _meet(mine, its)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a review of the version `made` said of these positions of its transcript: a title, or that it is ended."""

    title: str
    ends: Ends
    stretch: range
    made: ArtifactVersion
    fight: bool = False


def title_at(titles: Sequence[GivenTitle], position: int) -> str | None:
    """Return the title that was given last to where this is, None where the scenes themselves have it, or none was."""
    last = next((one for one in titles if one.holds(position)), None)
    return None if last is None or last.own else last.title or None


def titled_in(sessions: Collection[int]) -> frozenset[int]:
    """Return those of the sessions of which somebody ever wrote a scene: one query."""
    rows = Decision.objects.filter(session__in=sessions, lane=LANE, kind__in=GIVING)
    return frozenset(rows.order_by().values_list("session", flat=True).distinct())


def given_titles(version: ArtifactVersion) -> tuple[GivenTitle, ...]:
    """Return the titles that stand, and where some were taken away, newest first, where the version has its units."""
    return _standing(_answers(version), version)


def approved_titles(version: ArtifactVersion) -> tuple[GivenTitle, ...]:
    """Return those of the titles that scenes had that were approved at some time, and what took them away as well."""
    answers = _answers(version)
    if not answers:
        return ()
    line = lineage(version)
    decided = version.artifact.versions.filter(decided_at__isnull=False).exclude(state=ArtifactVersion.State.REJECTED)
    payloads = decided.order_by().values_list("payload", flat=True)
    told = {scene["title"] for payload in payloads for scene in orjson.loads(payload)["scenes"]}
    # What took a title away counts with the next version that was decided on, also if a run made that anew.
    last = max(decided.values_list("number", flat=True), default=0)

    def approved(one: _Answer) -> bool:
        return one.made.pk in line or (one.made.number <= last if one.title == ENDED else one.title in told)

    return _standing([one for one in answers if approved(one)], version)


def _answers(version: ArtifactVersion) -> list[_Answer]:
    """Return what the standing acts of reviews said of titles, newest first; nothing where none ever gave one."""
    rows = [row for row in decisions.live(version.artifact.session, LANE) if row.kind in CHANGING]
    if all(row.kind not in GIVING for row in rows):
        return []
    found = ArtifactVersion.objects.filter(pk__in=[row.made_id for row in rows]).select_related("transcript", "parent")
    made = {one.pk: one for one in found.only("number", "transcript", "payload", "parent__payload")}
    # What one act made another one began from, as a rule: each is read once.
    whose = {each.pk: (each, one.transcript_id) for one in made.values() for each in (one.parent, one) if each}
    scenes: dict[int, list[Record]] = {pk: orjson.loads(each.payload)["scenes"] for pk, (each, _) in whose.items()}
    units: dict[int, set[int]] = {}
    for pk, (_, transcript) in whose.items():
        units.setdefault(transcript, set()).update(unit for scene in scenes[pk] for unit in _ends(scene))
    places = _places(units)
    placed = {pk: _placed(scenes[pk], places[transcript]) for pk, (_, transcript) in whose.items()}
    answers: list[_Answer] = []
    known: dict[tuple[_Answer, int], _Answer | None] = {}
    for row in rows:
        if row.made_id in made:
            one = made[row.made_id]
            earlier = _brought(answers, one.transcript, known)
            was, now = placed.get(one.parent_id or 0, []), placed[one.pk]
            said = _said(row, one, was, now, list(earlier.values()))
            ended = _replaced(row, said, now, earlier)
            # What ends a title comes right behind it: newer titles of the same lines stay.
            answers = [each for old in answers for each in (old, *ended.get(old, ()))] + said
    return answers[::-1]


def _brought(
    answers: Sequence[_Answer], transcript: Transcript, known: dict[tuple[_Answer, int], _Answer | None]
) -> dict[_Answer, _Answer]:
    """Return the answers, each with what it is by the units of this revision, where it is anything there.

    What was worked out is put down in `known`.
    """
    fresh = [each for each in answers if (each, transcript.pk) not in known]
    ends = {each: _here(each, transcript) for each in fresh if each.made.transcript_id != transcript.pk}
    places = _places({transcript.pk: {unit for one in ends.values() for unit in one or ()}} if ends else {})
    for each in fresh:
        own = ends.get(each, each.ends)
        stretch = _stretch(own, places[transcript.pk]) if each in ends else each.stretch
        known[each, transcript.pk] = replace(each, ends=own, stretch=stretch) if own and stretch else None
    return {each: here for each in answers if (here := known[each, transcript.pk]) is not None}


def _said(
    row: Decision, made: ArtifactVersion, was: Sequence[Placed], now: Sequence[Placed], earlier: Sequence[_Answer]
) -> list[_Answer]:
    """Return where the act took titles away and, newer than that, what it gave a title or a titled scene's ends."""
    before = {_key(scene) for scene, _ in was}
    given = {scene["title"] for scene in _given(row)}
    ended, titled = [], []
    for scene, stretch in now:
        if _key(scene) in before:
            continue
        if scene["title"] in given or _goes_on(scene, stretch, earlier):
            titled.append(_Answer(scene["title"], _ends(scene), stretch, made, scene["primary_mode"] == COMBAT))
            continue
        # A fight that begins earlier, where a title was given that it had from there on, keeps it.
        had = [its for other, its in was if other["title"] == scene["title"]] if scene["primary_mode"] == COMBAT else []
        kept = [one.stretch for one in earlier if one.title != ENDED and any(_meet(one.stretch, its) for its in had)]
        for other, its in was:
            if scene["title"] == other["title"] or not _meet(stretch, its) or any(_meet(its, one) for one in kept):
                continue
            # Where both are, which was the other's before.
            first = scene if stretch.start >= its.start else other
            last = scene if stretch.stop <= its.stop else other
            part = range(max(stretch.start, its.start), min(stretch.stop, its.stop))
            ended.append(_Answer(ENDED, (first["start_unit_id"], last["end_unit_id"]), part, made))
    return [*ended, *titled]


def _replaced(
    row: Decision, said: Sequence[_Answer], now: Sequence[Placed], earlier: Mapping[_Answer, _Answer]
) -> dict[_Answer, list[_Answer]]:
    """Return the titles that end as wholes, where their scene was removed or has another one, with what ends each.

    Also where that scene is shorter. A title stays where another scene has it, or is a fight that may begin there.
    """
    given = {scene["title"] for scene in _given(row)}
    if row.kind == Decision.Kind.ADD or (row.kind == Decision.Kind.EDIT and not given):
        return {}
    ended = {}
    for one, here in earlier.items():
        others = (scene for scene, stretch in now if scene["title"] not in given and _meet(here.stretch, stretch))
        if (
            one.title != ENDED
            and any(_meet(here.stretch, each.stretch) for each in said)
            and not any(scene["primary_mode"] == COMBAT or scene["title"] == one.title for scene in others)
        ):
            ended[one] = [replace(here, title=ENDED, fight=False, made=said[0].made)]
    return ended


def _goes_on(scene: Record, stretch: range, earlier: Sequence[_Answer]) -> bool:
    """Say whether a reviewer had given the scene its title before."""
    return any(one.title == scene["title"] and _meet(one.stretch, stretch) for one in earlier)


def _standing(answers: Sequence[_Answer], version: ArtifactVersion) -> tuple[GivenTitle, ...]:
    """Return the answers, newest first, where the version has their units, without those that newer ones replace."""
    line = lineage(version) if answers else []
    newer: dict[int, list[range]] = {}
    left = []
    for one in answers:
        over = newer.setdefault(one.made.transcript_id, [])
        if not _covered(one.stretch, over):
            left.append((one, _here(one, version.transcript)))
        over.append(one.stretch)
    units = {unit for _, ends in left for unit in ends or ()}
    places = _places({version.transcript_id: units})[version.transcript_id]
    # Newer ones may be of another revision than what they replace.
    found, over = [], []
    for one, ends in left:
        stretch = _stretch(ends, places)
        if stretch is None or not _covered(stretch, over):
            found.append(GivenTitle(one.title, stretch, one.made.pk in line, one.fight))
        if stretch is not None:
            over.append(stretch)
    return tuple(found)


def _covered(stretch: range, newer: Sequence[range]) -> bool:
    """Say whether no unit of the stretch is in none of the newer ones."""
    at = stretch.start
    for one in sorted(newer, key=lambda one: one.start):
        if one.start <= at:
            at = max(at, one.stop)
    return at >= stretch.stop


def _given(row: Decision) -> Iterator[Record]:
    """Yield the scenes that the row gave a title."""
    before = {node["record"]["title"] for node in row.data.get("before", ())}
    for scene in (node["record"] for node in row.data.get("after", ())):
        if scene["title"] not in before:
            yield scene


def _placed(scenes: Sequence[Record], places: Mapping[int, int]) -> list[Placed]:
    return [(scene, stretch) for scene in scenes if (stretch := _stretch(_ends(scene), places)) is not None]


def _key(scene: Record) -> tuple[str, str, Ends]:
    return scene["title"], scene["primary_mode"], _ends(scene)


def _ends(scene: Record) -> Ends:
    return scene["start_unit_id"], scene["end_unit_id"]


def _here(answer: _Answer, transcript: Transcript) -> Ends | None:
    """Return the ends by the units of the other revision; None where the words of a title's ends were changed."""
    if answer.made.transcript_id == transcript.pk:
        return answer.ends
    way = Way.between(answer.made.transcript, transcript)
    if answer.title == ENDED:
        # However little of it is left, what was taken away does not come back there.
        parts = way.standing(*answer.ends)
        return (parts[0][0], parts[-1][1]) if parts else None
    first, last = (way.standing(unit, unit) for unit in answer.ends)
    return (first[0][0], last[0][1]) if first and last else None


def _places(wanted: Mapping[int, Collection[int]]) -> dict[int, dict[int, int]]:
    """Return by transcript and unit id where each of these units stands."""
    found: dict[int, dict[int, int]] = {transcript: {} for transcript in wanted}
    for (transcript, unit), place in positions_of(wanted).items():
        found[transcript][unit] = place
    return found


def _stretch(ends: Ends | None, places: Mapping[int, int]) -> range | None:
    if ends is None or not all(unit in places for unit in ends):
        return None
    return range(places[ends[0]], places[ends[1]] + 1)


def _meet(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)
