from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from campaigns.models.campaign import Campaign, Membership


class Invitation(models.Model):
    """A link that makes whoever opens it a member: its secret is shown once and stored as a digest."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Membership.Role.choices, default=Membership.Role.PLAYER)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    most_uses = models.PositiveIntegerField(default=1)
    uses = models.PositiveIntegerField(default=0)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (models.CheckConstraint(condition=Q(uses__lte=F("most_uses")), name="invitation_uses_bounded"),)

    def __str__(self) -> str:
        return f"{self.get_role_display()} ({self.prefix}…)"

    def is_open(self, at: datetime) -> bool:
        """Say whether it still makes members at this time."""
        return self.revoked_at is None and self.uses < self.most_uses and at < self.expires_at
