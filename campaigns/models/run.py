from __future__ import annotations

from django.conf import settings
from django.db import models

from campaigns.models.session import GameSession
from campaigns.models.transcript import Transcript
from campaigns.querysets import LaneRunQuerySet, RunQuerySet


class Run(models.Model):
    """One execution of a pipeline over one transcript.

    queued -> running -> succeeded | failed | cancelled, and queued, running <-> paused. Failed means that at least
    one lane has no artifact; the other lanes' artifacts stand. A paused run starts no call and loses nothing.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        PAUSED = "paused"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ACTIVE = (State.QUEUED, State.RUNNING)
    UNENDED = (*ACTIVE, State.PAUSED)

    session = models.ForeignKey(GameSession, on_delete=models.CASCADE, related_name="runs")
    transcript = models.ForeignKey(Transcript, on_delete=models.CASCADE, related_name="runs")
    pipeline = models.CharField(max_length=60)
    plan = models.JSONField(help_text="The pipeline's steps, bindings and retries as they were when the run started.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    pause_code = models.CharField(max_length=60, blank=True, help_text="Why it is paused.")
    token_cap = models.PositiveBigIntegerField(null=True, help_text="Tokens in and out after which it is paused.")
    cost_cap = models.DecimalField(
        null=True,
        max_digits=12,
        decimal_places=4,
        help_text="Cost after which it is paused, in the currency of its prices.",
    )
    request_id = models.CharField(max_length=40, blank=True, help_text="The request that started it, for the log.")

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"Run {self.pk}"


class LaneRun(models.Model):
    """One lane of a run: what a worker claims. This row is the truth; the queue is only a doorbell.

    waiting -> queued -> running -> succeeded | failed | cancelled, and waiting -> blocked when a lane it needs failed.
    A claim raises `attempts`, sets a fresh `token` and a lease; an expired lease goes back to queued, until the
    attempts are used up. Whoever holds another token than the row's must stop.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        BLOCKED = "blocked"
        CANCELLED = "cancelled"

    UNFINISHED = (State.WAITING, State.QUEUED, State.RUNNING)

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="lanes")
    key = models.CharField(max_length=60)
    step = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True)
    holder = models.CharField(max_length=40, blank=True, help_text="Machine and process that hold the lease.")
    rung_at = models.DateTimeField(null=True, help_text="When the doorbell last rang for this lane.")
    queued_at = models.DateTimeField(
        null=True, help_text="Since when it waits for a worker, however often it was rung."
    )
    chunks_done = models.PositiveIntegerField(default=0)
    chunks_total = models.PositiveIntegerField(default=0)
    calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    cached_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    findings = models.JSONField(default=list, help_text="Why the lane failed, when it did: codes and counts.")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = LaneRunQuerySet.as_manager()

    class Meta:
        ordering = ("run", "step", "key")
        constraints = (models.UniqueConstraint(fields=("run", "key"), name="lane_once_per_run"),)
        indexes = (models.Index(fields=("state", "lease_until"), name="lane_state_lease"),)

    def __str__(self) -> str:
        return f"{self.key} of run {self.run_id}"


class Checkpoint(models.Model):
    """A stage's result under its fingerprint. Kept per session, so that it goes with the session."""

    session = models.ForeignKey(GameSession, on_delete=models.CASCADE, related_name="checkpoints")
    key = models.CharField(max_length=64)
    value = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("session", "key"), name="checkpoint_once"),)

    def __str__(self) -> str:
        return self.key[:12]


class Exchange(models.Model):
    """A request and its raw reply, byte for byte (compressed). For site admins only; `purge` removes them."""

    lane = models.ForeignKey(LaneRun, on_delete=models.CASCADE, related_name="exchanges")
    prompt_id = models.CharField(max_length=80)
    request = models.BinaryField()
    reply = models.BinaryField()
    outcome = models.CharField(max_length=60)
    provider = models.CharField(max_length=20)
    model = models.CharField(max_length=200, blank=True)
    prompt_tokens = models.PositiveBigIntegerField(null=True)
    cached_tokens = models.PositiveBigIntegerField(null=True)
    completion_tokens = models.PositiveBigIntegerField(null=True)
    latency_ms = models.PositiveIntegerField(default=0)
    provider_request_id = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"Exchange {self.pk}"


class CallSeat(models.Model):
    """How many calls one lane may have in flight at a profile; all seats together keep the profile's limit."""

    profile = models.CharField(max_length=60)
    holder = models.CharField(max_length=32)
    held = models.PositiveIntegerField(default=0)
    wanted = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("profile", "holder"), name="seat_once_per_lane"),)

    def __str__(self) -> str:
        return f"{self.held} calls at {self.profile}"


class WorkerPulse(models.Model):
    """When the task cluster last did a task: what the supervisor looks at. One row a supervisor."""

    name = models.CharField(max_length=60, unique=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
