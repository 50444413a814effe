"""What the model answers for a chunk, and how its records are read."""

from __future__ import annotations

from extraction.dnd.artifacts.spells import SpellCast
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.framework import Scope

MAPPING_POLICY = "spells.mapping.v1"


class SpellReply(Reply):
    caster: str
    spell: str
    level: int | None
    targets: list[str]
    outcome: str | None
    source_refs: list[RangeReply]


class SpellsReply(Reply):
    spells: list[SpellReply]


def read(reply: SpellsReply, scope: Scope) -> list[SpellCast]:
    """Return the reply's records with endpoints in order; nothing else is mended."""
    return [
        SpellCast(
            cast.caster,
            cast.spell,
            cast.level,
            tuple(cast.targets),
            cast.outcome,
            cited_refs(cast.source_refs, scope.index),
        )
        for cast in reply.spells
    ]
