"""An archive for `load`: `python -m bench.load_seed READERS` prints a game master's token and the readers' own.

It is the first campaign of `scale`, twenty approved evenings, where people occur too, with that many members more.
"""

from __future__ import annotations

import json
import sys

from bench.processes import print_result
from bench.scale_seed import FIRST, approve, first, web_session

KINDS = ("appearance", "dialogue", "mention")


def seed(readers: int) -> dict[str, object]:
    """Store the campaign; return the game master's token and, for each reader, a token and a web session."""
    import django

    django.setup()
    first()

    from django.contrib.auth.models import User

    from campaigns.actions import tokens
    from campaigns.models import ArtifactVersion, Campaign, Membership

    for people in ArtifactVersion.objects.filter(artifact__lane="dnd/npcs").select_related("transcript"):
        met = [
            {"npc_id": one["id"], "name": one["name"], "kind": kind, "source_refs": [ref]}
            for one in json.loads(people.payload)["npcs"]
            for kind, ref in zip(KINDS, one["source_refs"], strict=True)
        ]
        approve(people.transcript, "npc-occurrences", "occurrences", met)
    campaign = Campaign.objects.get(slug=FIRST)

    def member(name: str, role: str, scope: str) -> dict[str, str | None]:
        user = User.objects.create_user(name)
        Membership.objects.create(campaign=campaign, user=user, role=role)
        _, token = tokens.create(user=user, name="bench", scope=scope)
        return {"token": token, "web_session": web_session(user)}

    return {
        "gm": member("gm", Membership.Role.GM, "write")["token"],
        "readers": [member(f"reader-{at}", Membership.Role.PLAYER, "read") for at in range(readers)],
    }


if __name__ == "__main__":
    print_result(seed(int(sys.argv[1])))
