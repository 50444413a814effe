"""What is kept for a time only, and its end: by the settings, by its own term, or by hand.

Three kinds age by a setting in days: exchanges, checkpoints, and versions that nobody wanted. The others carry their
own term. Never a transcript, a decision, an approved version or one that ever was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction

from campaigns.actions import audit, deliveries, exports, idempotency
from campaigns.adapters import uploads
from campaigns.keeping import erasing
from campaigns.models import ArtifactVersion, Campaign, Checkpoint, Decision, Exchange, Run

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import Model, QuerySet

State = ArtifactVersion.State
Rows: TypeAlias = "QuerySet[Model, Any]"  # Any: rows of one kind or another


@dataclass(frozen=True, slots=True)
class Aged:
    """Rows that go when they are older than the setting says; 0 days keeps them for ever."""

    setting: str
    rows: Callable[[datetime | None, Campaign | None], Rows]


@dataclass(frozen=True, slots=True)
class Timed:
    """What has a term of its own: how much is over it, and its removal."""

    count: Callable[[datetime], int]
    remove: Callable[[datetime], int]


def exchanges(before: datetime | None, campaign: Campaign | None) -> QuerySet[Exchange]:
    """Return the recorded requests and replies; the counters of the lanes stay without them."""
    rows = Exchange.objects.order_by()
    rows = rows if before is None else rows.filter(created_at__lt=before)
    return rows if campaign is None else rows.filter(lane__run__session__campaign=campaign)


def checkpoints(before: datetime | None, campaign: Campaign | None) -> QuerySet[Checkpoint]:
    """Return the stored results of calls, but for sessions of which a run has not ended."""
    rows = Checkpoint.objects.exclude(session__in=_with_unended_runs())
    rows = rows if before is None else rows.filter(created_at__lt=before)
    return rows if campaign is None else rows.filter(session__campaign=campaign)


def unwanted_versions(before: datetime | None, campaign: Campaign | None) -> QuerySet[ArtifactVersion]:
    """Return the extractions that were rejected, or superseded without ever being approved, and that nothing needs.

    What has a part in a history stays: made or answered by a decision, made from another version or into one, read by
    another lane's version, or the newest of its artifact, whose number must not be given again. So do all of a session
    of which a run has not ended: its lanes may have bound one, or will bind what the run itself gave.
    """
    rows = ArtifactVersion.objects.filter(state=State.REJECTED) | ArtifactVersion.objects.filter(
        state=State.SUPERSEDED, decided_at=None
    )
    rows = rows.filter(parent=None, made_by=None).exclude(
        pk__in=ArtifactVersion.objects.exclude(parent=None).values("parent")
    )
    rows = rows.exclude(artifact__session__in=_with_unended_runs())
    rows = rows if before is None else rows.filter(created_at__lt=before).exclude(decided_at__gte=before)
    rows = rows if campaign is None else rows.filter(artifact__session__campaign=campaign)
    found = list(rows.values_list("pk", "artifact__session_id", "artifact__lane", "number"))
    needed = _needed({session for _, session, _, _ in found})
    return ArtifactVersion.objects.filter(pk__in=[pk for pk, *which in found if tuple(which) not in needed])


AGED: Mapping[str, Aged] = {
    "exchanges": Aged("KEEP_EXCHANGES_DAYS", exchanges),
    "checkpoints": Aged("KEEP_CHECKPOINTS_DAYS", checkpoints),
    "versions": Aged("KEEP_REJECTED_DAYS", unwanted_versions),
}
TIMED: Mapping[str, Timed] = {
    "uploads": Timed(lambda at: len(uploads.expired()), lambda at: uploads.purge()),
    "exports": Timed(lambda at: exports.over(at=at).count(), lambda at: exports.purge(at=at)),
    "deliveries": Timed(lambda at: deliveries.over(at=at).count(), lambda at: deliveries.over(at=at).delete()[0]),
    "answers": Timed(lambda at: idempotency.over(at=at).count(), lambda at: idempotency.purge(at=at)),
    "sign-ins": Timed(lambda at: _sign_ins(at).count(), lambda at: _sign_ins(at).delete()[0]),
}


def due(*, at: datetime) -> dict[str, int]:
    """Return how much of each kind would be removed now by the settings and terms."""
    aged = {name: AGED[name].rows(before, None).count() for name, before in _limits(at)}
    return aged | {name: each.count(at) for name, each in TIMED.items()}


def purge_due(*, at: datetime, whole: bool = False) -> dict[str, int]:
    """Remove what `due` counts, from the files too (`erasing`), and return how much of each kind that was."""
    aged = {name: purge_aged(name, before=before, campaign=None, by=None) for name, before in _limits(at)}
    timed = {name: each.remove(at) for name, each in TIMED.items()}
    erasing.erase_deleted(whole=whole)
    return aged | timed


@transaction.atomic
def purge_aged(name: str, *, before: datetime | None, campaign: Campaign | None, by: User | None) -> int:
    """Remove one kind: all, or what is older than a moment or of one campaign. Return how many rows.

    Whoever calls this has what was deleted leave the files: once, after all kinds.
    """
    rows = AGED[name].rows(before, campaign)
    removed: int = rows.delete()[1].get(rows.model._meta.label, 0)
    if removed:
        audit.record(by=by, act=f"{name}.purge", subject=campaign or rows.model(), campaign=campaign, count=removed)
    return removed


def _limits(at: datetime) -> list[tuple[str, datetime]]:
    """Return the kinds that the settings end, each with the moment before which it goes."""
    days = {name: getattr(settings, each.setting) for name, each in AGED.items()}
    return [(name, at - timedelta(days=kept)) for name, kept in days.items() if kept]


def _with_unended_runs() -> QuerySet[Run, Any]:
    """Return the sessions of which a run waits, works or is paused, for a subquery."""
    return Run.objects.filter(state__in=Run.UNENDED).order_by().values("session")


def _needed(sessions: set[int]) -> set[tuple[int, str, int]]:
    """Return the versions of the sessions that stay for others' sake, as session, lane and number."""
    needed: set[tuple[int, str, int]] = set()
    newest: dict[tuple[int, str], int] = {}
    rows = ArtifactVersion.objects.filter(artifact__session__in=sessions)
    for session, lane, number, manifest in rows.values_list(
        "artifact__session_id", "artifact__lane", "number", "manifest"
    ).iterator():
        newest[session, lane] = max(number, newest.get((session, lane), 0))
        read = manifest.get("references", {}).values()
        needed |= {(session, bound["lane"], bound["version"]) for bound in read}
    turns = Decision.objects.filter(session__in=sessions, kind=Decision.Kind.ROLL_BACK)
    needed |= {(session, lane, data["to"]) for session, lane, data in turns.values_list("session_id", "lane", "data")}
    return needed | {(*artifact, number) for artifact, number in newest.items()}


def _sign_ins(at: datetime) -> QuerySet[Session]:
    return Session.objects.filter(expire_date__lt=at)
