"""Reads that are sentences."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from campaigns.models import ArtifactVersion, Campaign, Decision, LaneRun, Run  # noqa: F401 - the bases below name them


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """Campaigns of which the user may read at least the approved artifacts."""
        if not (user.is_authenticated and user.is_active):
            return self.filter(public=True)
        if user.is_superuser:
            return self
        return self.filter(Q(public=True) | Q(pk__in=user.memberships.values("campaign")))


class RunQuerySet(models.QuerySet["Run"]):
    def unfinished(self) -> Self:
        """Runs that have not ended: those that wait and those that work; a paused one waits for a person."""
        return self.filter(state__in=("queued", "running"))


class LaneRunQuerySet(models.QuerySet["LaneRun"]):
    def claimable(self, at: datetime) -> Self:
        """Lanes that a worker may take: queued ones, and running ones whose lease ran out."""
        return self.filter(
            Q(state="queued") | Q(state="running", lease_until__lt=at), run__state__in=("queued", "running")
        )

    def held_with(self, token: str) -> Self:
        return self.filter(state="running", token=token)


class ArtifactVersionQuerySet(models.QuerySet["ArtifactVersion"]):
    def approved(self) -> Self:
        return self.filter(state="approved")

    def usable(self) -> Self:
        """Versions that were neither rejected nor superseded; the latest is the one with the highest number."""
        return self.filter(state__in=("pending", "approved"))


class DecisionQuerySet(models.QuerySet["Decision"]):
    def of(self, session_id: int, lane: str) -> Self:
        """The history of one artifact, oldest first."""
        return self.filter(session_id=session_id, lane=lane).order_by("pk")
