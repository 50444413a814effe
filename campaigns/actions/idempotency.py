"""Writes that are done once however often they are asked for: the answer to an Idempotency-Key is kept and given again.

A row is written before the work, so that of two equal requests at once only one works. It goes when the work fails:
whoever asks again gets another try.

The answers about a campaign go with it, and when words are taken from it: they may tell them. Rows of releases before
this one name no campaign; their time is over after a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from campaigns.actions.locking import lock_campaign
from campaigns.errors import ActionError, Conflict
from campaigns.models import Answered, Campaign
from extraction.codes import Code

if TYPE_CHECKING:
    from django.db.models import QuerySet

# A request that has not been answered after this long has died with its process.
AT_WORK = timedelta(minutes=5)
# What addresses name, and how that leads to the campaign; where an address names two of these, the first one counts.
LEADS = {
    "slug": "slug",
    "run_id": "sessions__runs",
    "version_id": "sessions__artifacts__versions",
    "decision_id": "sessions__decisions",
    "secret_id": "secrets",
}


class Reused(ActionError):
    code = Code.IDEMPOTENCY_REUSED
    status = 422


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    media_type: str
    location: str
    body: bytes


def campaign_at(lead: str, value: object) -> int | None:
    """Return the campaign to which one of LEADS in an address leads, whoever may see it, or None where there is none.

    It is kept beside the answer and told to nobody.
    """
    if isinstance(value, str) and not value.isprintable():
        return None  # a database may refuse such a text; it is no campaign's name
    return Campaign.objects.filter(**{LEADS[lead]: value}).values_list("pk", flat=True).first()


def claim(*, actor: str, key: str, digest: str, at: datetime, campaign_id: int | None = None) -> Answer | Answered:
    """Return the answer that this request has had, or the row to `answer` or `release` after the work.

    Raises Reused for a key that stood for another request, Conflict while the first one is still at work, NotFound
    where the campaign has been removed meanwhile.
    """
    found = Answered.objects.filter(actor=actor, key=key).first()
    if found is not None and _is_over(found, at):
        Answered.objects.filter(pk=found.pk, at=found.at).delete()
        found = None
    if found is None:
        try:
            with transaction.atomic():
                if campaign_id is not None:
                    # Waits for whoever is about to remove it: no answer may outlive it.
                    lock_campaign(campaign_id)
                return Answered.objects.create(actor=actor, key=key, digest=digest, at=at, campaign_id=campaign_id)
        except IntegrityError:
            # Another request with this key came between.
            found = Answered.objects.filter(actor=actor, key=key).first()
    if found is not None and found.digest != digest:
        raise Reused("This Idempotency-Key has stood for another request. Make a new key for each thing to do.")
    if found is None or found.status is None:
        raise Conflict("The first request with this Idempotency-Key is still at work.", code=Code.IDEMPOTENCY_IN_FLIGHT)
    return Answer(found.status, found.media_type, found.location, bytes(found.body))


def answer(*, row: Answered, given: Answer, must_stand: bool) -> None:
    """Keep what the request was answered; where its row is gone, nothing is kept.

    Raises Conflict in that case if the row must stand: what was done in the same transaction is undone with it.
    """
    values = {"status": given.status, "media_type": given.media_type, "location": given.location, "body": given.body}
    if not Answered.objects.filter(pk=row.pk).update(**values) and must_stand:
        raise Conflict(
            "Meanwhile words were taken from this campaign, or another request with this Idempotency-Key took over:"
            " nothing was done, ask again.",
            code=Code.IDEMPOTENCY_IN_FLIGHT,
        )


def release(*, row: Answered) -> None:
    """Forget a request that failed, so that it may be tried again."""
    Answered.objects.filter(pk=row.pk, status=None).delete()


def forget(*, campaign: Campaign) -> None:
    """Forget all answers about the campaign, also those that are still to be given.

    Comes last in a transaction that holds the campaign: a request locks its row after everything else, too.
    """
    Answered.objects.filter(campaign=campaign).delete()


def over(*, at: datetime) -> QuerySet[Answered]:
    """Return the answers that are no longer given again."""
    return Answered.objects.filter(at__lt=at - _kept_for()) | _orphans()


def _orphans() -> QuerySet[Answered]:
    """Return the answers about campaigns that the release before removed, which did not know of them."""
    there = Exists(Campaign.objects.filter(pk=OuterRef("campaign_id")))
    return Answered.objects.filter(~there, campaign_id__isnull=False)


def purge(*, at: datetime) -> int:
    """Remove the answers that are no longer given again, and return how many there were."""
    return over(at=at).delete()[0]


def _is_over(row: Answered, at: datetime) -> bool:
    return _orphans().filter(pk=row.pk).exists() or row.at < at - (AT_WORK if row.status is None else _kept_for())


def _kept_for() -> timedelta:
    return timedelta(hours=settings.API_IDEMPOTENCY_HOURS)
