"""Turns of small invented fights: whose turn it is, what breaks into it, what was done, and silence elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.canonical import JsonValue
from extraction.dnd.combat_turns.extract import CombatTurnsReply
from extraction.llm.rules.combat_turns import extract_combat_turns
from tests.extraction.llm.rules.table import PARTY, Said, extract_materials, units

NPCS: Sequence[JsonValue] = (
    {"name": "Warden Osk", "other_names": ["the Gaoler"]},
    {"name": "Lady Myrrh Tallow", "other_names": []},
    {"name": "Lord Ives Tallow", "other_names": []},
)
OPENING: tuple[Said, ...] = (
    ("NOOR", "Roll initiative."),
    ("INES", "Seventeen."),
    ("THEO", "Nine."),
)
QUILL: tuple[Said, ...] = (
    ("NOOR", "Quill, you're up."),
    ("INES", "I shoot the Warden. Nineteen to hit."),
    ("NOOR", "That hits."),
    ("INES", "Eight piercing damage."),
)
FIGHT: tuple[Said, ...] = (
    *OPENING,
    *QUILL,
    ("NOOR", "He staggers. That brings us to Ash'vel."),
    ("THEO", "I run to the stairs and I drink a potion."),
    (
        "NOOR",
        "Okay. That ends your turn. It is now Warden Osk's turn. He swings at Quill with a chain. Fifteen to hit?",
    ),
    ("INES", "That misses."),
)


def turns(*said: Said, **changes: JsonValue) -> list[dict[str, Any]]:
    materials = extract_materials(*said, **{"npcs": NPCS, **changes})
    reply = extract_combat_turns(materials)
    CombatTurnsReply.model_validate(reply, strict=True)
    assert isinstance(reply, Mapping)
    found: Any = reply["turns"]
    return list(found)


def outline(found: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(one["actor"], one["turn_kind"]) for one in found]


def actions(turn: Mapping[str, Any]) -> list[tuple[str, list[str], str | None]]:
    return [(one["category"], one["targets"], one["resolution"]) for one in turn["actions"]]


def cited(turn: Mapping[str, Any]) -> set[int]:
    return {at for ref in turn["source_refs"] for at in range(ref["start_unit_id"], ref["end_unit_id"] + 1)}


def test_turns_are_split_by_the_cues_of_the_gm() -> None:
    found = turns(*FIGHT)

    assert outline(found) == [("Quill Harrow", "turn"), ("Ash'vel", "turn"), ("Warden Osk", "turn")]
    assert [min(cited(one)) for one in found] == [4, 8, 10]
    assert all(one["round"] is None for one in found)


def test_actions_have_category_target_and_what_was_said_of_the_outcome() -> None:
    quill, ash, osk = turns(*FIGHT)

    assert actions(quill) == [("attack", ["Warden Osk"], "19 to hit; hits; 8 piercing damage")]
    assert quill["actions"][0]["declaration"] == "shoot the Warden"
    assert quill["summary"] == "Quill Harrow attacks Warden Osk (19 to hit, hits, 8 piercing damage)."
    assert [one[0] for one in actions(ash)] == ["movement", "item"]
    assert actions(osk) == [("attack", ["Quill Harrow"], "15 to hit")]


@pytest.mark.parametrize(
    ("cue", "actor"),
    [
        pytest.param("Ash'vel, you're up.", "Ash'vel", id="you-re-up"),
        pytest.param("You're up, Ash'vel.", "Ash'vel", id="you-re-up-first"),
        pytest.param("Theo, you're up.", "Ash'vel", id="by-the-player's-name"),
        pytest.param("Ash'vel, it's your turn.", "Ash'vel", id="your-turn"),
        pytest.param("Ash'vel, your go.", "Ash'vel", id="your-go"),
        pytest.param("That ends your turn, Quill. Ash'vel, you're up.", "Ash'vel", id="end-and-cue"),
        pytest.param("That finishes Quill's turn, Ash'vel, you're up.", "Ash'vel", id="end-and-cue-in-one"),
        pytest.param("Next up is Ash'vel.", "Ash'vel", id="next-up"),
        pytest.param("That gets us to Ash'vel.", "Ash'vel", id="gets-us-to"),
        pytest.param("Ash'vel, what do you do?", "Ash'vel", id="what-do-you-do"),
        pytest.param("Ash'vel.", "Ash'vel", id="name-alone"),
        pytest.param("Okay, and Ash'vel?", "Ash'vel", id="name-alone-with-filler"),
        pytest.param("Ash'vel, it's you.", "Ash'vel", id="it-s-you"),
        pytest.param("Your turn.", "Ash'vel", id="no-name-but-he-answers"),
    ],
)
def test_a_cue_hands_the_turn_over(cue: str, actor: str) -> None:
    found = turns(*OPENING, *QUILL, ("NOOR", cue), ("THEO", "I stab the Warden. Twelve to hit."), ("NOOR", "Misses."))

    assert outline(found) == [("Quill Harrow", "turn"), (actor, "turn")]
    assert found[1]["actions"][0]["resolution"] == "12 to hit; misses"


@pytest.mark.parametrize(
    ("cue", "actor"),
    [
        pytest.param("Now it's the giant's turn. It swings at you. Ten to hit?", "the giant", id="not-in-the-registry"),
        pytest.param("Then it's the Gaoler. He swings at you. Ten to hit?", "Warden Osk", id="by-another-name"),
        pytest.param("That brings us to Myrrh. She casts a spell.", "Lady Myrrh Tallow", id="by-a-part-of-the-name"),
    ],
)
def test_a_cue_hands_the_turn_to_somebody_of_the_gm(cue: str, actor: str) -> None:
    found = turns(*OPENING, *QUILL, ("NOOR", cue), ("THEO", "Hm."))

    assert outline(found)[1:] == [(actor, "turn")]


def test_a_name_that_two_share_means_neither() -> None:
    found = turns(*OPENING, *QUILL, ("NOOR", "Tallow."), ("NOOR", "That misses. Roll damage."))

    assert [actor for actor, _ in outline(found)] == ["Quill Harrow"]


@pytest.mark.parametrize(
    "talk",
    [
        pytest.param("At the end of your turn, make a wisdom save.", id="end-of-your-turn"),
        pytest.param("It lasts until your next turn.", id="next-turn"),
        pytest.param("It's not your turn.", id="not-your-turn"),
        pytest.param("You can do that on Ash'vel's turn.", id="on-somebody's-turn"),
    ],
)
def test_talk_about_turns_hands_nothing_over(talk: str) -> None:
    found = turns(*OPENING, *QUILL, ("NOOR", talk), ("THEO", "I stab the Warden."), ("INES", "And I run back."))

    assert {actor for actor, _ in outline(found)} == {"Quill Harrow"}


INTERRUPTS = [
    pytest.param(("THEO", "Counterspell!"), ("Ash'vel", "reaction", "spell"), id="counterspell"),
    pytest.param(
        ("THEO", "I get an opportunity attack. Twenty to hit."), ("Ash'vel", "reaction", "attack"), id="opportunity"
    ),
    pytest.param(("THEO", "I cast shield as a reaction."), ("Ash'vel", "reaction", "spell"), id="as-a-reaction"),
    pytest.param(("THEO", "Uncanny dodge."), ("Ash'vel", "reaction", "saving_throw"), id="dodge"),
    pytest.param(
        ("NOOR", "As you run, Osk swings at you as an attack of opportunity. Sixteen to hit?"),
        ("Warden Osk", "reaction", "attack"),
        id="opportunity-of-the-gm",
    ),
    pytest.param(
        ("NOOR", "Myrrh takes a legendary action and steps behind the pillar."),
        ("Lady Myrrh Tallow", "legendary_action", "movement"),
        id="legendary-action",
    ),
]


@pytest.mark.parametrize(("said", "expected"), INTERRUPTS)
def test_an_interruption_is_a_record_at_its_own_place(said: Said, expected: tuple[str, str, str]) -> None:
    found = turns(
        *OPENING, *QUILL, said, ("NOOR", "Okay. Ash'vel, you're up."), ("THEO", "I run. I shoot. Ten to hit.")
    )
    (broke_in,) = [one for one in found if one["turn_kind"] != "turn"]

    assert (broke_in["actor"], broke_in["turn_kind"], broke_in["actions"][0]["category"]) == expected
    assert min(cited(broke_in)) == 8
    assert outline(found)[0] == ("Quill Harrow", "turn")
    assert outline(found)[-1] == ("Ash'vel", "turn")


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(("THEO", "Can I use my reaction?"), id="question"),
        pytest.param(("THEO", "I've used my reaction."), id="spent"),
        pytest.param(("THEO", "If she runs I get an opportunity attack."), id="if"),
        pytest.param(("NOOR", "Legendary actions are different from reactions."), id="rules-talk"),
        pytest.param(("NOOR", "She doesn't get her reaction back yet."), id="no-reaction"),
    ],
)
def test_talk_of_reactions_is_none(said: Said) -> None:
    assert outline(turns(*OPENING, *QUILL, said, ("NOOR", "Okay."))) == [("Quill Harrow", "turn")]


def test_a_reaction_that_is_taken_back_is_left_out() -> None:
    said: tuple[Said, ...] = (
        ("NOOR", "It is Warden Osk's turn. He swings at Ash'vel. Nineteen to hit?"),
        ("THEO", "I cast shield. Reaction."),
        ("INES", "Didn't you use that?"),
        ("THEO", "Right. I take the shield back. It hits."),
        ("NOOR", "Nine slashing damage."),
    )
    found = turns(*OPENING, *QUILL, *said)

    assert outline(found) == [("Quill Harrow", "turn"), ("Warden Osk", "turn")]


def test_a_lair_acts_on_its_own_count() -> None:
    found = turns(*OPENING, *QUILL, ("NOOR", "And it's the lair. Chains burst out of the floor."), ("NOOR", "Quill."))

    assert outline(found) == [("Quill Harrow", "turn"), ("the lair", "lair_action")]


@pytest.mark.parametrize(
    ("said", "number"),
    [
        pytest.param("Round two. Ash'vel, you're up.", 2, id="round-two"),
        pytest.param("Top of round 3. Ash'vel, you're up.", 3, id="top-of-round-3"),
        pytest.param("Top of the second round. Ash'vel, you're up.", 2, id="second-round"),
        pytest.param("Back to the top. Ash'vel, you're up.", None, id="back-to-the-top"),
        pytest.param("Top of the round. Ash'vel, you're up.", None, id="top-of-the-round"),
        pytest.param("You get that back in round four. Ash'vel, you're up.", None, id="talk-of-a-round"),
    ],
)
def test_a_round_has_a_number_only_where_it_is_said(said: str, number: int | None) -> None:
    found = turns(*OPENING, *QUILL, ("NOOR", said), ("THEO", "I stab the Warden."), ("NOOR", "That hits."))

    assert [one["round"] for one in found] == [None, number]


def test_a_new_round_without_a_number_ends_the_last_one() -> None:
    said: tuple[Said, ...] = (("NOOR", "Round two. Quill, you're up."), ("INES", "I shoot. Ten to hit."))
    found = turns(
        *OPENING, *said, ("NOOR", "Back to the top. Ash'vel, you're up."), ("THEO", "I stab him. Nine to hit.")
    )

    assert [one["round"] for one in found] == [2, None]


@pytest.mark.parametrize(
    "declared",
    [
        pytest.param("I cast fireball. No, wait, I take that back. I shoot the Warden.", id="take-that-back"),
        pytest.param("I cast fireball. Actually, I shoot the Warden.", id="actually"),
        pytest.param("I cast fireball. Scratch that. I shoot the Warden.", id="scratch-that"),
        pytest.param("Could I cast fireball? If I cast fireball we all burn. I shoot the Warden.", id="hypothetical"),
        pytest.param("I won't cast fireball. I shoot the Warden.", id="negated"),
        pytest.param('I say, "I cast fireball." I shoot the Warden.', id="quoted"),
    ],
)
def test_what_is_taken_back_or_only_talked_of_is_left_out(declared: str) -> None:
    (found,) = turns(*OPENING, ("NOOR", "Quill, you're up."), ("INES", declared), ("NOOR", "Roll to hit. That hits."))

    assert [one["declaration"] for one in found["actions"]] == ["shoot the Warden"]


def test_what_the_gm_does_not_allow_is_left_out() -> None:
    said: tuple[Said, ...] = (
        ("NOOR", "Quill, you're up."),
        ("INES", "I cast healing word on Ash'vel."),
        ("NOOR", "You can't, that's out of range."),
        ("INES", "Then I shoot the Warden. Nine to hit."),
    )
    (found,) = turns(*OPENING, *said)

    assert [one["category"] for one in found["actions"]] == ["attack"]


def test_what_the_gm_grants_on_a_question_is_an_action() -> None:
    said: tuple[Said, ...] = (
        ("NOOR", "Quill, you're up."),
        ("INES", "Can I climb the wall?"),
        ("NOOR", "You can. Roll for damage."),
    )
    (found,) = turns(*OPENING, *said)

    assert actions(found) == [("movement", [], None)]


def test_talk_of_others_in_between_is_left_out_of_the_evidence() -> None:
    chatter: tuple[Said, ...] = tuple(("THEO", "Is there any pizza left?") for _ in range(6))
    said: tuple[Said, ...] = (*QUILL[:2], *chatter, *QUILL[2:])
    (found,) = turns(*OPENING, *said)

    assert [(ref["start_unit_id"], ref["end_unit_id"]) for ref in found["source_refs"]] == [(4, 5), (12, 13)]


def test_context_tells_whose_turn_it_is_and_is_never_cited() -> None:
    context: JsonValue = {"before": units(("NOOR", "Roll initiative. Quill, you're up."), first=101), "after": []}
    said: tuple[Said, ...] = (*QUILL[1:], ("NOOR", "Ash'vel, you're up."), ("THEO", "I run back. Nine to hit."))
    found = turns(*said, context=context)

    assert outline(found) == [("Quill Harrow", "turn"), ("Ash'vel", "turn")]
    assert [cited(one) for one in found] == [{1, 2, 3}, {4, 5}]


def test_the_lead_in_is_read_on_into_the_context() -> None:
    lead_in: JsonValue = {"before": units(*OPENING, first=101), "after": []}
    context: JsonValue = {"before": units(("NOOR", "Okay. Quill."), first=104), "after": []}
    said: tuple[Said, ...] = (("INES", "I stab the Warden. Eighteen to hit."), ("NOOR", "That hits."))

    assert outline(turns(*said, lead_in=lead_in, context=context)) == [("Quill Harrow", "turn")]
    assert turns(*said, lead_in=lead_in) == turns(*said, context=context) == []


def test_a_turn_told_in_the_context_alone_is_not_reported() -> None:
    context: JsonValue = {"before": units(*OPENING, *QUILL, first=101), "after": []}

    assert turns(("NOOR", "Ash'vel, you're up."), ("THEO", "Hm."), context=context) == []


SILENCE: Sequence[Sequence[Said]] = (
    (("NOOR", "You walk into the village."), ("INES", "I look for an inn."), ("NOOR", "Quill, what do you do?")),
    (
        ("NOOR", "Make a stealth check, Ash'vel."),
        ("THEO", "Nineteen."),
        ("NOOR", "You sneak past. It's your turn on watch."),
    ),
    (("INES", "Last week I hit the Warden for nineteen damage."), ("THEO", "That was round two."), ("NOOR", "Yes.")),
    (
        ("NOOR", "The trap does eight fire damage. Dexterity saving throw."),
        ("INES", "Twelve."),
        ("NOOR", "You take half."),
    ),
    (("NOOR", "Next up, we have our sponsors."), ("THEO", "Whose turn is it to get pizza?"), ("INES", "Your turn.")),
    (),
)


@pytest.mark.parametrize("said", SILENCE)
def test_nothing_is_reported_where_nobody_fights(said: Sequence[Said]) -> None:
    assert turns(*said) == []


def test_initiative_alone_is_no_turn() -> None:
    assert turns(*OPENING, ("NOOR", "Fifteen to ten?"), ("INES", "Nobody.")) == []


def test_without_a_roster_nobodys_turn_is_guessed() -> None:
    """Who plays whom is then unknown; the same fight with its roster has turns."""
    without = extract_combat_turns(extract_materials(*FIGHT, npcs=[], party=[], gm={}))

    assert without == {"turns": []}
    assert turns(*FIGHT) != []


@pytest.mark.parametrize("junk", [{}, {"transcript": 3}, {"transcript": [{"unit_id": "x"}], "npcs": [3], "party": "x"}])
def test_extract_combat_turns_never_fails_on_other_materials(junk: dict[str, JsonValue]) -> None:
    assert extract_combat_turns(junk) == {"turns": []}


PHRASES = (
    "Quill Ash'vel Osk you're up roll initiative. hits. misses. I shoot cast shield 19 to hit? damage round two your"
    " turn."
    " ends legendary action reaction (\" ... \u2014 take that back lair the Warden's he swings \u00e9\u0130 \u201c"
)
WORDS = st.sampled_from(PHRASES.split())
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


@given(st.lists(st.tuples(st.sampled_from(["NOOR", "INES", "THEO", "THEO & INES", None]), TEXTS), max_size=12))
def test_answers_fit_the_schema_and_cite_the_passage_in_order(said: list[Said]) -> None:
    context: JsonValue = {"before": units(*OPENING, first=901), "after": []}
    found = turns(*said, context=context, party=PARTY)
    starts = [one["source_refs"][0]["start_unit_id"] for one in found]

    assert all(1 <= unit <= len(said) for one in found for unit in cited(one))
    assert starts == sorted(starts)
    assert all(one["actions"] and one["actor"].strip() and one["round"] != 0 for one in found)
    assert all(act["declaration"].strip() for one in found for act in one["actions"])
