"""Exports: ordered by a person, made by a worker, fetched until they expire.

A worker claims the row and keeps its lease alive with every step. Whoever lost the lease writes nothing more; a sweep
takes back what a dead worker held, so that the export is made anew.
"""

from __future__ import annotations

import logging
import secrets
import time
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from django import db
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from campaigns import processes, queue
from campaigns.access import Actor, Need, Who, campaign_for, may
from campaigns.actions import audit, ringing
from campaigns.actions.locking import lock_campaign
from campaigns.adapters import downloads
from campaigns.committing import after_commit
from campaigns.errors import ActionError, Conflict, Forbidden, NotFound
from campaigns.exports.formats import FORMATS
from campaigns.library.sight import Edition, Sight, sight_of
from campaigns.library.state import edition_digest
from campaigns.models import Campaign, Export
from campaigns.tracing import tracing
from extraction.codes import Code
from extraction.errors import LeaseLost, NotariusError

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

logger = logging.getLogger(__name__)
State = Export.State
SUCCEEDED, NOTHING_TO_DO = "succeeded", "nothing to do"
LEASE = timedelta(seconds=120)
KEPT = timedelta(hours=24)
REMEMBERED = timedelta(days=30)
MAX_ATTEMPTS = 3
MOST_UNFINISHED = 3


@transaction.atomic
def order(
    *, who: Who, slug: str, format: str, edition: str = Edition.PLAYER, as_of: int | None = None, by: User
) -> Export:
    """Order an export and ring for a worker.

    Raises NotFound for a campaign that they may not read, Forbidden for the game masters' edition where they may not
    manage it, ActionError for a format or edition that there is not, Conflict while three of theirs are unfinished.
    """
    campaign = campaign_for(who, slug, Need.READ)
    if format not in FORMATS or edition not in Edition.values:
        raise ActionError(f"The format is one of: {', '.join(FORMATS)}; the edition: {', '.join(Edition.values)}.")
    if edition == Edition.GM:
        campaign_for(who, slug, Need.EDIT)
        if as_of is not None:
            raise ActionError("The game masters' edition is of the whole campaign.")
    # Two orders at once take their turn at the campaign, so that the fourth sees the third.
    lock_campaign(campaign.pk)
    if Export.objects.filter(ordered_by=by, state__in=Export.UNFINISHED).count() >= MOST_UNFINISHED:
        raise Conflict(f"{MOST_UNFINISHED} of your exports are not finished yet: wait for one, or discard it.")
    export = Export.objects.create(
        campaign=campaign, format=format, edition=edition, as_of=as_of, ordered_by=by, rung_at=timezone.now()
    )
    audit.record(by=by, act="export.order", subject=export, campaign=campaign, format=format, edition=edition)
    after_commit(_log_order, export.pk)
    _ring(export.pk)
    return export


def export_for(who: Who, export_id: int) -> Export:
    """Return the export if it is theirs, or of a campaign that they manage; NotFound otherwise."""
    actor = who if isinstance(who, Actor) else Actor.of_user(who)
    export = Export.objects.select_related("campaign", "ordered_by").filter(pk=export_id).first()
    if export is None or actor.user is None or not _sees(actor, export):
        raise NotFound("There is no such export.", code=Code.EXPORT_UNKNOWN)
    return export


def exports_of(who: Who, slug: str) -> list[Export]:
    """Return the campaign's exports that they may see, newest first; NotFound as `campaign_for`."""
    campaign = campaign_for(who, slug, Need.READ)
    actor = who if isinstance(who, Actor) else Actor.of_user(who)
    rows = Export.objects.filter(campaign=campaign).select_related("campaign", "ordered_by").order_by("-pk")
    return [row for row in rows if _sees(actor, row)]


def opened(export: Export, who: Who) -> BinaryIO:
    """Return the open file of a finished export, for who may see it.

    Raises NotFound where it is not there any more, where they may no longer have its edition, and one for players
    where what they see is no longer what it was: something that the file holds may be a secret by now, or gone.
    """
    gone = NotFound("This export can no longer be fetched: order it again.", code=Code.EXPORT_UNKNOWN)
    if export.state != State.SUCCEEDED or export.expires_at is None or export.expires_at <= timezone.now():
        raise gone
    if not may(who, export.campaign, Need.EDIT if export.edition == Edition.GM else Need.READ):
        raise gone
    if export.edition == Edition.PLAYER and export.seen != _seen(export):
        raise gone
    file = downloads.open_file(export.mark)
    if file is None:
        raise gone
    return file


@transaction.atomic
def discard(*, export: Export, by: User) -> None:
    """Remove the export and its file; a worker that is at it stops at its next step."""
    audit.record(by=by, act="export.discard", subject=export, campaign=export.campaign)
    mark = export.mark
    export.delete()
    after_commit(downloads.remove, mark)


@transaction.atomic
def discard_all(*, campaign: Campaign) -> None:
    """Remove all exports of the campaign and their files: they hold what is being taken out of it."""
    for mark in campaign.exports.exclude(mark="").values_list("mark", flat=True):
        after_commit(downloads.remove, mark)
    campaign.exports.all().delete()


def work(*, export_id: int) -> str:
    """Make one export if it waits, and say how it ended: `succeeded`, or a code."""
    token = _claim(export_id, timezone.now())
    if token is None:
        return NOTHING_TO_DO
    began = time.monotonic()
    with tracing(export=export_id):
        logger.info("export claimed")
        outcome = _claimed(export_id, token)
        level = logging.INFO if outcome == SUCCEEDED else logging.WARNING
        logger.log(level, "export ended: outcome=%s seconds=%.1f", outcome, time.monotonic() - began)
    return outcome


def _claimed(export_id: int, token: str) -> str:
    mark = secrets.token_hex(16)
    try:
        _make(export_id, token, mark)
    except LeaseLost as error:
        downloads.remove(mark)
        return error.code.value
    except NotariusError as error:
        return _failed(export_id, token, error.code)
    except db.Error:
        raise
    except Exception as error:  # noqa: BLE001 - the one boundary: whatever a bug raises may quote a transcript
        logger.error("export %s: an unexpected %s", export_id, type(error).__name__)
        return _failed(export_id, token, Code.EXPORT_FAILED)
    return SUCCEEDED


def sweep(*, at: datetime) -> int:
    """Take back what dead workers held, ring for what nobody took, remove what expired; return how many changed.

    Any number of sweeps may run at once: each change is a compare-and-set on what was seen.
    """
    running = Export.objects.filter(state=State.RUNNING).values_list("pk", "token", "holder", "lease_until")
    gone = [
        (pk, token) for pk, token, holder, lease in running if lease is None or lease < at or processes.is_dead(holder)
    ]
    changed = sum(_take_back(pk, token, at) for pk, token in gone)
    # Before the doorbell, which fails while the broker is away.
    changed += expire(at=at)
    return changed + ringing.again(Export.objects.filter(state=State.QUEUED), queue.enqueue_export, at=at)


def over(*, at: datetime) -> QuerySet[Export]:
    """Return the finished exports whose time is over."""
    return Export.objects.filter(state=State.SUCCEEDED, expires_at__lte=at)


def expire(*, at: datetime) -> int:
    """Remove the files of exports whose time is over, and rows that are long done; return how many files."""
    removed = 0
    for pk, mark in list(over(at=at).values_list("pk", "mark")):
        if Export.objects.filter(pk=pk, state=State.SUCCEEDED).update(state=State.EXPIRED, mark=""):
            downloads.remove(mark)
            removed += 1
    Export.objects.filter(ordered_at__lt=at - REMEMBERED).exclude(state__in=Export.UNFINISHED).delete()
    return removed


def purge(*, at: datetime) -> int:
    """Do what `expire` does, and remove files that no export names any more; return how many files."""
    kept = set(Export.objects.exclude(mark="").values_list("mark", flat=True))
    return expire(at=at) + downloads.sweep(kept=kept)


def _sees(actor: Actor, export: Export) -> bool:
    own = actor.user is not None and export.ordered_by_id == actor.user.pk
    return may(actor, export.campaign, Need.READ if own and export.edition == Edition.PLAYER else Need.EDIT)


def _log_order(export_id: int) -> None:
    # It has the request's id, and the worker's lines have the export's: together they lead back to the click.
    with tracing(export=export_id):
        logger.info("export ordered")


def _claim(export_id: int, at: datetime) -> str | None:
    token = secrets.token_hex(16)
    taken = Export.objects.filter(
        Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=at), pk=export_id, attempts__lt=MAX_ATTEMPTS
    ).update(
        state=State.RUNNING,
        attempts=F("attempts") + 1,
        token=token,
        holder=processes.holder_name(),
        lease_until=at + LEASE,
        done=0,
    )
    return token if taken else None


def _make(export_id: int, token: str, mark: str) -> None:
    export = Export.objects.select_related("campaign", "ordered_by").get(pk=export_id)
    root = export.file_name.removesuffix(".zip")
    # Before the file is begun: what changes while it is made makes it one of the past.
    seen = _seen(export) if export.edition == Edition.PLAYER else ""
    files = FORMATS[export.format](_sight(export), partial(_step, export_id, token))
    packed = downloads.pack(mark=mark, root=root, files=files)
    now = timezone.now()
    _fence(
        export_id,
        token,
        state=State.SUCCEEDED,
        lease_until=None,
        mark=mark,
        seen=seen,
        size=packed.size,
        digest=packed.digest,
        finished_at=now,
        expires_at=now + KEPT,
    )


def _sight(export: Export) -> Sight:
    """Return what the person who ordered it may see by now; Forbidden where that is not the edition ordered."""
    sight = sight_of(
        export.ordered_by,
        export.campaign.slug,
        need=Need.EDIT if export.edition == Edition.GM else Need.READ,
        as_of=export.as_of,
        edition=Edition(export.edition),
    )
    if sight.edition != export.edition:
        raise Forbidden("This edition is for game masters.")
    return sight


def _seen(export: Export) -> str:
    return edition_digest(Sight(export.campaign, Edition.PLAYER, words=True, as_of=export.as_of))


def _step(export_id: int, token: str, done: int, total: int) -> None:
    _fence(export_id, token, lease_until=timezone.now() + LEASE, done=done, total=total)


def _fence(export_id: int, token: str, **changes: str | int | datetime | None) -> None:
    """Write to the row; LeaseLost, with nothing written, where somebody else holds it or it is gone."""
    if not Export.objects.filter(pk=export_id, state=State.RUNNING, token=token).update(**changes):
        raise LeaseLost("Another worker holds this export now.")


def _failed(export_id: int, token: str, code: Code) -> str:
    try:
        _fence(
            export_id,
            token,
            state=State.FAILED,
            lease_until=None,
            finished_at=timezone.now(),
            error_code=code.value,
        )
    except LeaseLost as lost:
        return lost.code.value
    return code.value


@transaction.atomic
def _take_back(export_id: int, token: str, at: datetime) -> bool:
    held = Export.objects.filter(pk=export_id, state=State.RUNNING, token=token)
    if held.filter(attempts__gte=MAX_ATTEMPTS).update(
        state=State.FAILED,
        token="",
        lease_until=None,
        finished_at=at,
        error_code=Code.EXPORT_ATTEMPTS_EXHAUSTED.value,
    ):
        return True
    if not held.update(state=State.QUEUED, token="", lease_until=None, rung_at=at):
        return False
    _ring(export_id)
    return True


def _ring(export_id: int) -> None:
    # A queue that is down fails nobody; the sweep rings later.
    after_commit(queue.enqueue_export, export_id)
