"""What an upgrade leaves to be worked out once the tables are there."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import DEFAULT_DB_ALIAS
from django.db.migrations import Migration

from campaigns.actions import registry
from campaigns.models import Campaign, RegistryState

# It gave entries their other names, by which a secret binds; rows from before it have none until they are rebuilt.
NAMED = ("campaigns", "0003_open_the_archive")


def rebuild_registries(
    using: str = DEFAULT_DB_ALIAS, plan: Sequence[tuple[Migration, bool]] = (), **signal: object
) -> None:
    """Rebuild every registry if the migration that their rows lag behind has just been applied; else do nothing."""
    applied = {(migration.app_label, migration.name) for migration, backwards in plan if not backwards}
    if using != DEFAULT_DB_ALIAS or NAMED not in applied:
        return
    stored = RegistryState.objects.order_by("campaign", "kind").values_list("campaign", "kind").distinct()
    for campaign_id, kind in stored:
        registry.rebuild(campaign=Campaign.objects.get(pk=campaign_id), kind=kind)
