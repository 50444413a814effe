from __future__ import annotations

from django.db import models

from campaigns.models.artifact import ArtifactVersion


class Edition(models.TextChoices):
    """Of everything that is shown there are two editions: all that was approved, and what players may know of it."""

    GM = "gm", "GM"
    PLAYER = "player"


class PlayerPayload(models.Model):
    """What players get of an approved version that some secret touches; a version without one they get as it is."""

    version = models.OneToOneField(ArtifactVersion, on_delete=models.CASCADE, related_name="player_payload")
    payload = models.TextField(help_text="Canonical JSON of the durable artifact, without what is secret.")
    digest = models.CharField(max_length=64)
    record_count = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.digest[:12]
