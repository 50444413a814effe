"""Which NPC a name is: equal keys in one document are one."""

from __future__ import annotations

from extraction.framework import Scope, SourceRef, comparison_key, npc_id

IDENTITY_POLICY = "npc-identity.v1"


def identify(name: str, source_refs: tuple[SourceRef, ...], scope: Scope) -> str:
    """Return the durable id; evidence plays no part in it."""
    return npc_id(comparison_key(name))
