"""Limits on what a run and a campaign may use, checked before anything starts."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from django.utils import timezone

from campaigns import costs
from campaigns.actions.plans import PlannedLane
from campaigns.errors import ActionError, Conflict
from campaigns.models import Campaign
from extraction.codes import Code

MOST = Decimal(10) ** 8


def check(plan: Iterable[PlannedLane], tokens: int | None, cost: Decimal | None) -> None:
    """Raise ActionError for a cap that is not above zero, or one on cost where it could not be reckoned."""
    if tokens is not None and not 0 < tokens < 2**63:
        raise ActionError("A cap on tokens is a whole number above zero.")
    if cost is None:
        return
    if not cost.is_finite() or not 0 < cost < MOST:
        raise ActionError("A cap on cost is an amount above zero.")
    prices = [lane.prices for lane in plan]
    if None in prices:
        raise ActionError(
            "A cap on cost needs the prices of every profile of the run: set NOTARIUS_LLM_PRICE_PROMPT and"
            " NOTARIUS_LLM_PRICE_COMPLETION, or the same in the profiles file."
        )
    if len({price.currency for price in prices if price is not None}) > 1:
        raise ActionError("A cap on cost needs prices in one currency.")


def refuse_over(campaign: Campaign) -> None:
    """Raise Conflict where the campaign has used as much in this month as it may."""
    if costs.month_reached(campaign, timezone.now()):
        raise Conflict(
            "This campaign has used as much in this month as it may; its cap stands in the admin.",
            code=Code.RUN_CAP_REACHED,
        )
