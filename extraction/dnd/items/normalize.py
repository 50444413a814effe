"""The deterministic part of normalization: names tidied, equal names united, the table's own people left out."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.items.identity import identify
from extraction.dnd.shared.registry import unite
from extraction.dnd.shared.roster import without_table
from extraction.framework import Scope, StageOutcome

NORMALIZATION_POLICY = "items.normalize.v1"


def normalize(records: Sequence[Entity], scope: Scope) -> StageOutcome[tuple[Entity, ...]]:
    """Return one record a comparison key; a name of somebody at the table is no item and is left out."""
    kept, findings = without_table(records, scope)
    return StageOutcome(unite(kept, scope, identify), findings)
