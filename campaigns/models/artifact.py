from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from campaigns.models.run import LaneRun
from campaigns.models.session import GameSession
from campaigns.models.transcript import Transcript
from campaigns.querysets import ArtifactVersionQuerySet


class Artifact(models.Model):
    """The archived thing of one lane for one session."""

    session = models.ForeignKey(GameSession, on_delete=models.CASCADE, related_name="artifacts")
    lane = models.CharField(max_length=60)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("session", "lane"), name="artifact_once"),)

    def __str__(self) -> str:
        return self.lane


class ArtifactVersion(models.Model):
    """One immutable state of an artifact.

    pending -> approved | rejected | superseded, and approved -> superseded by the next approval. Only the decision
    fields ever change after the row is written.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        REJECTED = "rejected"
        SUPERSEDED = "superseded"

    class Origin(models.TextChoices):
        EXTRACTION = "extraction"
        REVIEW = "review"

    DECISION_FIELDS = frozenset({"state", "decided_by", "decided_at", "note"})

    artifact = models.ForeignKey(Artifact, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    origin = models.CharField(max_length=10, choices=Origin.choices)
    parent = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="versions")
    lane_run = models.ForeignKey(LaneRun, null=True, on_delete=models.SET_NULL, related_name="versions")
    payload = models.TextField(help_text="Canonical JSON of the durable artifact.")
    digest = models.CharField(max_length=64)
    record_count = models.PositiveIntegerField()
    manifest = models.JSONField(default=dict)
    findings = models.JSONField(default=list)
    consolidations = models.JSONField(
        default=dict, help_text="Applied groups with members, and the verdict on each proposal."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    note = models.TextField(blank=True)

    objects = ArtifactVersionQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(fields=("artifact", "number"), name="version_number_once"),
            models.UniqueConstraint(fields=("artifact",), condition=Q(state="pending"), name="one_pending_version"),
            models.UniqueConstraint(fields=("artifact",), condition=Q(state="approved"), name="one_approved_version"),
        )

    def __str__(self) -> str:
        return f"Version {self.number}"

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        """Write a new version, or the decision on this one; ValueError for any other change."""
        if self.pk and not (update_fields is not None and set(update_fields) <= self.DECISION_FIELDS):
            raise ValueError("a version is immutable but for its decision")
        super().save(*args, update_fields=update_fields, **kwargs)
