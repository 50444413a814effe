from __future__ import annotations

from django.db import models
from django.utils import timezone

from campaigns.models.campaign import Campaign
from campaigns.models.edition import Edition
from campaigns.models.registry import RegistryEntry


class Change(models.Model):
    """What became of one identity of a campaign's registry, as one edition tells it.

    `number` is its place in its edition's order, and what readers know it by: it counts nothing that another edition
    is told. `superseded_by` are the ids that have its place now. Rows of the player's edition that would tell a secret
    are deleted when the secret is kept; the GM's edition is only ever added to.
    """

    class What(models.TextChoices):
        CREATED = "created"
        RENAMED = "renamed"
        MERGED = "merged"
        SPLIT = "split"
        RETIRED = "retired"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="changes")
    edition = models.CharField(max_length=6, choices=Edition.choices)
    number = models.BigIntegerField()
    kind = models.CharField(max_length=10, choices=RegistryEntry.Kind.choices)
    at = models.DateTimeField(default=timezone.now)
    change = models.CharField(max_length=10, choices=What.choices)
    entity_id = models.CharField(max_length=90)
    name = models.CharField(max_length=300)
    was = models.CharField(max_length=300, blank=True, help_text="The name before, where it is another one now.")
    superseded_by = models.JSONField(default=list)
    session = models.PositiveIntegerField(
        null=True, help_text="The number of the session that one must know to know of it."
    )

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("campaign", "edition", "number"), name="change_number_once"),)

    def __str__(self) -> str:
        return f"{self.change} {self.entity_id}"
