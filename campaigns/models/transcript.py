from __future__ import annotations

from django.conf import settings
from django.db import models

from campaigns.models.session import GameSession


class Transcript(models.Model):
    """One revision of a session's transcript. Written once; a correction is the next revision.

    Revisions that follow each other differ; one may say again what an older one said.
    """

    session = models.ForeignKey(GameSession, on_delete=models.CASCADE, related_name="transcripts")
    revision = models.PositiveIntegerField()
    source_id = models.CharField(max_length=120, unique=True)
    digest = models.CharField(max_length=64)
    title = models.CharField(max_length=300, blank=True)
    format = models.CharField(max_length=30)
    encoding = models.CharField(max_length=30)
    unit_count = models.PositiveIntegerField()
    notes = models.JSONField(default=list, help_text="What was skipped or flagged while reading: codes and counts.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("session", "revision")
        constraints = (models.UniqueConstraint(fields=("session", "revision"), name="transcript_revision_once"),)

    def __str__(self) -> str:
        return self.source_id


class Unit(models.Model):
    """One utterance. `position` counts from 0 and is the order; `unit_id` is only a name."""

    WITHDRAWN = "[withdrawn]"
    """The text of a unit whose words its speaker took back."""

    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="units")
    position = models.PositiveIntegerField()
    unit_id = models.PositiveBigIntegerField()
    speaker = models.CharField(max_length=200, null=True)  # noqa: DJ001 - unknown (null) and empty are different facts
    text = models.TextField()
    start_ms = models.BigIntegerField(null=True)
    end_ms = models.BigIntegerField(null=True)

    class Meta:
        ordering = ("transcript", "position")
        constraints = (
            models.UniqueConstraint(fields=("transcript", "position"), name="unit_position_once"),
            models.UniqueConstraint(fields=("transcript", "unit_id"), name="unit_id_once"),
        )

    def __str__(self) -> str:
        return f"Unit {self.unit_id}"
