"""A campaign of three evenings with one secret of every kind, invented for this project.

The hooded stranger is the duke: the game master has merged the two. A voice in the well has a name that players never
hear, one gift is secret, and a passage tells of somebody whom nothing else proves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from pytest_django import DjangoDbBlocker

from campaigns.actions import secrets, versions
from campaigns.models import ArtifactVersion, Campaign, Membership, Secret, Transcript
from extraction.canonical import JsonValue
from extraction.identity import comparison_key, item_id, npc_id
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review import families

GM, PLAYER = "Ottilie", "Bram"
STRANGER, DUKE, MERGED = "the hooded stranger", "Duke Orlan", "Orlan Twiceborn"
VOICE = "Vexmara Thornwhistle"
UNPROVEN = "Fennimore Quellgate"
SECRET_DETAIL = "Zwillingskrone wird vergraben"
PASSAGE = "Quellkanarie singt im Kerker."
CANARIES = ("Twiceborn", "Vexmara", "Thornwhistle", "Fennimore", "Quellgate", "Zwillingskrone", "Quellkanarie")

SAID = (
    (1, GM, "At the mill the hooded stranger waits."),
    (2, PLAYER, "I greet the hooded stranger."),
    (3, GM, "The hooded stranger throws a knife at Pike."),
    (4, GM, "At court Duke Orlan raises a toast."),
    (5, GM, "Duke Orlan strikes the table."),
    (6, GM, "The one who waited strikes again, and runs."),
    (7, GM, "A voice in the well calls you by your names."),
    (8, GM, "The voice casts a hex on Pike."),
    (9, PLAYER, "I hand the miller the lantern."),
    (30, GM, PASSAGE),
    (20, GM, f"Only {UNPROVEN} has the key."),
    (10, GM, "The lantern swings at the Old Mill."),
    (11, PLAYER, "Then we sleep at the Old Mill."),
)
UNITS = tuple(SourceUnit(unit_id, speaker, text) for unit_id, speaker, text in SAID)
LATER = (
    SourceUnit(1, GM, "Duke Orlan rides by."),
    SourceUnit(2, GM, "And the hooded stranger is at the Old Mill again."),
    SourceUnit(3, GM, "The voice laughs in the well."),
)


def npc(transcript: Transcript, name: str, *pairs: tuple[int, int]) -> dict[str, JsonValue]:
    return {"id": npc_id(comparison_key(name)), "name": name, "source_refs": families.refs(transcript, pairs)}


def group(result: Mapping[str, JsonValue], *members: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {"id": result["id"], "canonical": result["name"], "members": [dict(member) for member in members]}


def occurrence(transcript: Transcript, name: str, kind: str, *pairs: tuple[int, int]) -> dict[str, JsonValue]:
    refs = families.refs(transcript, pairs)
    return {"npc_id": npc_id(comparison_key(name)), "name": name, "kind": kind, "source_refs": refs}


def gift(transcript: Transcript, detail: str, recipient: str, *pairs: tuple[int, int]) -> dict[str, JsonValue]:
    return {
        "item_id": item_id("lantern"),
        "name": "Lantern",
        "kind": "transferred",
        "actor": "Bram",
        "recipient": recipient,
        "detail": detail,
        "source_refs": families.refs(transcript, pairs),
    }


@dataclass(frozen=True, slots=True)
class Story:
    campaign: Campaign
    gm: User
    first: Transcript
    secrets: Mapping[str, Secret]


def approve(transcript: Transcript, family: str, records: Sequence[families.Record], by: User, **more: object) -> int:
    """Store the records as a version and approve it; return its key."""
    version = families.make_version(transcript, family, records, **more)  # type: ignore[arg-type]
    return versions.approve(version_id=version.pk, note="", by=by).pk


def told(campaign: Campaign, by: User) -> Transcript:
    """Store and approve the three evenings, with nothing kept yet, and return the first one's transcript."""
    first = factories.make_transcript(factories.make_session(campaign, 1, "The mill"), UNITS)
    _first(first, by)
    second = factories.make_transcript(factories.make_session(campaign, 2, f"In the well: {VOICE}"), LATER)
    people = [npc(second, DUKE, (1, 1)), npc(second, STRANGER, (2, 2)), npc(second, VOICE, (3, 3))]
    approve(second, "npcs", people, by)
    approve(second, "scenes", [families.scene("The road", 1, 3, "exploration")], by)
    approve(second, "npc-occurrences", [occurrence(second, DUKE, "appearance", (1, 1))], by)
    third = factories.make_transcript(factories.make_session(campaign, 3, "The end"), LATER)
    again = npc(third, MERGED, (1, 1), (2, 2))
    merged = {"applied": [group(again, npc(third, DUKE, (1, 1)), npc(third, STRANGER, (2, 2)))]}
    approve(third, "npcs", [again], by, consolidations=merged)
    approve(third, "npc-occurrences", [occurrence(third, MERGED, "mention", (2, 2))], by)
    return first


def keep(campaign: Campaign, by: User) -> dict[str, Secret]:
    """Keep one thing of every kind from players."""
    gifts = ArtifactVersion.objects.approved().get(
        artifact__session__campaign=campaign, artifact__session__number=1, artifact__lane="dnd/item-occurrences"
    )
    session = campaign.sessions.get(number=1)
    return {
        "merge": secrets.hide_merge(campaign=campaign, kind="npc", entity_id=npc_id(comparison_key(DUKE)), by=by),
        "merged again": secrets.hide_merge(
            campaign=campaign, kind="npc", entity_id=npc_id(comparison_key(MERGED)), by=by
        ),
        "entry": secrets.hide_entry(campaign=campaign, kind="npc", entity_id=npc_id(comparison_key(VOICE)), by=by),
        "occurrence": secrets.hide_occurrence(version=gifts, record=1, by=by),
        "range": secrets.hide_range(session=session, start_unit=30, end_unit=20, by=by),
    }


def make(campaign: Campaign, by: User) -> Story:
    """Store the three evenings, and keep one thing of every kind."""
    first = told(campaign, by)
    return Story(campaign, by, first, keep(campaign, by))


def _first(page: Transcript, by: User) -> None:
    _who_and_where(page, by)
    _who_occurs(page, by)
    _who_fights(page, by)


def _who_and_where(page: Transcript, by: User) -> None:
    duke = npc(page, DUKE, (1, 3), (4, 5))
    merged = {"applied": [group(duke, npc(page, STRANGER, (1, 3)), npc(page, DUKE, (4, 5)))]}
    people = [duke, npc(page, VOICE, (7, 8)), npc(page, UNPROVEN, (20, 20))]
    approve(page, "npcs", people, by, consolidations=merged)
    approve(page, "items", [families.item(page, "Lantern", ((9, 9), (30, 30), (10, 10)))], by)
    approve(page, "locations", [families.place(page, "Old Mill", ((10, 11),))], by)
    scenes = [
        families.scene(f"{DUKE} is {STRANGER}", 1, 6),
        families.scene("At the well", 7, 20, "exploration"),
        families.scene("Rest at the Old Mill", 10, 11, "downtime"),
    ]
    approve(page, "scenes", scenes, by)


def _who_occurs(page: Transcript, by: User) -> None:
    arrival: dict[str, JsonValue] = {
        "location_id": families.place(page, "Old Mill", ((10, 11),))["id"],
        "name": "Old Mill",
        "kind": "arrival",
        "source_refs": families.refs(page, ((10, 10),)),
    }
    approve(page, "location-occurrences", [arrival], by)
    met = [
        occurrence(page, DUKE, "appearance", (1, 2)),
        occurrence(page, DUKE, "action", (5, 5)),
        occurrence(page, DUKE, "action", (6, 6)),
        occurrence(page, VOICE, "dialogue", (7, 7)),
    ]
    approve(page, "npc-occurrences", met, by)
    gifts = [
        gift(page, "lit, and warm", "the miller", (9, 9)),
        gift(page, SECRET_DETAIL, "the miller", (11, 11)),
        gift(page, f"for {VOICE}", VOICE, (10, 10)),
        gift(page, f"as {UNPROVEN} wished", "the miller", (9, 9), (30, 30)),
    ]
    approve(page, "item-occurrences", gifts, by)


def _who_fights(page: Transcript, by: User) -> None:
    knife = families.action(f"{DUKE} throws a knife", None, ["Pike", VOICE])
    turns = [
        families.turn(page, DUKE, [knife], "A knife flies.", ((3, 3),), number=1),
        families.turn(page, DUKE, [families.action("strikes the table")], f"{DUKE} is angry.", ((5, 5),), number=1),
        families.turn(page, DUKE, [families.action("strikes")], "A blow.", ((6, 6),), number=2),
        families.turn(page, VOICE, [families.action("casts a hex")], "A hex.", ((8, 8),), number=2),
    ]
    approve(page, "combat-turns", turns, by)
    casts: list[dict[str, JsonValue]] = [
        {
            "caster": caster,
            "spell": "Hex",
            "level": 1,
            "targets": targets,
            "outcome": outcome,
            "source_refs": families.refs(page, ((unit, unit),)),
        }
        for caster, targets, outcome, unit in (
            (VOICE, ["Pike"], None, 8),
            ("Pike", [VOICE, DUKE], f"{VOICE} falls silent", 10),
        )
    ]
    approve(page, "spells", casts, by)
    event: dict[str, JsonValue] = {
        "enemy": "The wolf",
        "kind": "damaged",
        "detail": "bitten",
        "actor": VOICE,
        "source_refs": families.refs(page, ((11, 11),)),
    }
    approve(page, "enemy-events", [event], by)


@contextmanager
def for_a_module(slug: str, blocker: DjangoDbBlocker) -> Iterator[Story]:
    """Give the tests of a module one story: each leaves it as it was, and the module leaves nothing."""
    with blocker.unblock(), transaction.atomic():
        campaign, gm = factories.make_campaign(slug), factories.make_user(f"gm-of-{slug}")
        factories.make_membership(campaign, gm, Membership.Role.GM)
        yield make(campaign, gm)
        transaction.set_rollback(True)
