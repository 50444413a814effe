from __future__ import annotations

from django.db import models


class Answered(models.Model):
    """A write that a program named by an Idempotency-Key, and what it was answered.

    `status` is null while the first request with the key is at work. `actor` names a token or a person's session.
    """

    actor = models.CharField(max_length=30)
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64, help_text="Of what was asked: an equal key must ask for the same.")
    status = models.PositiveSmallIntegerField(null=True)
    media_type = models.CharField(max_length=100, blank=True)
    location = models.CharField(max_length=300, blank=True)
    body = models.BinaryField(default=bytes)
    at = models.DateTimeField(help_text="When the request came.")
    # The answer may tell of the campaign, and goes with it. The database does not insist: the release before knows of
    # no such rows when it deletes a campaign.
    campaign = models.ForeignKey(
        "campaigns.Campaign", on_delete=models.CASCADE, null=True, related_name="+", db_constraint=False
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=("actor", "key"), name="answered_once"),)
        indexes = (models.Index(fields=("at",), name="answered_at"),)

    def __str__(self) -> str:
        return f"Answer {self.pk}"
