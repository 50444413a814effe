"""The lane `dnd/npcs`, top to bottom."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.npcs import Npc
from extraction.dnd.npcs.extract import MAPPING_POLICY, NpcsReply, materials, read
from extraction.dnd.npcs.normalize import IDENTITY_POLICY, NORMALIZATION_POLICY, normalize, rebuild
from extraction.dnd.npcs.validators import validate_identity, validate_names, validate_relatedness
from extraction.dnd.shared.reconcile import (
    CONTEXT_POLICY,
    RECONCILE_POLICY,
    ReconcileReply,
    apply_groups,
    ask,
    omitted,
)
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.framework import (
    Extract,
    Finding,
    JsonValue,
    Lane,
    Proposal,
    Question,
    Scope,
    Settled,
    StageOutcome,
    by_size,
    concatenate,
)

RECONCILE_PROMPT = "dnd/npcs.reconcile"


def ask_which_are_one(records: Sequence[Npc], scope: Scope) -> Question | tuple[Finding, ...] | None:
    """Return the one document-level question: which of these names are the same individual."""
    return ask(RECONCILE_PROMPT, records, scope)


def apply_answer(records: Sequence[Npc], reply: ReconcileReply | None, scope: Scope) -> StageOutcome[Settled[Npc]]:
    """Return the records with the safe groups of the answer applied."""
    return apply_groups(records, reply, scope, rebuild)


def publish(records: Sequence[Npc], scope: Scope) -> dict[str, JsonValue]:
    """Return the artifact's records."""
    return {"npcs": [record.as_json() for record in records]}


NPCS: Lane[Npc] = Lane(
    key="dnd/npcs",
    version=1,
    records_key="npcs",
    policies=(MAPPING_POLICY, NORMALIZATION_POLICY, IDENTITY_POLICY, RECONCILE_POLICY, CONTEXT_POLICY),
    chunk=by_size,
    extract=Extract(
        prompt="dnd/npcs.extract",
        reply=NpcsReply,
        materials=materials,
        read=read,
        validators=(validate_names, validate_source_refs, validate_canonical_refs),
    ),
    merge=concatenate,
    normalize=normalize,
    proposal=Proposal(
        prompt=RECONCILE_PROMPT,
        reply=ReconcileReply,
        ask=ask_which_are_one,
        apply=apply_answer,
        omitted=omitted,
    ),
    validators=(
        validate_names,
        validate_identity,
        validate_source_refs,
        validate_canonical_refs,
        validate_record_order,
        validate_relatedness,
    ),
    publish=publish,
)
