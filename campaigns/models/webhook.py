from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from campaigns.models.campaign import Campaign
from campaigns.models.edition import Edition


class Event(models.TextChoices):
    """What a program may ask to be told of."""

    RUN_FINISHED = "run.finished"
    VERSION_APPROVED = "version.approved"
    ENTITY_CHANGED = "entity.changed"
    PING = "ping"


class Webhook(models.Model):
    """An address that is told of a campaign's events, as far as its owner may see them.

    The signing secret is not stored: it is made from the site's secret key and `salt`. `seen_change` is the number of
    the newest row of the change feed that was announced here.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="webhooks")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    site = models.CharField(max_length=300, help_text="Where the addresses in a message begin.")
    events = models.JSONField(default=list)
    salt = models.CharField(max_length=32)
    seen_change = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    disabled_at = models.DateTimeField(null=True, blank=True)
    disabled_code = models.CharField(max_length=60, blank=True, help_text="Why it is told nothing any more.")

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(disabled_at__isnull=True, disabled_code="")
                | Q(disabled_at__isnull=False) & ~Q(disabled_code=""),
                name="webhook_disabled_with_reason",
            ),
        )

    def __str__(self) -> str:
        return f"webhook {self.pk}"


class Delivery(models.Model):
    """One event on its way to one webhook. The row is the truth; the queue only rings for it.

    waiting -> sending -> delivered | failed; back to waiting after a failed attempt, or when the lease of a dead
    worker ran out.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending"
        DELIVERED = "delivered"
        FAILED = "failed"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event_id = models.CharField(max_length=40, unique=True, help_text="The same at every attempt.")
    event = models.CharField(max_length=20, choices=Event.choices)
    body = models.TextField()
    edition = models.CharField(
        max_length=6, choices=Edition.choices, default=Edition.PLAYER, help_text="Who may know what the body tells."
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    rung_at = models.DateTimeField(null=True)
    token = models.CharField(max_length=32, blank=True)
    holder = models.CharField(max_length=60, blank=True, help_text="Machine and process that is sending it.")
    lease_until = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True, help_text="What the receiver answered last.")
    code = models.CharField(max_length=60, blank=True, help_text="Why the last attempt failed.")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name_plural = "deliveries"
        indexes = (
            models.Index(fields=("state", "due_at"), name="delivery_due"),
            models.Index(fields=("webhook", "-id"), name="delivery_log"),
        )

    def __str__(self) -> str:
        return self.event_id
