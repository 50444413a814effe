"""Occurrences, spells, combat turns and enemy events: pairs of labels and records, fields, order."""

from __future__ import annotations

import pytest

from tests.extraction.evaluation.labelling import (
    action,
    entity,
    event,
    gold_of,
    occurrence,
    refs,
    scored,
    spell,
    turn,
)

NPC_OCCURRENCES, ITEM_OCCURRENCES = "dnd/npc-occurrences", "dnd/item-occurrences"
SPELLS, TURNS, EVENTS = "dnd/spells", "dnd/combat-turns", "dnd/enemy-events"
DELL = entity("Harbourmaster Dell", (44, 46), also=["Dell"])


def test_score_occurrences_needs_identity_kind_and_evidence() -> None:
    labels = [occurrence("Dell", "dialogue", (44, 46)), occurrence("Dell", "action", 208)]
    gold = gold_of({"dnd/npcs": [DELL], NPC_OCCURRENCES: labels})
    score = scored(
        gold,
        NPC_OCCURRENCES,
        [
            occurrence("Harbourmaster Dell", "dialogue", 46),
            occurrence("Dell", "mention", 208),
            occurrence("Wick", "action", 208),
            occurrence("Dell", "action", 210),
        ],
    )

    assert (score.gold, score.found) == (2, 4)
    assert (score.recall, score.precision) == (0.5, 0.25)
    assert (score.evidence_precision, score.evidence_recall) == (1.0, round(1 / 3, 4))
    assert score.missed == ("Dell action at 208",)
    assert score.unexpected == ("Dell mention at 208", "Wick action at 208", "Dell action at 210")


def test_score_occurrences_takes_alternatives_for_right() -> None:
    label = occurrence("Dell", "appearance", 44, alternatives={"kind": ["action"]})

    assert (
        scored(gold_of({NPC_OCCURRENCES: [label]}), NPC_OCCURRENCES, [occurrence("Dell", "action", 44)]).recall == 1.0
    )


def test_score_occurrences_takes_one_stretch_in_pieces_for_true_and_unmerged() -> None:
    gold = gold_of({NPC_OCCURRENCES: [occurrence("Dell", "dialogue", (44, 50))]})
    score = scored(
        gold, NPC_OCCURRENCES, [occurrence("Dell", "dialogue", 44), occurrence("Dell", "dialogue", (46, 50))]
    )

    assert (score.precision, score.recall, score.missed_merges) == (1.0, 1.0, 1)
    assert score.evidence_recall == round(5 / 6, 4)


def test_score_occurrences_counts_a_record_over_two_stretches_as_a_false_merge() -> None:
    labels = [occurrence("Dell", "mention", (41, 44)), occurrence("Dell", "mention", 210)]
    score = scored(gold_of({NPC_OCCURRENCES: labels}), NPC_OCCURRENCES, [occurrence("Dell", "mention", (41, 44), 210)])

    assert (score.recall, score.false_merges) == (0.5, 1)


def test_score_item_occurrences_looks_at_who_and_to_whom() -> None:
    given = occurrence("clapper", "transferred", 14, actor="Mother Quillon", recipient="Pike")
    kept = occurrence("clapper", "used", 16, actor="Pike", alternatives={"actor": [None]})
    gold = gold_of({ITEM_OCCURRENCES: [given, kept]})
    score = scored(gold, ITEM_OCCURRENCES, [{**given, "actor": "Pike"}, {**kept, "actor": None}])

    assert score.recall == 1.0
    assert (score.details["actor_accuracy"], score.details["recipient_accuracy"]) == (0.5, 1.0)


def test_score_spells_needs_spell_and_caster() -> None:
    labels = [spell("Sister Corwen", "light", 202, targets=["Voss"]), spell("Pike", "sleep", 206, level=2)]
    gold = gold_of({SPELLS: {"records": labels, "not_entities": ["fireball"]}})
    score = scored(
        gold,
        SPELLS,
        [
            spell("Corwen", "Light", 202, targets=["voss"], level=3),
            spell("Corwen", "sleep", 206),
            spell("Pike", "fireball", 206),
        ],
    )

    assert (score.recall, score.precision) == (0.5, round(1 / 3, 4))
    assert score.details == {
        "level_accuracy": 0.0,
        "invented_levels": 1,
        "target_accuracy": 1.0,
        "not_entities_reported": 1,
    }


@pytest.mark.parametrize(
    ("cited", "recall"),
    [
        pytest.param((41, 45), 1.0, id="one-of-four"),
        pytest.param((41, 46), 0.0, id="one-of-five"),
        pytest.param((42, 44), 0.0, id="beside"),
    ],
)
def test_score_turns_needs_an_overlap_of_a_quarter(cited: tuple[int, int], recall: float) -> None:
    assert scored(gold_of({TURNS: [turn("Pike", 41)]}), TURNS, [turn("Pike", cited)]).recall == recall


def test_score_turns_leaves_allowed_units_out_of_the_overlap() -> None:
    gold = gold_of({TURNS: [turn("Pike", 41, also_refs=refs((42, 55)))]})
    score = scored(gold, TURNS, [turn("Pike", (41, 55))])

    assert (score.recall, score.evidence_precision) == (1.0, 1.0)


def test_score_turns_counts_kinds_rounds_and_actions() -> None:
    labels = [
        turn("Pike", 41, round=2, actions=[action("attack"), action("movement")]),
        turn("Sister Corwen", 45, kind="reaction", alternatives={"turn_kind": ["other"], "round": [2]}),
        turn("Voss", 204),
    ]
    score = scored(
        gold_of({TURNS: labels}),
        TURNS,
        [
            turn("Pike", 41, round=3, actions=[action("attack"), action("attack")]),
            turn("Corwen", 45, kind="other", round=2),
            turn("Voss", 204, kind="lair_action"),
        ],
    )

    assert score.recall == 1.0
    assert score.details["kind_accuracy"] == round(2 / 3, 4)
    assert score.details["invented_rounds"] == 1
    assert score.details["action_agreement"] == round(1 / 3, 4)


def test_score_turns_counts_a_second_record_of_a_turn_against_precision() -> None:
    score = scored(gold_of({TURNS: [turn("Pike", (41, 44))]}), TURNS, [turn("Pike", (41, 44)), turn("Pike", (41, 42))])

    assert (score.precision, score.recall, score.missed_merges) == (0.5, 1.0, 1)


def test_score_turns_measures_the_order_of_matches() -> None:
    labels = [turn("Pike", 41), turn("Voss", 204), turn("Dell", 208)]

    assert scored(gold_of({TURNS: labels}), TURNS, labels).order == 1.0
    assert scored(gold_of({TURNS: labels}), TURNS, [labels[1], labels[0], labels[2]]).order == round(2 / 3, 4)


def test_score_enemy_events_needs_enemy_kind_and_evidence() -> None:
    labels = [event("Voss", "appears", 204), event("Voss", "damaged", 209, actor="Pike")]
    gold = gold_of({EVENTS: labels}, others=[{"name": "Voss", "also": ["the drowned man"]}])
    score = scored(
        gold,
        EVENTS,
        [event("the drowned man", "appears", 204), event("Voss", "damaged", 209), event("Dell", "flees", 208)],
    )

    assert (score.recall, score.precision) == (1.0, round(2 / 3, 4))
    assert score.details["actor_accuracy"] == 0.5
