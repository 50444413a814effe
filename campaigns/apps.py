from __future__ import annotations

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.db.models.signals import post_migrate


class CampaignsConfig(AppConfig):
    name = "campaigns"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from campaigns import checks, upgrading
        from campaigns.search import upkeep

        for check in checks.ALL:
            register(check)
        register(upkeep.check_index, Tags.database)
        register(checks.check_names, Tags.database)
        # The one signal: Django has no other word for "the tables are there".
        post_migrate.connect(upkeep.make_index, sender=self)
        post_migrate.connect(upgrading.rebuild_registries, sender=self)
