"""Which place a name is: the name and where in the session it first stands, for two towns may each have that inn."""

from __future__ import annotations

from extraction.framework import Scope, SourceRef, comparison_key, earliest, location_id, span

IDENTITY_POLICY = "location-identity.v1"


def identify(name: str, source_refs: tuple[SourceRef, ...], scope: Scope) -> str:
    """Return the durable id of the name anchored at the start of its earliest evidence.

    The anchor holds for every revision of the transcript that keeps the unit's id. Without evidence that resolves
    in this document there is no anchor and the id is empty, for the validators to reject.
    """
    first = earliest(source_refs, scope.index)
    anchor = next((ref for ref in source_refs if span(ref, scope.index) == first), None)
    if anchor is None:
        return ""
    return location_id(comparison_key(name), scope.index.document.scope, anchor.start_unit_id)
