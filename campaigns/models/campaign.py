from __future__ import annotations

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models

from campaigns.querysets import CampaignQuerySet

SLUG = RegexValidator(r"^[a-z0-9]+(-[a-z0-9]+)*$", "Use small letters, digits and single hyphens.")


class Campaign(models.Model):
    """A group's campaign. The slug is part of every source id, so it stays once a transcript exists."""

    slug = models.CharField(max_length=60, unique=True, validators=[SLUG])
    name = models.CharField(max_length=200)
    public = models.BooleanField(
        default=False, help_text="Anyone may read approved artifacts, without quotes or transcripts."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    monthly_token_cap = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Tokens of all its runs in a calendar month after which they are paused."
    )
    monthly_cost_cap = models.DecimalField(
        null=True,
        blank=True,
        max_digits=12,
        decimal_places=2,
        help_text="Cost of all its runs in a month after which they are paused, in the currency of its prices.",
    )

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """What one person may do in one campaign (contracts, Who may do what)."""

    class Role(models.TextChoices):
        READER = "reader"
        PLAYER = "player"
        GM = "gm", "GM"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.READER)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("campaign", "user"), name="membership_once"),)

    def __str__(self) -> str:
        return f"{self.get_role_display()} of campaign {self.campaign_id}"
