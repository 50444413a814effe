"""What became of the identities of a campaign, for readers and programs that come back after a while."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from campaigns.library.registry import joined
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from campaigns.models import Change, Edition

if TYPE_CHECKING:
    from django.db.models import QuerySet

COLUMNS = ("number", "at", "change", "kind", "entity_id", "name", "was", "superseded_by", "session")


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """`number` is what `after` takes. `was` is the name before; `superseded_by` are the ids that have its place now."""

    number: int
    at: datetime
    change: str
    kind: str
    entity_id: str
    name: str
    was: str
    superseded_by: list[str]
    session: int | None


def changes(sight: Sight, *, after: int = 0, limit: int, kinds: Collection[str] | None = None) -> list[ChangeRow]:
    """Return at most `limit` changes after that one, in the order in which they came about.

    `kinds` are those of entries. With `as_of` a change is told only if every id and name in it is known by then.
    """
    rows = _rows(sight).filter(number__gt=after).order_by("number")
    return _told(sight, rows if kinds is None else rows.filter(kind__in=list(kinds)), limit)


def newest(sight: Sight, *, before: int | None = None, since: datetime | None = None, limit: int) -> list[ChangeRow]:
    """Return at most `limit` changes before that one and not before that time, the newest first."""
    rows = _rows(sight).order_by("-number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    return _told(sight, rows if since is None else rows.filter(at__gte=since), limit)


def _rows(sight: Sight) -> QuerySet[Change]:
    return Change.objects.filter(campaign=sight.campaign, edition=Edition.PLAYER if sight.is_player else Edition.GM)


def _told(sight: Sight, rows: QuerySet[Change], limit: int) -> list[ChangeRow]:
    if sight.as_of is None:
        return [ChangeRow(*row) for row in rows.values_list(*COLUMNS)[:limit]]
    return _known(sight, rows.filter(session__lte=sight.as_of), limit)


def _known(sight: Sight, rows: QuerySet[Change], limit: int) -> list[ChangeRow]:
    """Return the changes that tell of nothing but what the sight's registry has."""
    ids: set[str] = set()
    names: set[str] = {""}
    for kind in KINDS:
        for entry in joined(sight, kind):
            ids.update((entry.entity_id, *entry.other_ids))
            names.update((entry.name, *entry.also_called))
    found = []
    for row in rows.values_list(*COLUMNS).iterator():
        change = ChangeRow(*row)
        if {change.entity_id, *change.superseded_by} <= ids and {change.name, change.was} <= names:
            found.append(change)
        if len(found) == limit:
            break
    return found
