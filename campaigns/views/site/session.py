"""One evening: its scenes, who was there, what was found and fought, and the transcript to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from campaigns.library.artifacts import records
from campaigns.library.editions import payloads, records_of
from campaigns.library.fights import fights
from campaigns.library.registry import Line, entries
from campaigns.library.sessions import SessionLine, session
from campaigns.library.sight import Sight
from campaigns.library.standing import Standing, standing_of
from campaigns.library.transcripts import Voice, voices
from campaigns.presentation import SCENES, Shown, shown
from campaigns.speakers import Table
from campaigns.views.site import portraits
from campaigns.views.site.campaign import MOST_LINES, facts_of, pending_by_session
from campaigns.views.site.kinds import KINDS, WORDINGS, Wording
from campaigns.views.site.naming import facts_of_fight, title_of
from campaigns.views.site.reader import part_at
from campaigns.views.site.visit import Visit, made_once, site_page

MOST_NAMED = 30
MOST_LABELS = 6
# What happens to things and is worth telling of an evening; mere mentions and uses are on the item's own page.
HAPPENED = ("acquired", "transferred", "identified", "lost", "destroyed")
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene as the outline shows it. `told` is false where the reader may not have its title, only its mode.

    `start` is the unit of the newest transcript that it begins with, None where that has not its words any more.
    """

    title: str
    mode: str
    start: int | None
    told: bool

    @property
    def sign(self) -> str:
        """Return the mode as a part of a class name."""
        return self.mode.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Cast:
    """Those of a kind that occur in the session; `more` are left out of the list."""

    wording: Wording
    kind: str
    lines: Sequence[Line]
    more: int


@dataclass(frozen=True, slots=True)
class Told:
    """A record as it reads, with the unit of the newest transcript that its evidence begins with, if it is there."""

    shown: Shown
    unit: int | None
    entity_id: str = ""


@dataclass(frozen=True, slots=True)
class Present:
    """Who spoke: people of the campaign, and labels of whom the campaign knows nothing; `more` are left out."""

    people: Sequence[str]
    labels: Sequence[str]
    more: int


@site_page
def session_page(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """Show the session; `?unit=ID` opens the transcript there, `?from=POSITION` at a part, `?all=1` as a whole."""
    sight = visit.sight
    evening = session(sight, number)
    scenes = scenes_of(visit, number)
    reads = sight.words and bool(evening.unit_count)
    spoken = voices(sight, number) if reads else []
    standing = standing_of(sight, number)
    fought = fights(sight, number)
    before, after = _neighbours(visit.sessions, number)
    context = {
        "evening": evening,
        "scenes": scenes,
        "casts": _casts(visit, number),
        "fights": [(fight, facts_of_fight(fight)) for fight in fought],
        "facts": facts_of(evening),
        "nothing": not any(evening.families.values()),
        "spells": [told_of("spells", record, standing) for record in records(sight, number, "spells")],
        "found": [
            told_of("item-occurrences", record, standing)
            for record in records(sight, number, "item-occurrences")
            if record.get("kind") in HAPPENED
        ],
        "part": part_at(visit, number, request.GET, titles_of(scenes)) if reads else None,
        "present": _present(visit, spoken),
        "speaking": portraits.speaking_of(spoken),
        "speaking_file": f"speaking-s{number}",
        "before": before,
        "after": after,
        "waiting": pending_by_session(visit).get(number, 0),
    }
    told = f"{len(scenes)} scenes" if scenes else ""
    return visit.page("site/session.html", context, title=title_of(evening), told=told)


@site_page
def session_part(request: HttpRequest, visit: Visit, number: int) -> HttpResponse:
    """Return a part of the transcript as a fragment for the page's script: `?from=POSITION` or `?unit=ID`."""
    part = part_at(visit, number, request.GET, titles_of(scenes_of(visit, number)))
    here = reverse("site-session", args=[visit.campaign.slug, number])
    context = {"part": part, "campaign": visit.campaign, "number": number, "back": here}
    # Not of the bytes: the forms of those who keep secrets carry a token that is another one each time.
    return made_once(
        request,
        repr((here, visit.keeps_secrets, part)).encode(),
        lambda: render(request, "site/session_part.html", context).content,
        "text/html; charset=utf-8",
    )


def scenes_of(visit: Visit, number: int) -> list[Scene]:
    """Return the session's scenes in order; a long one that was cut into parts of one title is one again.

    Somebody without words gets the scenes' modes for titles, and no unit to go to.
    """
    words, standing = visit.sight.words, standing_of(visit.sight, number)
    found: list[Scene] = []
    source_id, told = _scenes(visit.sight, number)
    for record in told:
        mode = _mode(record)
        title = str(record["title"]) if words else f"{mode} scene".capitalize()
        if not (words and found and (found[-1].title, found[-1].mode) == (title, mode)):
            start = int(record["start_unit_id"])
            now = standing.now(source_id, start, start)
            found.append(Scene(title, mode, now and now[0], words))
    return found


def _scenes(sight: Sight, number: int) -> tuple[str, list[dict[str, Any]]]:
    """Return the scenes with the source that their units are of; none where none are approved."""
    found = payloads(sight, (SCENES,), [number]).get((number, SCENES))
    return ("", []) if found is None else (found[0].transcript.source_id, records_of(found[1]))


def titles_of(scenes: Sequence[Scene]) -> Mapping[int, str]:
    """Return the titles by the unit that the scene begins with."""
    return {scene.start: scene.title for scene in scenes if scene.start is not None}


def told_of(family: str, record: Record, standing: Standing) -> Told:
    ref = record["source_refs"][0]
    now = standing.now(ref["source_id"], ref["start_unit_id"], ref["end_unit_id"])
    return Told(shown(family, record), now and now[0], str(record.get("item_id", "")))


def _mode(record: Record) -> str:
    return str(record["primary_mode"]).replace("_", " ")


def _casts(visit: Visit, number: int) -> list[Cast]:
    found = []
    for kind in KINDS.values():
        lines = entries(visit.sight, kind, session=number, limit=MOST_LINES)
        most = sorted(lines, key=lambda line: (-line.evidence_count, line.key))[:MOST_NAMED]
        if most:
            found.append(Cast(WORDINGS[kind], kind, sorted(most, key=lambda line: line.key), len(lines) - len(most)))
    return found


def _present(visit: Visit, spoken: Sequence[Voice]) -> Present | None:
    if not spoken:
        return None
    table = Table.of(visit.campaign)
    people = dict.fromkeys(filter(None, (table.person(voice.speaker) for voice in spoken)))
    labels = [voice.speaker for voice in spoken if voice.speaker and not table.person(voice.speaker)]
    return Present(list(people), labels[:MOST_LABELS], len(labels[MOST_LABELS:]))


def _neighbours(sessions: Sequence[SessionLine], number: int) -> tuple[SessionLine | None, SessionLine | None]:
    before = [line for line in sessions if line.number < number]
    after = [line for line in sessions if line.number > number]
    return (before[-1] if before else None, after[0] if after else None)
