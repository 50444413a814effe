from __future__ import annotations

from django.conf import settings
from django.db import models

from campaigns.models.campaign import Campaign
from campaigns.models.edition import Edition


class Export(models.Model):
    """What somebody asked to take out, and the file it became. This row is the truth; the queue is only a doorbell.

    queued -> running -> succeeded | failed, and succeeded -> expired when its file is gone. A claim raises `attempts`
    and sets a fresh `token` and a lease; an expired lease goes back to queued until the attempts are used up. `mark`
    is the name of the file in the data directory: random, and of nothing in it. `seen` is the digest of all that
    players saw when a file for them was begun: once they see anything else, it is not given out any more.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        EXPIRED = "expired"

    class Format(models.TextChoices):
        JSON = "json", "JSON"
        MARKDOWN = "markdown", "Markdown"
        CSV = "csv", "CSV"
        FOUNDRY = "foundry", "Foundry VTT"

    UNFINISHED = (State.QUEUED, State.RUNNING)

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(max_length=10, choices=Format.choices)
    edition = models.CharField(max_length=6, choices=Edition.choices, default=Edition.PLAYER)
    as_of = models.PositiveIntegerField(null=True, help_text="The last session that is in it; empty: all.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    token = models.CharField(max_length=32, blank=True)
    holder = models.CharField(max_length=40, blank=True, help_text="Machine and process that hold the lease.")
    lease_until = models.DateTimeField(null=True)
    rung_at = models.DateTimeField(null=True, help_text="When the doorbell last rang for it.")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    mark = models.CharField(max_length=32, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    seen = models.CharField(max_length=64, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    ordered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    ordered_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)
        indexes = (models.Index(fields=("state", "lease_until"), name="export_state_lease"),)

    def __str__(self) -> str:
        return f"{self.get_format_display()} of campaign {self.campaign_id}"

    @property
    def file_name(self) -> str:
        """Return the name under which it is downloaded: the campaign's address, edition and format."""
        return f"{self.campaign.slug}-{self.edition}-{self.format}.zip"
