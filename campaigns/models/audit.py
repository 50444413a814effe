from __future__ import annotations

from django.conf import settings
from django.db import models

from campaigns.models.campaign import Campaign


class AuditEntry(models.Model):
    """Who did what, when. Written inside the transaction of the act; holds ids, codes and counts only."""

    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    campaign = models.ForeignKey(Campaign, null=True, on_delete=models.SET_NULL, related_name="+")
    act = models.CharField(max_length=60)
    subject = models.CharField(max_length=60, help_text="Model and primary key, such as artifactversion:12.")
    facts = models.JSONField(default=dict)

    class Meta:
        ordering = ("-pk",)
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return f"{self.act} {self.subject}"
