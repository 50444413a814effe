from __future__ import annotations

from django.db import models

from campaigns.models.campaign import Campaign
from campaigns.models.edition import Edition
from campaigns.models.session import GameSession


class RegistryEntry(models.Model):
    """One identity of a campaign: the union of its approved session records. Rebuilt at approval, never edited.

    Each edition has rows of its own: what players may know is told apart when the registry is built.
    """

    class Kind(models.TextChoices):
        NPC = "npc", "NPC"
        ITEM = "item"
        LOCATION = "location"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="entries")
    edition = models.CharField(max_length=6, choices=Edition.choices, default=Edition.GM)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    entity_id = models.CharField(max_length=90)
    name = models.CharField(max_length=300)
    key = models.CharField(max_length=300, help_text="The name's comparison key: the order of lists.")
    sessions = models.JSONField(default=list)
    evidence_count = models.PositiveIntegerField()
    also_called = models.JSONField(default=list, help_text="Names of records that were consolidated into this one.")

    class Meta:
        ordering = ("campaign", "edition", "kind", "key", "entity_id")
        verbose_name_plural = "registry entries"
        constraints = (models.UniqueConstraint(fields=("campaign", "edition", "kind", "entity_id"), name="entry_once"),)

    def __str__(self) -> str:
        return self.name


class EntryAlias(models.Model):
    """Another id that leads to an entry: of a record that was joined with it, or that it has taken the place of."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+")
    edition = models.CharField(max_length=6, choices=Edition.choices, default=Edition.GM)
    kind = models.CharField(max_length=10, choices=RegistryEntry.Kind.choices)
    entity_id = models.CharField(max_length=90)
    entry = models.ForeignKey(RegistryEntry, on_delete=models.CASCADE, related_name="aliases")

    class Meta:
        verbose_name = "other id"
        ordering = ("entry", "entity_id")
        constraints = (models.UniqueConstraint(fields=("campaign", "edition", "kind", "entity_id"), name="alias_once"),)

    def __str__(self) -> str:
        return self.entity_id


class EntryEvidence(models.Model):
    """Where one entry is proven, in the order of sessions and transcript positions."""

    entry = models.ForeignKey(RegistryEntry, on_delete=models.CASCADE, related_name="evidence")
    session = models.ForeignKey(GameSession, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    source_id = models.CharField(max_length=120)
    start_unit_id = models.PositiveBigIntegerField()
    end_unit_id = models.PositiveBigIntegerField()

    class Meta:
        ordering = ("entry", "position")
        constraints = (models.UniqueConstraint(fields=("entry", "position"), name="entry_evidence_position_once"),)

    def __str__(self) -> str:
        return f"{self.start_unit_id}-{self.end_unit_id}"


class RegistryState(models.Model):
    """The digest of a campaign's whole registry of one kind in one edition: what an ETag is made of."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="registry_states")
    edition = models.CharField(max_length=6, choices=Edition.choices, default=Edition.GM)
    kind = models.CharField(max_length=10, choices=RegistryEntry.Kind.choices)
    digest = models.CharField(max_length=64)
    rebuilt_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("campaign", "edition", "kind"), name="registry_state_once"),)

    def __str__(self) -> str:
        return self.digest[:12]
