"""Registries: who was found, who twice, who together with somebody else, who should not be there."""

from __future__ import annotations

from extraction.evaluation.gold import Gold
from extraction.identity import comparison_key, npc_id
from tests.extraction.evaluation.labelling import Json, entity, gold_of, refs, scored

LANE = "dnd/npcs"
DELL = entity("Harbourmaster Dell", (44, 46), 55, (210, 208), also=["Dell"])
WICK = entity("Wick", (50, 52), (206, 205), also=["the eel-catcher"])
QUILLON = entity("Mother Quillon", 55, (11, 14), 21)
VOSS = entity("Aurelio Voss", 18, (204, 209), also=["Captain Voss", "Voss"], also_refs=refs(20))
LABELS = [DELL, WICK, QUILLON, VOSS]


def gold(*labels: Json, **more: object) -> Gold:
    return gold_of({LANE: {"records": list(labels or LABELS), **more}})


def test_score_registry_of_the_labels_themselves_is_perfect() -> None:
    score = scored(gold(), LANE, LABELS)

    assert (score.gold, score.found) == (4, 4)
    assert (score.precision, score.recall, score.f1) == (1.0, 1.0, 1.0)
    assert (score.evidence_precision, score.evidence_recall) == (1.0, 1.0)
    assert (score.missed_merges, score.false_merges) == (0, 0)


def test_score_registry_takes_other_names_and_articles_for_the_same() -> None:
    score = scored(gold(), LANE, [entity("The Eel-Catcher", 50), entity("captain voss", 18)])

    assert (score.precision, score.recall) == (1.0, 0.5)
    assert score.missed == ("Harbourmaster Dell", "Mother Quillon")


def test_score_registry_counts_a_second_record_as_a_missed_merge() -> None:
    score = scored(gold(), LANE, [entity("Dell", 46), DELL, entity("Captain Voss", 18)])

    assert (score.precision, score.recall, score.missed_merges) == (1.0, 0.5, 1)


def test_score_registry_counts_united_names_of_two_as_a_false_merge() -> None:
    united = entity("Wick", (50, 52), (11, 14))
    members = {npc_id(comparison_key("Wick")): ("Wick", "Mother Quillon", "somebody else")}

    assert scored(gold(), LANE, [united], members).false_merges == 1
    assert scored(gold(), LANE, [united]).false_merges == 0


def test_score_registry_accepts_united_names_of_one() -> None:
    members = {npc_id(comparison_key("Aurelio Voss")): ("Captain Voss", "Aurelio Voss", "Voss")}

    assert scored(gold(), LANE, [VOSS], members).false_merges == 0


def test_score_registry_tells_namesakes_apart_by_their_evidence() -> None:
    lane = "dnd/locations"
    wells = [entity("the Well", 41, 44, 46), entity("Well", 11, 14, 46)]
    places = gold_of({lane: wells})

    apart = scored(places, lane, [entity("Well", 11, 14), entity("Well", 41)])
    together = scored(places, lane, [entity("Well", 11, 14, 41)])

    assert (apart.recall, apart.missed_merges, apart.false_merges) == (1.0, 0, 0)
    assert (together.recall, together.missed_merges, together.false_merges) == (0.5, 0, 1)


def test_score_registry_counts_the_party_and_what_must_not_be_there() -> None:
    wrong = [entity("Corwen", 45), entity("Pike", 49), entity("the Marigold", 18), entity("Somebody", 7)]
    score = scored(gold(**{"not_entities": ["Marigold"]}), LANE, wrong)

    assert (score.precision, score.recall, score.f1) == (0.0, 0.0, 0.0)
    assert score.details == {"party_reported": 2, "not_entities_reported": 1}
    assert score.unexpected == ("Corwen", "Pike", "the Marigold", "Somebody")


def test_score_registry_neither_wants_nor_blames_an_optional_record() -> None:
    labels = gold(WICK, {**QUILLON, "optional": True})

    assert scored(labels, LANE, [WICK]).recall == 1.0
    assert scored(labels, LANE, [WICK, QUILLON]).precision == 1.0
    assert scored(labels, LANE, [QUILLON]).recall == 0.0


def test_score_registry_measures_evidence_with_the_wider_ranges_allowed() -> None:
    score = scored(gold(VOSS), LANE, [entity("Voss", 18, 20, 41)])

    # 18 is wanted, 20 is allowed, 41 is wrong; of the four wanted units 18 alone is cited.
    assert score.evidence_precision == round(2 / 3, 4)
    assert score.evidence_recall == 1 / 4


def test_score_registry_looks_at_the_segment_alone() -> None:
    labels = gold_of({LANE: LABELS}, segment=refs((203, 211)))
    score = scored(labels, LANE, [VOSS, entity("Nobody", 41), entity("Dell", 44, 210, 208)])

    assert (score.gold, score.found) == (3, 2)
    assert score.precision == 1.0
    assert score.evidence_precision == 1.0


def test_score_registry_of_nothing_says_nothing() -> None:
    score = scored(gold_of({LANE: []}), LANE, [])

    assert (score.precision, score.recall, score.f1, score.evidence_precision) == (None, None, None, None)
