"""The evenings of a campaign that exist for one sight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Subquery

from campaigns.errors import NotFound
from campaigns.library.editions import record_counts, shown_title
from campaigns.library.ranges import withheld_of
from campaigns.library.seen import seen_count
from campaigns.library.sight import Sight
from campaigns.models import ArtifactVersion, GameSession, Transcript
from extraction.codes import Code

if TYPE_CHECKING:
    from django.db.models import QuerySet


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One evening. `unit_count` is of its newest transcript, None without one or without words."""

    number: int
    title: str
    played: datetime
    unit_count: int | None
    families: Mapping[str, int] = field(default_factory=dict)


def sessions(sight: Sight) -> list[SessionLine]:
    """Return the sessions in the order of their numbers; without words, those that have something approved."""
    return _lines(sight, _rows(sight))


def outline(sight: Sight) -> list[SessionLine]:
    """Return the sessions as `sessions` does, with nothing counted: as of an earlier one that takes reading it all."""
    said = shown_title(sight)
    told = _rows(sight).values_list("number", "title", "created_at")
    return [SessionLine(number, said(title), played, None) for number, title, played in told]


def session(sight: Sight, number: int) -> SessionLine:
    """Return one session; NotFound where it does not exist for the sight."""
    found = _lines(sight, _rows(sight).filter(number=number), number)
    if not found:
        raise _unknown()
    return found[0]


def visible(sight: Sight, number: int) -> GameSession:
    """Return the session's row if it exists for the sight; NotFound otherwise."""
    place = (GameSession, sight.as_of, number)
    if place not in sight.memo:
        row = _rows(sight).filter(number=number).first()
        if row is None:
            raise _unknown()
        sight.memo[place] = row
    found: GameSession = sight.memo[place]
    return found


def _rows(sight: Sight) -> QuerySet[GameSession]:
    rows = GameSession.objects.filter(campaign=sight.campaign).order_by("number")
    if sight.as_of is not None:
        rows = rows.filter(number__lte=sight.as_of)
    if sight.words:
        return rows
    return rows.filter(Exists(ArtifactVersion.objects.approved().filter(artifact__session=OuterRef("pk"))))


def _lines(sight: Sight, rows: QuerySet[GameSession], number: int | None = None) -> list[SessionLine]:
    newest = Transcript.objects.filter(session=OuterRef("pk")).order_by("-revision")
    found = list(
        rows.annotate(newest=Subquery(newest.values("pk")[:1])).values_list("number", "title", "created_at", "newest")
    )
    units = _unit_counts(sight, [pk for *_, pk in found if pk is not None])
    counted = record_counts(sight, number)
    said = shown_title(sight)
    return [SessionLine(at, said(title), played, units.get(pk), counted.get(at, {})) for at, title, played, pk in found]


def _unit_counts(sight: Sight, transcripts: Sequence[int]) -> Mapping[int, int]:
    """Return by transcript how many of its units the sight may read; nothing without words."""
    if not sight.words:
        return {}
    found = list(Transcript.objects.filter(pk__in=transcripts))
    hidden = withheld_of(sight, found)
    return {one.pk: seen_count(one, hidden.get(one.pk, ())) for one in found}


def _unknown() -> NotFound:
    return NotFound("There is no such session.", code=Code.SESSION_UNKNOWN)
