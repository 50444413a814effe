"""Scenes against their labels: where the borders are, and what kind of play each unit belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.evaluation.found import Found, FoundArtifact, SceneRecord
from extraction.evaluation.gold import Gold
from extraction.evaluation.labels import LaneLabels, SceneLabel
from extraction.evaluation.scores import LaneScore, rounded, share

NEAR = 3
"""How many units a border may lie from its label."""


def score_scenes(gold: Gold, lane: str, labels: LaneLabels[SceneLabel], artifact: FoundArtifact) -> LaneScore:
    """Score a scene plan by its inner borders, each near a label, and by the mode of its units.

    `border_agreement` is one minus WindowDiff: the share of stretches of half a scene's length in which plan and
    labels have equally many borders. A border at an optional label is neither wanted nor wrong.
    """
    segment = gold.segment(lane)
    scenes = [each for each in labels.records if gold.positions([each]) & segment]
    found = artifact.of(SceneRecord, segment)
    first = min(segment, default=0)
    wanted = {gold.index.position(each.start_unit_id): each for each in scenes}
    borders = {at: each.optional for at, each in wanted.items() if at in segment and at != first}
    said = sorted({min(each.units) for each in found} - {first})
    said = [at for at in said if at - 1 in segment]
    pairs = _near(borders, said)
    required = [at for at, optional in borders.items() if not optional]
    strict = [at for at in said if not borders.get(pairs.get(at, -1), False)]
    return LaneScore(
        lane=lane,
        gold=len(required),
        found=len(said),
        precision=share(len(pairs), len(said)),
        recall=share(sum(at in pairs.values() for at in required), len(required)),
        details={
            "border_agreement": _agreement(required, strict, sorted(segment)),
            "mode_accuracy": _mode_accuracy(gold, scenes, found, segment),
        },
        missed=tuple(
            wanted[at].title or f"unit {wanted[at].start_unit_id}" for at in required if at not in pairs.values()
        ),
        unexpected=tuple(f"unit {gold.index.unit_at(at).unit_id}" for at in said if at not in pairs),
    )


def _near(borders: dict[int, bool], said: Sequence[int]) -> dict[int, int]:
    """Return said border to labelled border, the closest first, required before optional."""
    fits = sorted(
        (abs(at - border), optional, border, at)
        for border, optional in borders.items()
        for at in said
        if abs(at - border) <= NEAR
    )
    pairs: dict[int, int] = {}
    for _, _, border, at in fits:
        if at not in pairs and border not in pairs.values():
            pairs[at] = border
    return pairs


def _agreement(wanted: Sequence[int], said: Sequence[int], positions: Sequence[int]) -> float | None:
    width = max(2, round(len(positions) / (len(wanted) + 1) / 2))
    windows = [(at, at + width) for at in positions if at + width <= positions[-1]] if positions else []
    if not windows:
        return None
    same = sum(
        sum(start < at <= end for at in wanted) == sum(start < at <= end for at in said) for start, end in windows
    )
    return rounded(same / len(windows))


def _mode_accuracy(
    gold: Gold, scenes: Sequence[SceneLabel], found: Sequence[Found[SceneRecord]], segment: frozenset[int]
) -> float | None:
    mode_of = {at: each.record.primary_mode for each in found for at in each.units}
    right = total = 0
    for scene in scenes:
        accepted = (scene.primary_mode, *scene.alternatives.primary_mode)
        for at in gold.positions([scene]) & segment:
            total += 1
            right += mode_of.get(at) in accepted
    return share(right, total)
