from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.canonical import JsonValue
from extraction.dnd.enemy_events.extract import EnemyEventsReply
from extraction.llm.rules.enemy_events_extract import extract_enemy_events
from tests.extraction.llm.rules.table import Said, extract_materials, units

NPCS: list[JsonValue] = [
    {"name": "Morwen Ash", "other_names": ["Morwen"]},
    {"name": "Brask", "other_names": []},
]
QUILL = "Quill Harrow"
# A fight goes on around what is told.
FIGHT: tuple[Said, ...] = (
    ("NOOR", "Brask attacks Ash'vel. Fourteen to hit?"),
    ("THEO", "That misses."),
    ("NOOR", "Quill, you're up."),
)


def events(*said: Said, **changes: JsonValue) -> list[dict[str, Any]]:
    reply = extract_enemy_events(extract_materials(*said, npcs=NPCS, **changes))
    EnemyEventsReply.model_validate(reply, strict=True)
    assert isinstance(reply, Mapping)
    found: Any = reply["events"]
    return list(found)


def told(*said: Said, **changes: JsonValue) -> list[tuple[str, str, str | None]]:
    return [(one["enemy"], one["kind"], one["actor"]) for one in events(*said, **changes)]


def cited(record: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]]


@pytest.mark.parametrize(
    ("rolled", "detail"),
    [
        pytest.param("Eleven slashing.", "takes 11 slashing damage", id="spoken-with-type"),
        pytest.param("That's 9 points of damage.", "takes 9 damage", id="digits"),
        pytest.param("Seven.", "takes 7 damage", id="number-alone"),
        pytest.param("Six, plus four... ten.", "takes 10 damage", id="the-sum-and-not-its-parts"),
        pytest.param("Twelve slashing and 5 fire.", "takes 12 slashing damage, 5 fire damage", id="two-types"),
    ],
)
def test_extract_enemy_events_finds_damage_with_the_numbers_that_were_said(rolled: str, detail: str) -> None:
    said: list[Said] = [("INES", "I stab Brask. Nineteen."), ("NOOR", "That hits."), ("INES", rolled)]
    (found,) = events(*FIGHT, *said)

    assert (found["enemy"], found["kind"], found["actor"]) == ("Brask", "damaged", QUILL)
    assert found["detail"] == detail
    assert cited(found) == [(4, 6)]


def hurt(*said: Said, **changes: JsonValue) -> list[tuple[str, str, str | None]]:
    return [(one["enemy"], one["detail"], one["actor"]) for one in events(*said, **changes) if one["kind"] == "damaged"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(
            [("INES", "I take two slices at Brask."), ("NOOR", "Go on."), ("INES", "Nineteen."), ("NOOR", "Hits."),
             ("INES", "Six."), ("NOOR", "Okay."), ("INES", "And a twenty."), ("NOOR", "That hits too."),
             ("INES", "Nine points of damage.")],
            [("Brask", "takes 6 damage", QUILL), ("Brask", "takes 9 damage", QUILL)],
            id="two-blows-of-one-declaration",
        ),
        pytest.param(
            [("INES", "I shoot Brask twice. 21 and 18."), ("NOOR", "Both hit."),
             ("INES", "Seven for the first one, and eleven for the second one.")],
            [("Brask", "takes 7 damage", QUILL), ("Brask", "takes 11 damage", QUILL)],
            id="blows-told-apart",
        ),
        pytest.param(
            [("INES", "I draw my longbow and shoot. At Brask."), ("NOOR", "Roll it."), ("INES", "Twenty."),
             ("NOOR", "That would hit."), ("INES", "Eight.")],
            [("Brask", "takes 8 damage", QUILL)],
            id="aimed-after-the-declaration",
        ),
        pytest.param(
            [("INES", "How far is Brask from me?"), ("NOOR", "Ten feet."), ("INES", "I'm going to take a shot."),
             ("NOOR", "Do."), ("INES", "Natural 20! Fourteen points of damage.")],
            [("Brask", "takes 14 damage", QUILL)],
            id="spoken-of-just-before-and-a-sure-hit",
        ),
        pytest.param(
            [("INES", "I stab Brask. Nineteen."), ("NOOR", "Go ahead and roll damage."), ("INES", "Twelve."),
             ("NOOR", "So that's six.")],
            [("Brask", "takes 6 damage", QUILL)],
            id="the-gm-settles-it",
        ),
        pytest.param(
            [("INES", "I stab Brask. Nineteen."), ("NOOR", "Hits."), ("INES", "Ten damage, and the fire--"),
             ("NOOR", "Twelve damage, all right.")],
            [("Brask", "takes 12 damage", QUILL)],
            id="the-gm-says-the-sum",
        ),
        pytest.param(
            [("INES", "I stab Brask. Nineteen."), ("NOOR", "Hits."), ("INES", "That is a two."),
             ("NOOR", "Two points of cold damage.")],
            [("Brask", "takes 2 cold damage", QUILL)],
            id="only-the-gm-calls-it-damage",
        ),
        pytest.param(
            [("INES", "I cast fireball."), ("NOOR", "That's 13 damage to both Brask and Morwen.")],
            [("Brask", "takes 13 damage", QUILL), ("Morwen Ash", "takes 13 damage", QUILL)],
            id="the-gm-deals-it",
        ),
        pytest.param(
            [("INES", "I cast burning hands at Brask."), ("NOOR", "He saves. He takes four points of fire damage.")],
            [("Brask", "takes 4 fire damage", QUILL)],
            id="the-gm-halves-it",
        ),
        pytest.param(
            [("INES", "I stab Brask. Nineteen."), ("NOOR", "Hits."), ("INES", "That's a six for the damage.")],
            [("Brask", "takes 6 damage", QUILL)],
            id="for-the-damage",
        ),
        pytest.param(
            [("INES", "I stab Brask. Nineteen."), ("NOOR", "Hits."),
             ("INES", "Ten points of damage plus four points of fire damage.")],
            [("Brask", "takes 10 damage, 4 fire damage", QUILL)],
            id="a-sum-of-two-kinds",
        ),
        pytest.param(
            [("NOOR", "Ash'vel, you're up."), ("THEO", "I smack Lady Thorn. Twenty."), ("NOOR", "He parries. Misses."),
             ("NOOR", "Sir Gant laughs at you."), ("THEO", "Then I hit him. Eighteen."), ("NOOR", "Hits."),
             ("THEO", "Five.")],
            [("Sir Gant", "takes 5 damage", "Ash'vel")],
            id="a-pronoun-by-its-gender",
        ),
        pytest.param(
            [("NOOR", "Now Brask's turn. Brask runs past Quill."), ("INES", "Opportunity attack! Nineteen."),
             ("NOOR", "That hits."), ("INES", "Seven.")],
            [("Brask", "takes 7 damage", QUILL)],
            id="a-reaction-is-at-whose-turn-it-is",
        ),
        pytest.param(
            [("NOOR", "Lady Thorn lunges at Quill. Fifteen to hit?"), ("INES", "I bonk her. Eighteen."),
             ("NOOR", "Roll damage."), ("INES", "Three damage.")],
            [("Lady Thorn", "takes 3 damage", QUILL)],
            id="the-call-for-damage-tells-of-the-attack",
        ),
    ],
)  # fmt: skip
def test_extract_enemy_events_follows_an_attack_to_its_damage(
    said: list[Said], expected: list[tuple[str, str, str | None]]
) -> None:
    npcs: list[JsonValue] = [
        *NPCS, {"name": "Sir Gant", "other_names": []}, {"name": "Lady Thorn", "other_names": []}
    ]  # fmt: skip
    reply: Any = extract_enemy_events(extract_materials(*FIGHT, *said, npcs=npcs))
    found = [(one["enemy"], one["detail"], one["actor"]) for one in reply["events"] if one["kind"] == "damaged"]

    assert found == expected


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(
            [("INES", "I stab Brask. 21."), ("NOOR", "Hits."), ("INES", "I feel great."),
             ("NOOR", "Make a constitution saving throw."), ("INES", "Sixteen.")],
            id="a-save-of-the-character",
        ),
        pytest.param(
            [("INES", "I stab Brask. 21."), ("NOOR", "Hits. You take nine points of cold damage.")], id="done-to-you"
        ),
        pytest.param(
            [("INES", "I use my second wind. Eight points of damage back.")], id="healing"
        ),
        pytest.param(
            [("INES", "I stab Brask. 21."), ("NOOR", "Hits."), ("INES", "I took 12 points of damage before.")],
            id="the-player-took-it",
        ),
        pytest.param(
            [("INES", "I cast cure wounds on Ash'vel."), ("NOOR", "Roll a d8."), ("INES", "Seven.")], id="a-friend"
        ),
    ],
)  # fmt: skip
def test_extract_enemy_events_takes_no_other_number_for_damage(said: list[Said]) -> None:
    assert hurt(*FIGHT, *said) == []


def test_extract_enemy_events_takes_whoever_is_given_a_turn_as_you_for_no_enemy() -> None:
    npcs: list[JsonValue] = [*NPCS, {"name": "Petra", "other_names": []}]
    said: list[Said] = [
        ("NOOR", "Petra, you're up."),
        ("GUEST", "I wave."),
        ("INES", "I stab Petra. Nineteen."),
        ("NOOR", "Hits."),
        ("INES", "Eleven damage."),
    ]
    reply: Any = extract_enemy_events(extract_materials(*FIGHT, *said, npcs=npcs))

    assert reply["events"] == []


def test_extract_enemy_events_turns_to_the_enemy_that_the_gm_offers() -> None:
    npcs: list[JsonValue] = [{"name": "Sir Gant", "other_names": []}, {"name": "Osk", "other_names": []}]
    said: list[Said] = [
        ("INES", "I'd like to swing at Sir Gant."),
        ("NOOR", "He is gone. You can go after Osk."),
        ("INES", "I'm going to turn her into soup. 21."),
        ("NOOR", "That hits."),
        ("INES", "Eight."),
    ]
    reply: Any = extract_enemy_events(extract_materials(*FIGHT, *said, npcs=npcs))

    assert [(one["enemy"], one["detail"]) for one in reply["events"]] == [("Osk", "takes 8 damage")]


def test_extract_enemy_events_replaces_a_figure_only_by_what_is_said_of_the_blow() -> None:
    said: list[Said] = [
        ("INES", "I stab Brask. 21."), ("NOOR", "Hits."), ("INES", "Eleven."), ("NOOR", "Right."),
        ("NOOR", "Brask bites you, twenty, that's eight slashing."),
    ]  # fmt: skip

    assert hurt(*FIGHT, *said) == [("Brask", "takes 11 damage", QUILL)]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([("INES", "I stab Brask. Nine."), ("NOOR", "That misses."), ("INES", "Seven.")], id="miss"),
        pytest.param(
            [("INES", "I stab Brask. Nine."), ("NOOR", "That hits."), ("INES", "Ouch for him.")], id="no-number"
        ),
        pytest.param(
            [("INES", "I stab Brask. 21."), ("NOOR", "Hits."), ("INES", "14."), ("NOOR", "14 misses.")], id="next-roll"
        ),
        pytest.param([("INES", "If I stab Brask, is that a bonus action?"), ("NOOR", "Yes.")], id="hypothetical"),
        pytest.param([("NOOR", "Brask is not dead.")], id="not-dead"),
        pytest.param([("NOOR", "Brask looks like he's about to run away.")], id="about-to"),
        pytest.param([("NOOR", "If Brask dies, you win.")], id="if"),
        pytest.param([("NOOR", "You are restrained, Quill.")], id="done-to-a-character"),
        pytest.param([("NOOR", "Quill goes down.")], id="a-character-falls"),
        pytest.param([("NOOR", "The lamp goes down and the fire dies.")], id="a-thing"),
        pytest.param([("NOOR", 'He says, "I yield!" No, he doesn\'t.')], id="taken-back"),
        pytest.param([("INES", "Brask is dead.")], id="a-player-hopes"),
    ],
)
def test_extract_enemy_events_leaves_out(said: list[Said]) -> None:
    assert told(*FIGHT, *said) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Brask collapses.", ("Brask", "defeated", None), id="falls"),
        pytest.param("The first hound comes apart.", ("the first hound", "defeated", None), id="description"),
        pytest.param("Brask folds up, and he's dead.", ("Brask", "defeated", None), id="pronoun"),
        pytest.param("Brask turns and runs away.", ("Brask", "flees", None), id="flees"),
        pytest.param("The wolf runs off.", ("the wolf", "flees", None), id="description-flees"),
        pytest.param("Brask surrenders.", ("Brask", "surrenders", None), id="surrenders"),
        pytest.param('Brask kneels. "I give up, I give up."', ("Brask", "surrenders", None), id="says-so"),
        pytest.param("Brask is restrained.", ("Brask", "condition", None), id="condition"),
        pytest.param("Brask regenerates ten hit points.", ("Brask", "healed", None), id="healed"),
    ],
)
def test_extract_enemy_events_reads_what_the_gm_tells(text: str, expected: tuple[str, str, str | None]) -> None:
    assert told(*FIGHT, ("NOOR", text)) == [expected]


def test_extract_enemy_events_names_who_brought_an_enemy_down() -> None:
    said: list[Said] = [
        ("INES", "I stab Brask. Nineteen."),
        ("NOOR", "Hits."),
        ("INES", "Eleven damage."),
        ("NOOR", "Brask drops dead."),
    ]
    damaged, defeated = events(*FIGHT, *said)

    assert (damaged["kind"], defeated["kind"], defeated["actor"]) == ("damaged", "defeated", QUILL)
    assert cited(defeated) == [(4, 4), (7, 7)]


def test_extract_enemy_events_details_are_the_words_said() -> None:
    condition, healed = events(*FIGHT, ("NOOR", "Brask is blinded."), ("NOOR", "Brask regains hit points: six."))

    assert (condition["detail"], healed["detail"]) == ("blinded", "regains six")


def test_extract_enemy_events_tells_an_end_once() -> None:
    assert told(*FIGHT, ("NOOR", "Brask is dead."), ("THEO", "Ha!"), ("NOOR", "Yes, Brask is dead.")) == [
        ("Brask", "defeated", None)
    ]


def test_extract_enemy_events_shows_who_comes_into_sight_before_initiative() -> None:
    said: list[Said] = [
        ("NOOR", "Up from the ditch comes Morwen Ash. Behind her two wolves, and a man with a crossbow."),
        ("NOOR", "Roll initiative."),
        ("INES", "Nineteen to hit? No, initiative. Reaction?"),
        ("NOOR", "Brask... I mean Morwen goes for Quill. Twenty-one to hit."),
    ]

    assert told(*said) == [
        ("Morwen Ash", "appears", None),
        ("the two wolves", "appears", None),
        ("the man with a crossbow", "appears", None),
    ]


def test_extract_enemy_events_without_a_fight_is_empty() -> None:
    assert told(("NOOR", "Brask collapses."), ("INES", "Poor Brask.")) == []


def test_extract_enemy_events_follows_an_attack_from_the_context_without_citing_it() -> None:
    before: list[JsonValue] = units(*FIGHT, ("INES", "I stab Brask. Nineteen."), first=80)
    context: dict[str, JsonValue] = {"before": before, "after": []}
    (found,) = events(("NOOR", "That hits."), ("INES", "Eleven damage."), context=context)

    assert (found["enemy"], cited(found)) == ("Brask", [(1, 2)])


def test_extract_enemy_events_is_deterministic_and_survives_other_shapes() -> None:
    said: list[Said] = [*FIGHT, ("NOOR", "Brask collapses.")]

    assert events(*said) == events(*said)
    assert extract_enemy_events({"transcript": [None, {"unit_id": "7"}], "npcs": 4, "party": "x"}) == {"events": []}


_PIECES = st.sampled_from(
    ["I", "stab", "Brask", "the wolf", "he", "is dead", "collapses", "hits.", "Eleven damage.", "12",
     "Roll initiative.",
     "runs away.", "surrenders", "how do you want to do this?", "a goblin", "--", "?", '"', "to hit", "Quill"]
)  # fmt: skip
_UNITS = st.lists(
    st.tuples(
        st.integers(1, 500),
        st.sampled_from([None, "NOOR", "INES", "THEO", "INES & THEO", ""]),
        st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=14).map(" ".join)),
    ),
    max_size=10,
    unique_by=lambda unit: unit[0],
)


@given(_UNITS)
def test_extract_enemy_events_cites_only_the_transcript(given_units: list[tuple[int, str | None, str]]) -> None:
    transcript: list[JsonValue] = [{"unit_id": n, "speaker": who, "text": text} for n, who, text in given_units]
    context: dict[str, JsonValue] = {"before": units(*FIGHT, first=900), "after": []}
    position = {unit[0]: at for at, unit in enumerate(given_units)}

    for record in events(transcript=transcript, context=context):
        places = [(position[start], position[end]) for start, end in cited(record)]
        assert places
        assert places == sorted(places)
        assert record["detail"].strip()
