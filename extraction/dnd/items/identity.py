"""Which item a name is: equal keys in one document are one."""

from __future__ import annotations

from extraction.framework import Scope, SourceRef, comparison_key, item_id

IDENTITY_POLICY = "item-identity.v1"


def identify(name: str, source_refs: tuple[SourceRef, ...], scope: Scope) -> str:
    """Return the durable id; evidence plays no part in it."""
    return item_id(comparison_key(name))
