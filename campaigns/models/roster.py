from __future__ import annotations

from django.db import models

from campaigns.models.campaign import Campaign


class RosterEntry(models.Model):
    """A person at the table: the GM, or a player with a character."""

    class Kind(models.TextChoices):
        GM = "gm", "GM"
        PARTY = "party"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="roster")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    position = models.PositiveIntegerField(default=0)
    player = models.CharField(max_length=100)
    character = models.CharField(max_length=100, blank=True)
    speaker_labels = models.JSONField(default=list, blank=True)
    other_names = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ("campaign", "kind", "position")
        verbose_name_plural = "roster"

    def __str__(self) -> str:
        return self.character or self.player


class GlossaryTerm(models.Model):
    """A name as it is written, and the ways a recogniser has misheard it."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="glossary")
    position = models.PositiveIntegerField(default=0)
    term = models.CharField(max_length=200)
    heard_as = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ("campaign", "position")

    def __str__(self) -> str:
        return self.term
