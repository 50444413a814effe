"""Long invented sessions for the browser."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from django.contrib.auth.models import User

from campaigns.models import ArtifactVersion, Campaign, Membership, Transcript
from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.findings import warning
from extraction.identity import comparison_key, npc_id
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review import families

Records = list[dict[str, JsonValue]]
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
    user = factories.make_user("greta")
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


def make_session_of_all(campaign: Campaign, units: int, turns: int = 60) -> dict[str, ArtifactVersion]:
    """Return a pending version of each family over one session, with a fight of `turns` turns in several ranges."""
    dice = random.Random(units)  # noqa: S311 - a story, not a secret
    said = [SourceUnit(at ^ 1, dice.choice(SPEAKERS), dice.choice(PHRASES)) for at in range(2, units + 2)]
    transcript = factories.make_transcript(factories.make_session(campaign, 35, "The longboat"), said)
    records = {
        **families.one_of_each(transcript),
        **_people_and_things(transcript, said),
        **_places(transcript, said),
        **_blows(transcript, said),
        "scenes": _twelve_scenes(said),
        "combat-turns": [_blow(transcript, said, number) for number in range(turns)],
    }
    made = {family: families.make_version(transcript, family, found) for family, found in records.items()}
    ArtifactVersion.objects.filter(pk=made["combat-turns"].pk).update(
        findings=[warning(Code.NAME_REWRITTEN, "record[1].actor").as_json()]
    )
    _run_that_failed(transcript)
    made["spells"].delete()
    return made


def _pairs(said: Sequence[SourceUnit], start: int, *steps: int) -> list[tuple[int, int]]:
    return [(said[start + step].unit_id, said[start + step + 1].unit_id) for step in steps]


def _proof(transcript: Transcript, said: Sequence[SourceUnit]) -> list[JsonValue]:
    return families.refs(transcript, _pairs(said, 300, 0, 50))


def _twelve_scenes(said: Sequence[SourceUnit]) -> Records:
    titles = ("The pier at dusk", "Below the chapel", "The bell rings", "A longboat without oars")
    modes = ("social", "exploration", "table_talk", "combat")
    length = len(said) // 12
    stretches = [said[start : start + length] for start in range(0, len(said), length)]
    return [
        families.scene(titles[number % 4], stretch[0].unit_id, stretch[-1].unit_id, modes[number % 4])
        for number, stretch in enumerate(stretches)
    ]


def _people_and_things(transcript: Transcript, said: Sequence[SourceUnit]) -> Mapping[str, Records]:
    proof = _proof(transcript, said)
    wick, clapper = npc_id("wick"), families.item(transcript, "The clapper", _pairs(said, 40, 0))
    thrown: dict[str, JsonValue] = {
        "item_id": clapper["id"],
        "name": "The clapper",
        "kind": "transferred",
        "actor": "Pike",
        "recipient": "Wick",
        "detail": "thrown across the water and caught",
        "source_refs": proof,
    }
    return {
        "npcs": [{"id": wick, "name": "Wick", "source_refs": proof}],
        "items": [clapper],
        "npc-occurrences": [{"npc_id": wick, "name": "Wick", "kind": "dialogue", "source_refs": proof}],
        "item-occurrences": [thrown],
    }


def _places(transcript: Transcript, said: Sequence[SourceUnit]) -> Mapping[str, Records]:
    """Return two places of one name and a third, and the arrivals at those two."""
    gates = [families.place(transcript, "The Water Gate", _pairs(said, at, 0, 5)) for at in (20, len(said) - 900)]
    return {
        "locations": [*gates, families.place(transcript, "Saltwick", _pairs(said, 60, 0))],
        "location-occurrences": [
            {"location_id": gate["id"], "name": gate["name"], "kind": "arrival", "source_refs": gate["source_refs"]}
            for gate in gates
        ],
    }


def _blow(transcript: Transcript, said: Sequence[SourceUnit], number: int) -> dict[str, JsonValue]:
    """Return the turn of this number in the fight: of one to three actions, of every kind, in a round or in none."""
    actor = FIRST[number % 5] + " " + LAST[number % 5]
    actions = [
        families.action("swings the boat hook at the mate", "it hits for nine", ["the drowned mate"]),
        families.action("calls on the Ninth Candle", None, [], "spell"),
        families.action("steps back behind the mast", "nobody follows", [], "movement"),
    ]
    return families.turn(
        transcript,
        actor,
        actions[: 1 + number % 3],
        f"{actor} keeps the rail while the drowned come up the side.",
        _pairs(said, 100 + 40 * number, 0, 9, 20),
        kind={3: "reaction", 8: "legendary_action", 11: "lair_action"}.get(number % 13, "turn"),
        number=None if number % 4 == 3 else 1 + number // 6,
    )


def _blows(transcript: Transcript, said: Sequence[SourceUnit]) -> Mapping[str, Records]:
    """Return what is told of the fight besides its turns."""
    proof = _proof(transcript, said)
    cast: dict[str, JsonValue] = {
        "caster": "Corwen",
        "spell": "Light of the Ninth Candle",
        "targets": ["Aurelio Voss", "the longboat"],
        "outcome": "the captain halts",
        "source_refs": proof,
    }
    hurt: dict[str, JsonValue] = {
        "enemy": "The drowned mate",
        "detail": "the hook takes him in the shoulder for nine",
        "actor": "Pike",
        "source_refs": proof,
    }
    return {
        "spells": [{**cast, "level": level} for level in (3, 0, None)],
        "enemy-events": [{**hurt, "kind": kind} for kind in ("damaged", "defeated")],
    }


def _run_that_failed(transcript: Transcript) -> None:
    run = factories.make_run(transcript, lanes=("dnd/spells", "dnd/npc-occurrences"), state="failed")
    run.lanes.filter(key="dnd/spells").update(
        error_code=Code.LLM_TRUNCATED.value, error_message="Chunk 4: the answer was cut off at max_tokens."
    )
    run.lanes.filter(key="dnd/npc-occurrences").update(
        state="blocked", error_code="run.blocked", error_message="This lane reads what dnd/npcs did not give."
    )


def make_fight(campaign: Campaign, units: int = 400) -> ArtifactVersion:
    """Return a pending version of one fight of two rounds: seven turns, of which a reaction breaks into the third."""
    said = [SourceUnit(at ^ 1, SPEAKERS[at % 5], PHRASES[at % 8]) for at in range(2, units + 2)]
    transcript = factories.make_transcript(factories.make_session(campaign, 36, "The bell tower"), said)

    def pairs(*places: tuple[int, int]) -> list[tuple[int, int]]:
        return [(said[first].unit_id, said[last].unit_id) for first, last in places]

    def turn(
        actor: str, at: int, number: int | None, *more: tuple[int, int], kind: str = "turn"
    ) -> dict[str, JsonValue]:
        actions = [
            families.action("swings the boat hook", "it hits for nine", ["the drowned mate"]),
            families.action("steps back behind the mast", None, [], "movement"),
        ]
        return families.turn(
            transcript, actor, actions, f"{actor} keeps the rail.", pairs((at, at + 2), *more), kind=kind, number=number
        )

    turns = [
        turn("Old Dell", 100, 1, (106, 107)),
        turn("Mother Quillon", 110, 1, (114, 115), (118, 118)),
        turn("Captain Voss", 120, 1, (128, 129)),
        turn("Warden Wick", 124, None, kind="reaction"),
        turn("Old Dell", 140, 2),
        turn("Mother Quillon", 150, None),
        turn("Captain Voss", 160, 2),
    ]
    families.make_version(
        transcript, "scenes", [families.scene("The bell tower", said[0].unit_id, said[-1].unit_id, "combat")]
    )
    return families.make_version(transcript, "combat-turns", turns)
