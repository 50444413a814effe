"""The lane of a registry, whatever its kind: a family brings its key, its reply, its identity and its tidying."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.shared.materials import chunk_materials
from extraction.dnd.shared.reconcile import (
    CONTEXT_POLICY,
    RECONCILE_POLICY,
    ReconcileReply,
    apply_groups,
    ask,
    omitted,
    settle_unasked,
)
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order, validate_source_refs
from extraction.dnd.shared.registry import Identify, identity_validator, validate_names, validate_relatedness
from extraction.dnd.shared.reply import Reply
from extraction.dnd.shared.scene_chunks import SCENES, SCENES_SLOT, by_scene
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
    concatenate,
)


def registry_lane(
    key: str,
    *,
    version: int,
    policies: tuple[str, ...],
    reply: type[Reply],
    read: Callable[[Any, Scope], list[Entity]],  # Any: the family's own reply type
    normalize: Callable[[Sequence[Entity], Scope], StageOutcome[tuple[Entity, ...]]],
    identify: Identify,
) -> Lane[Entity]:
    """Return the lane `dnd/<family>`, whose records stand under the family's name in the artifact.

    It reads along the session's scenes where they are bound.
    """
    family = key.partition("/")[2]

    def publish(records: Sequence[Entity], scope: Scope) -> dict[str, JsonValue]:
        return {family: [record.as_json() for record in records]}

    return Lane(
        key=key,
        version=version,
        records_key=family,
        policies=policies,
        chunk=by_scene,
        extract=Extract(
            prompt=f"{key}.extract",
            reply=reply,
            materials=chunk_materials,
            read=read,
            validators=(validate_names, validate_source_refs, validate_canonical_refs),
        ),
        merge=concatenate,
        normalize=normalize,
        proposal=_which_are_one(key, identify),
        validators=(
            validate_names,
            identity_validator(identify),
            validate_source_refs,
            validate_canonical_refs,
            validate_record_order,
            validate_relatedness,
        ),
        publish=publish,
        slots={SCENES_SLOT: SCENES},
    )


def _which_are_one(key: str, identify: Identify) -> Proposal[Entity]:
    """Return how the model is asked which names are one, and what becomes of its answer."""

    def which_are_one(records: Sequence[Entity], scope: Scope) -> Question | tuple[Finding, ...] | None:
        return ask(f"{key}.reconcile", records, scope)

    def apply(records: Sequence[Entity], answer: ReconcileReply | None, scope: Scope) -> StageOutcome[Settled[Entity]]:
        return apply_groups(records, answer, scope, identify)

    def unasked(records: Sequence[Entity], scope: Scope) -> StageOutcome[Settled[Entity]]:
        return settle_unasked(records, scope, identify)

    return Proposal(
        prompt=f"{key}.reconcile",
        reply=ReconcileReply,
        policies=(RECONCILE_POLICY, CONTEXT_POLICY),
        ask=which_are_one,
        apply=apply,
        omitted=omitted,
        unasked=unasked,
    )
