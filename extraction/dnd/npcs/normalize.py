"""The deterministic part of normalization: names tidied, equal names united, the table's own people left out."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.npcs.identity import identify
from extraction.dnd.shared.registry import unite
from extraction.dnd.shared.roster import without_table
from extraction.framework import Scope, StageOutcome

NORMALIZATION_POLICY = "npcs.normalize.v1"


def normalize(records: Sequence[Entity], scope: Scope) -> StageOutcome[tuple[Entity, ...]]:
    """Return one record a comparison key, without the people at the table.

    The roster knows better than a model who is no NPC: one warning counts the names left out.
    """
    kept, findings = without_table(records, scope)
    return StageOutcome(unite(kept, scope, identify), findings)
