from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from campaigns.models.campaign import Campaign
from campaigns.models.registry import RegistryEntry
from campaigns.models.session import GameSession


class Secret(models.Model):
    """Something that only game masters may know until it is revealed. A revealed one stays as history.

    `binding` says in ids, names and unit ids what is kept secret, so that it holds for later extractions too:

    - entry: `{"ids": [...], "names": [...]}`, all ids and names of the identity;
    - merge: `{"members": [{"ids", "name", "by_name", "also"}, ...], "names": [...]}`, what must not be known to
      be one, each with the names that players know for it, and the names that only the merge gave;
    - occurrence: `{"family", "records": [{"source_id", "subject", "refs": [[start, end], ...], "said"}, ...]}`, the
      record as it was hidden, and as reviews have told it since;
    - range: `{"source_id", "start", "end", "names": [...]}`, with the names that nothing else tells.

    `token` is the digest of the binding's identity: what is secret already cannot be hidden once more.
    """

    class Kind(models.TextChoices):
        ENTRY = "entry"
        OCCURRENCE = "occurrence"
        RANGE = "range", "Passage"
        MERGE = "merge"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="secrets")
    session = models.ForeignKey(GameSession, null=True, on_delete=models.CASCADE, related_name="secrets")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    entry_kind = models.CharField(max_length=10, choices=RegistryEntry.Kind.choices, blank=True)
    token = models.CharField(max_length=64)
    label = models.CharField(max_length=300, help_text="What it is about, for game masters.")
    binding = models.JSONField(default=dict)
    note = models.TextField(blank=True)
    hidden_at = models.DateTimeField(auto_now_add=True)
    hidden_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    revealed_at = models.DateTimeField(null=True)
    revealed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("campaign", "kind", "token"), condition=Q(revealed_at__isnull=True), name="secret_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"
