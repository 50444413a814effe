"""The record of requests and replies: kept for site admins, removed on request."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from campaigns.actions import audit
from campaigns.models import Campaign, Exchange

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet


def kept(*, before: datetime | None, campaign: Campaign | None) -> QuerySet[Exchange]:
    """Return the exchanges, those of one campaign or older than a moment where one is given."""
    exchanges = Exchange.objects.order_by()
    if before is not None:
        exchanges = exchanges.filter(created_at__lt=before)
    if campaign is not None:
        exchanges = exchanges.filter(lane__run__session__campaign=campaign)
    return exchanges


@transaction.atomic
def purge(*, before: datetime | None, campaign: Campaign | None, by: User | None) -> int:
    """Remove the exchanges that `kept` returns and say how many; counters of the lanes stay."""
    removed, _ = kept(before=before, campaign=campaign).delete()
    audit.record(by=by, act="exchanges.purge", subject=campaign or Exchange(), campaign=campaign, count=removed)
    return removed
