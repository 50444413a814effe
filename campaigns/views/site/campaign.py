"""A campaign at a glance: its evenings in order, who and what there is, and who meets whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from campaigns.library.registry import Line, counts, entries
from campaigns.library.sessions import SessionLine, sessions
from campaigns.models import ArtifactVersion
from campaigns.pictures.drawing import Picture
from campaigns.views.site import portraits
from campaigns.views.site.kinds import KINDS, WORDINGS, Kind, Wording, count_of
from campaigns.views.site.visit import Visit, site_page

MOST_LINES = 2_000
MOST_SHOWN = 12
MOST_NEW = 8
FAMILIES = {
    "scenes": ("scene", "scenes"),
    "combat-turns": ("turn of a fight", "turns of fights"),
    "spells": ("spell", "spells"),
}


@dataclass(frozen=True, slots=True)
class Newcomers:
    """Those of a kind that a session has for the first time; `more` are left out of the list."""

    wording: Wording
    kind: str
    lines: Sequence[Line]
    more: int


@dataclass(frozen=True, slots=True)
class Evening:
    """A session in the story; `facts` says what the record has of it."""

    session: SessionLine
    facts: str
    newcomers: tuple[Newcomers, ...]
    waiting: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture, and the name of its file."""

    picture: Picture
    file: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """The entries of a kind that occur most."""

    wording: Wording
    kind: str
    total: int
    lines: Sequence[Line]


@site_page
def campaign_page(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the campaign: the newest evening first, and what the record holds."""
    sight = visit.sight
    held = counts(sight)
    lines = {kind: entries(sight, kind, limit=MOST_LINES) if held.get(kind) else [] for kind in KINDS.values()}
    waiting = pending_by_session(visit)
    evenings = [
        Evening(session, facts_of(session), _newcomers(lines, session.number), waiting.get(session.number, 0))
        for session in reversed(sessions(sight))
    ]
    context = {
        "evenings": evenings,
        "shelves": [_shelf(kind, found, held.get(kind, 0)) for kind, found in lines.items() if found],
        "drawings": _drawings(visit, lines[Kind.NPC]),
        "waiting": sum(waiting.values()),
        "told": told_of(visit, held),
    }
    return visit.page("site/campaign.html", context, title=visit.campaign.name, told=told_of(visit, held))


def told_of(visit: Visit, held: Mapping[str, int]) -> str:
    """Return the campaign in one line of numbers."""
    evenings = len(visit.sessions)
    parts = [f"{evenings} session{'' if evenings == 1 else 's'}"]
    parts += [count_of(kind, held[kind]) for kind in WORDINGS if held.get(kind)]
    return ", ".join(parts)


def facts_of(session: SessionLine) -> str:
    """Return what there is of the session, in words: "412 units, 12 scenes, 4 spells"."""
    known = [(session.unit_count or 0, "unit", "units")]
    known += [(session.families.get(family, 0), one, many) for family, (one, many) in FAMILIES.items()]
    told = [f"{count} {one if count == 1 else many}" for count, one, many in known if count]
    return ", ".join(told) or "nothing approved yet"


def pending_by_session(visit: Visit) -> Mapping[int, int]:
    """Return how many artifacts wait for a decision, by session, for those who may decide and look as who they are."""
    if not visit.manages or visit.as_player:
        return {}
    rows = ArtifactVersion.objects.filter(
        artifact__session__campaign=visit.campaign, state=ArtifactVersion.State.PENDING
    ).values_list("artifact__session__number", flat=True)
    found: dict[int, int] = {}
    for number in rows:
        found[number] = found.get(number, 0) + 1
    return found


def _newcomers(lines: Mapping[str, Sequence[Line]], number: int) -> tuple[Newcomers, ...]:
    found = []
    for kind, known in lines.items():
        new = [line for line in known if line.sessions and min(line.sessions) == number]
        most = sorted(new, key=lambda line: (-line.evidence_count, line.key))[:MOST_NEW]
        if most:
            found.append(Newcomers(WORDINGS[kind], kind, most, len(new) - len(most)))
    return tuple(found)


def _shelf(kind: str, lines: Sequence[Line], total: int) -> Shelf:
    most = sorted(lines, key=lambda line: (-line.evidence_count, line.key))[:MOST_SHOWN]
    return Shelf(WORDINGS[kind], kind, total, sorted(most, key=lambda line: line.key))


def _drawings(visit: Visit, people: Sequence[Line]) -> list[Drawing]:
    if not people:
        return []
    drawn = {"relations": portraits.relations_of(visit, people)}
    if len(visit.sessions) > 1:
        drawn = {f"presence-{WORDINGS[Kind.NPC].many}": portraits.presence_of(visit, Kind.NPC, people), **drawn}
    return [Drawing(picture, file) for file, picture in drawn.items() if picture is not None]
