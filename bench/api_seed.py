"""An archive of one campaign with a registry of many people: `python -m bench.api_seed PEOPLE` prints a token."""

from __future__ import annotations

import sys

from bench.processes import print_result

SLUG = "bench"


def seed(people: int) -> dict[str, object]:
    """Store the campaign and return a reader's token for it."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)

    from django.contrib.auth.models import User

    from campaigns.actions import tokens
    from campaigns.models import Campaign, Membership, RegistryEntry, RegistryState
    from extraction.canonical import digest
    from extraction.identity import comparison_key, npc_id

    campaign = Campaign.objects.create(slug=SLUG, name="Bench")
    user = User.objects.create_user("reader")
    Membership.objects.create(campaign=campaign, user=user)
    names = [f"Wayfarer {number} of the Glass Tithe" for number in range(people)]
    RegistryEntry.objects.bulk_create(
        RegistryEntry(
            campaign=campaign,
            kind="npc",
            entity_id=npc_id(comparison_key(name)),
            name=name,
            key=comparison_key(name),
            sessions=list(range(1, 2 + number % 12)),
            evidence_count=1 + number % 40,
        )
        for number, name in enumerate(names)
    )
    RegistryState.objects.create(campaign=campaign, kind="npc", digest=digest(list(names)))
    _, raw = tokens.create(user=user, name="bench", scope="read")
    return {"token": raw}


if __name__ == "__main__":
    print_result(seed(int(sys.argv[1])))
