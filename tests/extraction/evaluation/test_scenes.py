"""Scenes: borders near their labels, and the kind of play of each unit."""

from __future__ import annotations

import pytest

from extraction.evaluation.gold import Gold
from tests.extraction.evaluation.labelling import gold_of, scene, scored

LANE = "dnd/scenes"
LABELS = [
    scene(41, 55, "social"),
    scene(7, 8, "table_talk", optional=True),
    scene(9, 21, "social", alternatives={"primary_mode": ["exploration"]}),
    scene(203, 211, "combat"),
]


@pytest.fixture
def gold() -> Gold:
    return gold_of({LANE: LABELS})


def test_score_scenes_of_the_labels_themselves_is_perfect(gold: Gold) -> None:
    score = scored(gold, LANE, LABELS)

    assert (score.gold, score.found) == (2, 3)
    assert (score.precision, score.recall, score.f1) == (1.0, 1.0, 1.0)
    assert score.details == {"border_agreement": 1.0, "mode_accuracy": 1.0}


def test_score_scenes_neither_wants_nor_blames_an_optional_border(gold: Gold) -> None:
    score = scored(gold, LANE, [scene(41, 8), scene(9, 21, "exploration"), scene(203, 211, "combat")])

    assert (score.precision, score.recall, score.details["border_agreement"]) == (1.0, 1.0, 1.0)
    assert score.details["mode_accuracy"] == round(34 / 36, 4)


def test_score_scenes_takes_a_border_a_few_units_away(gold: Gold) -> None:
    near = scored(gold, LANE, [scene(41, 8), scene(9, 17), scene(18, 211, "combat")])
    far = scored(gold, LANE, [scene(41, 8), scene(9, 14), scene(16, 211, "combat")])

    assert (near.precision, near.recall) == (1.0, 1.0)
    assert (far.precision, far.recall) == (0.5, 0.5)
    assert far.missed == ("unit 203",)
    assert far.unexpected == ("unit 16",)


def test_score_scenes_without_inner_borders_still_judges_modes(gold: Gold) -> None:
    score = scored(gold, LANE, [scene(41, 211)])

    assert (score.precision, score.recall, score.f1) == (None, 0.0, 0.0)
    assert score.details["mode_accuracy"] == round(22 / 36, 4)
