"""Score artifacts against the labels, each lane by its own rule."""

from __future__ import annotations

from extraction.evaluation.events import (
    score_enemy_events,
    score_item_occurrences,
    score_occurrences,
    score_spells,
    score_turns,
)
from extraction.evaluation.found import FoundArtifact
from extraction.evaluation.gold import Gold
from extraction.evaluation.registries import score_registry
from extraction.evaluation.scenes import score_scenes
from extraction.evaluation.scores import LaneScore


def score_lane(gold: Gold, artifact: FoundArtifact) -> LaneScore:
    """Return the artifact's score; KeyError for a lane that is not labelled."""
    lanes, lane = gold.file.lanes, artifact.lane
    registry = lanes.registries().get(lane)
    if registry is not None:
        return score_registry(gold, lane, registry, artifact)
    if lane == "dnd/npc-occurrences" and lanes.npc_occurrences is not None:
        return score_occurrences(gold, lane, lanes.npc_occurrences, artifact)
    if lane == "dnd/item-occurrences" and lanes.item_occurrences is not None:
        return score_item_occurrences(gold, lane, lanes.item_occurrences, artifact)
    if lane == "dnd/location-occurrences" and lanes.location_occurrences is not None:
        return score_occurrences(gold, lane, lanes.location_occurrences, artifact)
    if lane == "dnd/spells" and lanes.spells is not None:
        return score_spells(gold, lane, lanes.spells, artifact)
    if lane == "dnd/combat-turns" and lanes.combat_turns is not None:
        return score_turns(gold, lane, lanes.combat_turns, artifact)
    if lane == "dnd/enemy-events" and lanes.enemy_events is not None:
        return score_enemy_events(gold, lane, lanes.enemy_events, artifact)
    if lane == "dnd/scenes" and lanes.scenes is not None:
        return score_scenes(gold, lane, lanes.scenes, artifact)
    raise KeyError(lane)
