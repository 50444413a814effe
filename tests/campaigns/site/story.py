"""Two approved evenings for the website: the standard document, and a short one after it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import versions
from campaigns.models import ArtifactVersion, Campaign, Transcript
from extraction.canonical import JsonValue
from extraction.identity import comparison_key, item_id, npc_id
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review import families
from tests.standard import NPCS

CLAPPER = item_id(comparison_key("Clapper"))
WICK = npc_id(comparison_key("Wick"))
ESBEN = npc_id(comparison_key("Esben Tull"))
LATER = (
    SourceUnit(1, "Ottilie", "A week later a stranger waits on the pier. Esben Tull, he says, and bows."),
    SourceUnit(2, "Yun", "I hit him with the oar. Nine points of damage."),
    SourceUnit(3, "Ottilie", "Esben Tull goes down. Twelve fire damage as the lantern breaks on him."),
    SourceUnit(4, "Bram", "I cast mage armor on Wick."),
)


def tell(campaign: Campaign, by: User) -> tuple[Transcript, Transcript]:
    """Store and approve both evenings, each with a fight, and return their transcripts."""
    return first_evening(campaign, by), second_evening(campaign, by)


def first_evening(campaign: Campaign, by: User) -> Transcript:
    transcript = factories.make_transcript(factories.make_session(campaign, 1, "The ferry at dusk"))
    npcs = [person(transcript, name, ranges) for name, ranges in NPCS.items()]
    place = families.place(transcript, "Saltwick", ((41, 41),))
    approve(
        transcript,
        by,
        {
            "scenes": [
                families.scene("The pier", 41, 55),
                families.scene("The boathouse", 7, 21, "exploration"),
                families.scene("The longboat", 203, 211, "combat"),
            ],
            "npcs": npcs,
            "items": [families.item(transcript, "Clapper", ((14, 16),))],
            "locations": [place],
            "npc-occurrences": [
                met(transcript, "Harbourmaster Dell", "dialogue", 44, 46),
                met(transcript, "Wick", "appearance", 50, 52),
                met(transcript, "Mother Quillon", "dialogue", 12, 12),
                met(transcript, "Aurelio Voss", "appearance", 204, 209),
                met(transcript, "Wick", "action", 206, 205),
            ],
            "item-occurrences": [
                {
                    "item_id": CLAPPER,
                    "name": "Clapper",
                    "kind": "acquired",
                    "actor": "Pike",
                    "recipient": None,
                    "detail": "green with salt",
                    "source_refs": families.refs(transcript, ((14, 16),)),
                }
            ],
            "location-occurrences": [
                {
                    "location_id": place["id"],
                    "name": "Saltwick",
                    "kind": "arrival",
                    "source_refs": families.refs(transcript, ((41, 41),)),
                }
            ],
            "combat-turns": [
                families.turn(
                    transcript, "Corwen", [families.action("raises the candle", None)], "Raises it.", ((202, 202),)
                )
            ],
        },
    )
    return transcript


def second_evening(campaign: Campaign, by: User) -> Transcript:
    transcript = factories.make_transcript(factories.make_session(campaign, 2, "A stranger"), LATER)
    strike = families.action("hits him with the oar", "nine damage", ["Esben Tull"])
    approve(
        transcript,
        by,
        {
            "scenes": [families.scene("A stranger on the pier", 1, 4, "combat")],
            "npcs": [person(transcript, "Esben Tull", ((1, 3),))],
            "npc-occurrences": [met(transcript, "Esben Tull", "appearance", 1, 1)],
            "combat-turns": [families.turn(transcript, "Pike", [strike], "Strikes.", ((2, 3),), number=1)],
            "spells": [
                {
                    "caster": "Corwen",
                    "spell": "Mage Armor",
                    "level": 1,
                    "targets": ["Wick"],
                    "outcome": None,
                    "source_refs": families.refs(transcript, ((3, 4),)),
                }
            ],
            "enemy-events": [
                {
                    "enemy": "Esben Tull",
                    "kind": "defeated",
                    "detail": "goes down",
                    "actor": "Pike",
                    "source_refs": families.refs(transcript, ((3, 3),)),
                }
            ],
        },
    )
    return transcript


def person(transcript: Transcript, name: str, ranges: families.Pairs) -> dict[str, JsonValue]:
    return {"id": npc_id(comparison_key(name)), "name": name, "source_refs": families.refs(transcript, ranges)}


def met(transcript: Transcript, name: str, kind: str, start: int, end: int) -> dict[str, JsonValue]:
    refs = families.refs(transcript, ((start, end),))
    return {"npc_id": npc_id(comparison_key(name)), "name": name, "kind": kind, "source_refs": refs}


def approve(transcript: Transcript, by: User, records: dict[str, list[dict[str, JsonValue]]]) -> None:
    for family, found in records.items():
        version = families.make_version(transcript, family, found)
        versions.approve(version_id=version.pk, note="", by=by)


def waiting(campaign: Campaign, number: int) -> ArtifactVersion:
    """Return a version that waits for a decision, in a session of its own."""
    return factories.make_version(factories.make_transcript(factories.make_session(campaign, number)))


def client_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def pages(slug: str) -> list[str]:
    """Return the address of every page of the told campaign."""
    here = f"/campaigns/{slug}/"
    return [
        here,
        f"{here}sessions/1/",
        f"{here}sessions/2/",
        f"{here}sessions/1/fights/1/",
        f"{here}sessions/2/fights/1/",
        f"{here}npcs/",
        f"{here}npcs/{WICK}/",
        f"{here}npcs/{ESBEN}/",
        f"{here}items/",
        f"{here}items/{CLAPPER}/",
        f"{here}places/",
        f"{here}changes/",
        f"{here}changes.atom",
        f"{here}pictures/presence-people.svg",
        f"{here}pictures/relations.png",
        f"{here}pictures/fight-s2-1.svg",
    ]
