"""Lane key to lane. The only file that imports `extraction.dnd`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from pydantic import BaseModel

from extraction.canonical import JsonValue
from extraction.dnd.artifacts.reading import records_of, shape_faults
from extraction.dnd.combat_turns.lane import COMBAT_TURNS
from extraction.dnd.enemy_events.lane import ENEMY_EVENTS
from extraction.dnd.item_occurrences.lane import ITEM_OCCURRENCES
from extraction.dnd.items.lane import ITEMS
from extraction.dnd.location_occurrences.lane import LOCATION_OCCURRENCES
from extraction.dnd.locations.lane import LOCATIONS
from extraction.dnd.npc_occurrences.lane import NPC_OCCURRENCES
from extraction.dnd.npcs.lane import NPCS
from extraction.dnd.scenes.lane import SCENES
from extraction.dnd.settling import IDENTITIES, SettledPayload, canonical_refs, entity_id, settle_records
from extraction.dnd.shared.verdicts import contradictory
from extraction.dnd.spells.lane import SPELLS
from extraction.errors import InternalError
from extraction.findings import Finding
from extraction.lanes.calls import identity_of
from extraction.lanes.job import BoundReference, Judgement
from extraction.lanes.lane import AnyLane, Scope
from extraction.prompts.catalog import Catalog
from extraction.source.documents import SourceDocument
from extraction.source.index import DocumentIndex
from extraction.source.references import SourceRef

LANES: Mapping[str, AnyLane] = MappingProxyType(
    {
        lane.key: lane
        for lane in (
            SCENES,
            NPCS,
            ITEMS,
            LOCATIONS,
            NPC_OCCURRENCES,
            ITEM_OCCURRENCES,
            LOCATION_OCCURRENCES,
            SPELLS,
            COMBAT_TURNS,
            ENEMY_EVENTS,
        )
    }
)

CHUNK_REPLIES: Mapping[str, type[BaseModel]] = MappingProxyType(
    {lane.extract.prompt: lane.extract.reply for lane in LANES.values() if lane.shares_chunks}
)
"""The reply types that may share one schema: those of the prompts that begin with the same chunk."""


def prompts_of(lane: str, catalog: Catalog, *, shared_schema: bool) -> Mapping[str, Mapping[str, JsonValue]]:
    """Return by stage the prompt and the reply's schema, by digest, that the lane would ask with, as manifests do.

    `shared_schema` says whether the chunk prompts share one, as a profile may lay it out.
    """
    own = LANES[lane]
    envelope = CHUNK_REPLIES if shared_schema else {}
    found = {"extract": identity_of(catalog, own.extract.prompt, own.extract.reply, envelope)}
    if own.proposal is not None:
        found["normalize"] = identity_of(catalog, own.proposal.prompt, own.proposal.reply, envelope)
    return found


def policies_of(lane: str) -> list[str]:
    """Return the ids of the rules that the lane works by, as manifests list them."""
    own = LANES[lane]
    return [*own.policies, *(own.proposal.policies if own.proposal else ())]


def read_payload(lane: str, payload: Mapping[str, JsonValue]) -> Sequence[Mapping[str, JsonValue]]:
    """Return the payload's records; InternalError where it does not have the shape of its artifact."""
    if shape_faults(LANES[lane].family.replace("-", "_"), payload):
        raise InternalError("a stored artifact does not have its shape")
    return cast("Sequence[Mapping[str, JsonValue]]", payload[LANES[lane].records_key])


def check_payload(
    lane: str,
    payload: Mapping[str, JsonValue],
    document: SourceDocument,
    references: Mapping[str, BoundReference],
    table: Mapping[str, JsonValue],
) -> tuple[Finding, ...]:
    """Return what the durable schema and the lane's own validators say of an artifact, which is left as it is."""
    faults = shape_faults(LANES[lane].family.replace("-", "_"), payload)
    if faults:
        return tuple(faults)
    records = records_of(LANES[lane].family.replace("-", "_"), cast("Any", payload[LANES[lane].records_key]))
    scope = review_scope(document, references, table)
    return tuple(finding for validate in LANES[lane].validators for finding in validate(records, scope))


def settle_payload(
    lane: str,
    envelope: Mapping[str, JsonValue],
    records: Sequence[Mapping[str, JsonValue]],
    touched: Collection[int],
    scope: Scope,
) -> SettledPayload:
    """Return the artifact of records that a person changed: see `extraction.dnd.settling`."""
    return settle_records(LANES[lane], envelope, records, touched, scope)


def review_scope(
    document: SourceDocument, references: Mapping[str, BoundReference], table: Mapping[str, JsonValue]
) -> Scope:
    """Return the scope in which validators look at a whole document, where nothing is asked of a model."""
    return Scope(DocumentIndex(document), table, references, 0, lambda prompt, materials: 0)


def is_registry(lane: str) -> bool:
    """Say whether the lane's records are identities."""
    return LANES[lane].family in IDENTITIES


def entity_of(lane: str, name: str, refs: Sequence[SourceRef], scope: Scope) -> dict[str, JsonValue]:
    """Return a registry's record of this name and evidence, with its id derived."""
    ordered = canonical_refs(refs, scope)
    return {
        "id": entity_id(LANES[lane].family, name, ordered, scope),
        "name": name,
        "source_refs": [ref.as_json() for ref in ordered],
    }


def ordered_refs(ranges: Sequence[tuple[int, int]], scope: Scope) -> list[dict[str, JsonValue]]:
    """Return unit ranges as references of the scope's document, canonical as a lane's own evidence is."""
    refs = [SourceRef(scope.index.source_id, start, end) for start, end in ranges]
    return [ref.as_json() for ref in canonical_refs(refs, scope)]


def contradictions(judgements: Sequence[Judgement]) -> list[frozenset[int]]:
    """Return the sets of decisions that cannot all hold: see `extraction.dnd.shared.verdicts`."""
    return contradictory(judgements)
