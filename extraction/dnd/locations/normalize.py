"""The deterministic part of normalization: names tidied, equal anchors united, the table's own people left out."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.locations.identity import identify
from extraction.dnd.shared.registry import unite
from extraction.dnd.shared.roster import without_table
from extraction.framework import Scope, StageOutcome

NORMALIZATION_POLICY = "locations.normalize.v1"


def normalize(records: Sequence[Entity], scope: Scope) -> StageOutcome[tuple[Entity, ...]]:
    """Return one record a name and anchor; a name of somebody at the table is no place and is left out.

    Records of one name with different anchors stay apart: whether they are one place is not for this code to say.
    """
    kept, findings = without_table(records, scope)
    return StageOutcome(unite(kept, scope, identify), findings)
