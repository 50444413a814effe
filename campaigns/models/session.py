from __future__ import annotations

from django.db import models

from campaigns.models.campaign import Campaign
from campaigns.wording import session_heading


class GameSession(models.Model):
    """One evening of play."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="sessions")
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("campaign", "number")
        constraints = (models.UniqueConstraint(fields=("campaign", "number"), name="session_number_once"),)

    def __str__(self) -> str:
        return f"Session {self.number}"

    @property
    def heading(self) -> str:
        """Return number and title, for people."""
        return session_heading(self.number, self.title)
