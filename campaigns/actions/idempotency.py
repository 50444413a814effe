"""Writes that are done once however often they are asked for: the answer to an Idempotency-Key is kept and given again.

A row is written before the work, so that of two equal requests at once only one works. It goes when the work fails:
whoever asks again gets another try.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError, transaction

from campaigns.errors import ActionError, Conflict
from campaigns.models import Answered
from extraction.codes import Code

if TYPE_CHECKING:
    from django.db.models import QuerySet

# A request that has not been answered after this long has died with its process.
AT_WORK = timedelta(minutes=5)


class Reused(ActionError):
    code = Code.IDEMPOTENCY_REUSED
    status = 422


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    media_type: str
    location: str
    body: bytes


def claim(*, actor: str, key: str, digest: str, at: datetime) -> Answer | Answered:
    """Return the answer that this request has had, or the row to `answer` or `release` after the work.

    Raises Reused for a key that stood for another request, Conflict while the first one is still at work.
    """
    found = Answered.objects.filter(actor=actor, key=key).first()
    if found is not None and _is_over(found, at):
        Answered.objects.filter(pk=found.pk, at=found.at).delete()
        found = None
    if found is None:
        try:
            with transaction.atomic():
                return Answered.objects.create(actor=actor, key=key, digest=digest, at=at)
        except IntegrityError:
            # Another request with this key came between.
            found = Answered.objects.filter(actor=actor, key=key).first()
    if found is not None and found.digest != digest:
        raise Reused("This Idempotency-Key has stood for another request. Make a new key for each thing to do.")
    if found is None or found.status is None:
        raise Conflict("The first request with this Idempotency-Key is still at work.", code=Code.IDEMPOTENCY_IN_FLIGHT)
    return Answer(found.status, found.media_type, found.location, bytes(found.body))


def answer(*, row: Answered, given: Answer) -> None:
    """Keep what the request was answered."""
    row.status, row.media_type, row.location, row.body = given.status, given.media_type, given.location, given.body
    row.save(update_fields=["status", "media_type", "location", "body"])


def release(*, row: Answered) -> None:
    """Forget a request that failed, so that it may be tried again."""
    Answered.objects.filter(pk=row.pk, status=None).delete()


def over(*, at: datetime) -> QuerySet[Answered]:
    """Return the answers that are no longer given again."""
    return Answered.objects.filter(at__lt=at - _kept_for())


def purge(*, at: datetime) -> int:
    """Remove the answers that are no longer given again, and return how many there were."""
    return over(at=at).delete()[0]


def _is_over(row: Answered, at: datetime) -> bool:
    return row.at < at - (AT_WORK if row.status is None else _kept_for())


def _kept_for() -> timedelta:
    return timedelta(hours=settings.API_IDEMPOTENCY_HOURS)
