"""The deterministic part of normalization: names tidied, equal names united, the table's own people left out."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.npcs.identity import identify
from extraction.dnd.shared.registry import unite
from extraction.dnd.shared.roster import party_keys
from extraction.framework import Code, Scope, StageOutcome, comparison_key, warning

NORMALIZATION_POLICY = "npcs.normalize.v1"


def normalize(records: Sequence[Entity], scope: Scope) -> StageOutcome[tuple[Entity, ...]]:
    """Return one record a comparison key, without the people at the table.

    Records that name a player, a player character or the GM by comparison key are left out, with one warning that
    counts them: the roster knows better than a model who is no NPC.
    """
    table = party_keys(scope.table)
    keys = [comparison_key(record.name) for record in records]
    united = unite((record for record, key in zip(records, keys, strict=True) if key not in table), scope, identify)
    left_out = set(keys) & table
    return StageOutcome(united, (warning(Code.IDENTITY_ROSTER, names=len(left_out)),) if left_out else ())
