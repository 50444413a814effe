from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models

from campaigns.models.artifact import ArtifactVersion
from campaigns.models.session import GameSession
from campaigns.querysets import DecisionQuerySet


class Decision(models.Model):
    """What a person judged or changed in a review: who, when, what, why. Written once and never changed.

    Undo, redo and withdrawal are rows of their own that refer to the row they are about, so the history tells
    everything that happened. `keys` are the records it is about, as `{"key", "anchor"}`: the comparison key, and for
    places the unit at which the earliest evidence starts. Names stand here as in any artifact: this is archive
    content, unlike the audit.
    """

    class Kind(models.TextChoices):
        ACCEPT = "accept"
        EXPLODE = "explode", "undo a consolidation"
        CANONICAL = "canonical", "choose another name"
        MERGE = "merge"
        SAME = "same"
        NOT_SAME = "not_same", "not the same"
        UNSURE = "unsure"
        RENAME = "rename"
        REMOVE = "remove"
        SPLIT_EVIDENCE = "split_evidence"
        EDIT = "edit"
        EVIDENCE = "evidence"
        MOVE_EVIDENCE = "move_evidence"
        ADD = "add"
        DELETE = "delete"
        SPLIT_TURN = "split_turn"
        JOIN_TURNS = "join_turns"
        ROLL_BACK = "roll_back"
        UNDO = "undo"
        REDO = "redo"
        WITHDRAW = "withdraw"

    BINDING = frozenset({"accept", "explode", "canonical", "merge", "same", "not_same", "rename", "remove"})
    EDITS = frozenset(
        {"split_evidence", "edit", "evidence", "move_evidence", "add", "delete", "split_turn", "join_turns"}
    )
    ABOUT_OTHERS = frozenset({"undo", "redo", "withdraw"})

    session = models.ForeignKey(GameSession, on_delete=models.CASCADE, related_name="decisions")
    lane = models.CharField(max_length=60)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    keys = models.JSONField(default=list)
    data = models.JSONField(default=dict)
    reason = models.TextField(blank=True)
    about = models.ForeignKey("self", null=True, on_delete=models.RESTRICT, related_name="answers")
    made = models.ForeignKey(ArtifactVersion, null=True, on_delete=models.CASCADE, related_name="made_by")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    objects = DecisionQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        indexes = (models.Index(fields=("session", "lane"), name="decision_session_lane"),)
        constraints = (
            models.CheckConstraint(
                condition=models.Q(kind__in=("undo", "redo", "withdraw"), about__isnull=False)
                | (~models.Q(kind__in=("undo", "redo", "withdraw")) & models.Q(about__isnull=True)),
                name="decision_about_another",
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        """Write a new row; ValueError for a change of one that stands."""
        if self.pk:
            raise ValueError("a decision is written once")
        super().save(*args, update_fields=update_fields, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Raise ValueError: a decision goes only with its session."""
        raise ValueError("a decision is never deleted; withdraw it")
