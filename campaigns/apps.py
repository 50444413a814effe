from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import register


class CampaignsConfig(AppConfig):
    name = "campaigns"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from campaigns import checks

        for check in checks.ALL:
            register(check)
