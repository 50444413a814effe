"""Long invented sessions for the browser."""

from __future__ import annotations

import random

from django.contrib.auth.models import User

from campaigns.models import ArtifactVersion, Campaign, Membership
from extraction.codes import Code
from extraction.findings import warning
from extraction.identity import comparison_key, npc_id
from extraction.source.documents import SourceUnit
from tests import factories

PASSWORD = "lantern-and-oar"
SPEAKERS = ("Ottilie", "Bram", "Yun", "Ines", "Joost")
PHRASES = (
    "The ferry noses into the fog and somebody ashore begins to count.",
    "I look at the rope. Is it wet?",
    "It is dry, and it should not be.",
    "You said that the keeper left the lamp burning on the seventh night, and that nobody came for the boat; so who"
    " rowed it back, and why is there salt on both oars when the river is sweet this far up?",
    "Fourteen.",
    "That is enough. The door gives, and behind it is a stair that goes down further than the house is tall.",
    "Pike, please do not touch the bell.",
    "I touch the bell.",
)
FIRST = ("Harbourmaster", "Mother", "Captain", "Brother", "Old", "Warden", "Sister", "Widow")
LAST = ("Dell", "Quillon", "Voss", "Sable", "Wick", "Tamsin", "Orrel", "Brandt", "Hesper", "Lune")


def make_gm(campaign: Campaign) -> User:
    user = User.objects.create_user("greta", password=PASSWORD)
    factories.make_membership(campaign, user, Membership.Role.GM)
    return user


def make_story(campaign: Campaign, units: int, people: int = 60) -> ArtifactVersion:
    """Return a pending version over `units` units, with unit ids out of order, warnings and one consolidation."""
    dice = random.Random(units)  # noqa: S311 - a story, not a secret
    said = [
        SourceUnit(at ^ 1, dice.choice(SPEAKERS), " ".join(dice.sample(PHRASES, dice.choice((1, 1, 1, 2, 3)))))
        for at in range(2, units + 2)
    ]
    transcript = factories.make_transcript(factories.make_session(campaign, 34, "The seventh night"), said)
    names = [f"{first} {last}" for last in LAST for first in FIRST][:people]
    npcs: dict[str, list[tuple[int, int]]] = {}
    for name in names:
        starts = sorted(dice.sample(range(units - 4), dice.randint(2, 16)))
        npcs[name] = [(said[at].unit_id, said[at + dice.randint(0, 3)].unit_id) for at in starts]
    last = said[-2:]
    npcs[names[-1]].append((last[0].unit_id, last[1].unit_id))
    refs = factories.npcs_payload(transcript, npcs)["npcs"]
    assert isinstance(refs, list)
    record = refs[0]
    assert isinstance(record, dict)
    version = factories.make_version(
        transcript,
        npcs,
        consolidations={
            "applied": [
                {
                    "id": npc_id(comparison_key(names[0])),
                    "canonical": names[0],
                    "members": [
                        record,
                        {**record, "name": "the harbourmaster", "source_refs": record["source_refs"][:1]},
                    ],
                }
            ],
            "proposals": [{"members": names[1:3], "canonical": names[1], "verdict": "reconcile.conflict"}],
        },
    )
    findings = [warning(Code.EVIDENCE_UNRELATED, f"record[{n}]").as_json() for n in (2, 5)]
    ArtifactVersion.objects.filter(pk=version.pk).update(
        findings=[*findings, warning(Code.RECONCILE_OMITTED).as_json()]
    )
    return version
