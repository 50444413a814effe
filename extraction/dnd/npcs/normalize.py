"""The deterministic part of normalization: names tidied, equal names united, the table's own people left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from extraction.dnd.artifacts.npcs import Npc
from extraction.dnd.shared.roster import party_keys
from extraction.framework import (
    Code,
    Scope,
    SourceRef,
    StageOutcome,
    canonical,
    comparison_key,
    earliest,
    npc_id,
    warning,
)

NORMALIZATION_POLICY = "npcs.normalize.v1"
IDENTITY_POLICY = "npc-identity.v1"


def normalize(records: Sequence[Npc], scope: Scope) -> StageOutcome[tuple[Npc, ...]]:
    """Return one record a comparison key, in the order of its earliest evidence, then of its key.

    The display name is the first one in document order. Records that name a player, a player character or the GM by
    comparison key are left out, with one warning that counts them: the roster knows better than a model who is
    no NPC. A record with an empty key stays as it is for the validators.
    """
    table = party_keys(scope.table)
    united: dict[str, Npc] = {}
    unnamed: list[Npc] = []
    left_out: set[str] = set()
    for record in sorted(records, key=lambda record: earliest(record.source_refs, scope.index)):
        name = " ".join(record.name.split())
        key = comparison_key(name)
        if key in table:
            left_out.add(key)
        elif not key:
            unnamed.append(record)
        elif key in united:
            held = united[key]
            united[key] = replace(held, source_refs=canonical((*held.source_refs, *record.source_refs), scope.index))
        else:
            united[key] = Npc(npc_id(key), name, canonical(record.source_refs, scope.index))
    ordered = sorted(
        (*united.values(), *unnamed),
        key=lambda record: (earliest(record.source_refs, scope.index), comparison_key(record.name)),
    )
    findings = (warning(Code.IDENTITY_ROSTER, names=len(left_out)),) if left_out else ()
    return StageOutcome(tuple(ordered), findings)


def rebuild(record: Npc, source_refs: tuple[SourceRef, ...]) -> Npc:
    """Return the record under its own name with the united evidence and its id derived anew."""
    return Npc(npc_id(comparison_key(record.name)), record.name, source_refs)
