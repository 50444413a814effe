"""Registries over the standard document, and what a model answers about where their entries are met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from extraction.canonical import JsonValue
from extraction.identity import comparison_key, item_id, location_id, npc_id
from extraction.lanes.job import BoundReference, LaneJob, LaneResult
from extraction.lanes.lane import AnyLane
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from tests.extraction import story

Entry = tuple[str, Sequence[tuple[int, int]]]
Answer = Mapping[str, JsonValue]


def bound(
    registry: str, *entries: Entry, source_id: str = story.SOURCE_ID, members: Mapping[str, Sequence[str]] | None = None
) -> BoundReference:
    """Return a published registry. `members` are the joined names by canonical name."""
    ids = [durable_id(registry, name, pairs) for name, pairs in entries]
    records: list[JsonValue] = [
        {
            "id": entry_id,
            "name": name,
            "source_refs": [
                {"source_id": source_id, "start_unit_id": start, "end_unit_id": end} for start, end in pairs
            ],
        }
        for entry_id, (name, pairs) in zip(ids, entries, strict=True)
    ]
    joined = {durable_id(registry, name, pairs): (members or {}).get(name, ()) for name, pairs in entries}
    return BoundReference(f"dnd/{registry}", {registry: records}, joined)


def durable_id(registry: str, name: str, pairs: Sequence[tuple[int, int]]) -> str:
    key = comparison_key(name)
    if registry == "locations":
        return location_id(key, "salt-ferry.s1", pairs[0][0])
    return npc_id(key) if registry == "npcs" else item_id(key)


@dataclass(frozen=True)
class Family:
    """One of the three lanes with its registry of the standard document: `name` is the first entry, said in `home`."""

    key: str
    slot: str
    id_field: str
    entries: Sequence[Entry]
    name: str
    home: int
    kind: str
    other_kind: str
    fields: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def lane(self) -> AnyLane:
        return LANES[self.key]

    @property
    def prompt(self) -> str:
        return f"{self.key}.extract"

    @property
    def second(self) -> str:
        """The second entry's name."""
        return self.entries[1][0]

    @property
    def registry(self) -> BoundReference:
        return bound(self.slot, *self.entries)

    def id_of(self, name: str) -> str:
        return next(durable_id(self.slot, entry, pairs) for entry, pairs in self.entries if entry == name)

    def met(self, name: str, *pairs: tuple[int, int], **fields: JsonValue) -> dict[str, JsonValue]:
        """Return one record of a reply."""
        return {"name": name, "kind": self.kind, **self.fields, **fields, "source_refs": story.ranges(pairs)}

    def job(self, client: ScriptedClient, **changes: Any) -> LaneJob:
        return story.make_job(client, **{"references": {self.slot: self.registry}} | changes)

    def run(self, client: ScriptedClient, ports: LanePorts | None = None, **changes: Any) -> LaneResult:
        return run_lane(self.lane, self.job(client, **changes), ports or LanePorts())


NPC = Family(
    key="dnd/npc-occurrences",
    slot="npcs",
    id_field="npc_id",
    entries=(("Harbourmaster Dell", [(44, 46)]), ("Wick", [(50, 52), (206, 205)]), ("Aurelio Voss", [(18, 18)])),
    name="Harbourmaster Dell",
    home=44,
    kind="action",
    other_kind="mention",
)
ITEM = Family(
    key="dnd/item-occurrences",
    slot="items",
    id_field="item_id",
    entries=(("Lantern", [(41, 41)]), ("Bronze Tongue", [(14, 16)])),
    name="Lantern",
    home=41,
    kind="used",
    other_kind="mentioned",
    fields={"actor": None, "recipient": None, "detail": None},
)
LOCATION = Family(
    key="dnd/location-occurrences",
    slot="locations",
    id_field="location_id",
    entries=(("Saltwick", [(41, 41)]), ("Chapel", [(9, 9)])),
    name="Saltwick",
    home=41,
    kind="presence",
    other_kind="mention",
    fields={"registry_refs": []},
)
FAMILIES = (NPC, ITEM, LOCATION)


def pages(first: Sequence[Answer] = (), second: Sequence[Answer] = (), third: Sequence[Answer] = ()) -> ScriptedClient:
    """A client that answers each page of the standard document with these records."""
    answers = {41: first, 7: second, 203: third}
    return ScriptedClient(lambda request: {"occurrences": list(answers[story.first_unit(request)])})


def records_of(result: LaneResult) -> list[dict[str, Any]]:
    records: Any = result.payload["occurrences"]
    return list(records)


def pairs_of(record: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]]
