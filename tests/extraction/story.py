"""The standard document as a lane meets it: one chunk a page, what a model answers, and jobs that ask a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from extraction.canonical import JsonValue, canonical_json
from extraction.dnd.artifacts.registry import Entity
from extraction.identity import comparison_key, npc_id
from extraction.lanes.job import LaneJob, Retries
from extraction.lanes.lane import Scope
from extraction.lanes.run import document_scope
from extraction.llm.boundary import StructuredClient, StructuredRequest
from extraction.llm.profiles import Profile
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.catalog import Catalog
from extraction.source.documents import SourceDocument
from extraction.source.references import SourceRef
from tests import standard

ASSETS = Path(__file__).resolve().parents[2] / "assets"
SOURCE_ID = "salt-ferry.s1.t1"
DOCUMENT = SourceDocument(SOURCE_ID, standard.UNITS)
CATALOG = Catalog.load(ASSETS / "dnd")
EXTRACT, RECONCILE = "dnd/npcs.extract", "dnd/npcs.reconcile"
PAGE = Profile(chunk_units=12)
"""A profile whose chunks are the pages of the standard document."""

TABLE: Mapping[str, JsonValue] = {
    "gm": {"player": standard.GM, "speaker_labels": [standard.GM]},
    "party": [
        {"character": "Corwen", "player": standard.CORWEN, "speaker_labels": [standard.CORWEN], "other_names": []},
        {"character": "Pike", "player": standard.PIKE, "speaker_labels": [standard.PIKE], "other_names": []},
    ],
    "glossary": [{"term": "Quillon", "heard_as": ["Quill on"]}],
}

# What a good model answers, by the first unit of the page. Some ranges stand reversed by position.
ANSWERS: Mapping[int, Mapping[str, Sequence[tuple[int, int]]]] = {
    41: {"Harbourmaster Dell": [(44, 46), (55, 55)], "Wick": [(52, 50)], "Mother Quillon": [(55, 55)]},
    7: {"Mother Quillon": [(11, 14), (21, 21)], "Captain Voss": [(18, 18)]},
    203: {"Aurelio Voss": [(204, 209)], "Wick": [(206, 205)], "Dell": [(210, 208)]},
}
# After the pages are merged, in document order.
NAMES = ("Harbourmaster Dell", "Wick", "Mother Quillon", "Captain Voss", "Aurelio Voss", "Dell")


def ranges(pairs: Sequence[tuple[int, int]]) -> list[JsonValue]:
    return [{"start_unit_id": start, "end_unit_id": end} for start, end in pairs]


def npcs_reply(records: Mapping[str, Sequence[tuple[int, int]]]) -> dict[str, JsonValue]:
    return {"npcs": [{"name": name, "source_refs": ranges(pairs)} for name, pairs in records.items()]}


def page_answer(request: StructuredRequest) -> JsonValue:
    """Answer a page from ANSWERS, whatever order the pages are asked in."""
    return npcs_reply(ANSWERS[first_unit(request)])


def first_unit(request: StructuredRequest) -> int:
    transcript: Any = request.materials["transcript"]
    return int(transcript[0]["unit_id"])


def descriptor(name: str, *pairs: tuple[int, int]) -> dict[str, JsonValue]:
    return {"name": name, "source_refs": ranges(pairs)}


def group(*members: str, canonical: str | None = None) -> dict[str, JsonValue]:
    """Propose members by name alone; the first is canonical unless another is named."""
    chosen = members[0] if canonical is None else canonical
    return {"members": [descriptor(name) for name in members], "canonical": descriptor(chosen)}


def groups(*proposed: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {"duplicate_groups": list(proposed)}


def asking(*replies: JsonValue | Exception) -> ScriptedClient:
    """A client that reads the pages well and gives these answers to the question which names are one."""
    client = ScriptedClient(page_answer)
    client.enqueue(RECONCILE, *replies)
    return client


def make_job(client: StructuredClient, **changes: Any) -> LaneJob:
    values: dict[str, Any] = {
        "document": DOCUMENT,
        "catalog": CATALOG,
        "client": client,
        "profile": PAGE,
        "table": TABLE,
        "retries": Retries(),
    }
    return LaneJob(**values | changes)


def make_scope(**changes: Any) -> Scope:
    return document_scope(make_job(ScriptedClient(), **changes))


def ref(start: int, end: int, source_id: str = SOURCE_ID) -> SourceRef:
    return SourceRef(source_id, start, end)


def npc(name: str, *pairs: tuple[int, int]) -> Entity:
    return Entity(npc_id(comparison_key(name)), name, tuple(ref(*pair) for pair in pairs))


def asked(client: ScriptedClient, prompt_id: str) -> list[StructuredRequest]:
    return [request for request in client.requests if request.prompt_id == prompt_id]


def sent_text(request: StructuredRequest) -> str:
    """Return everything of the request that leaves the process."""
    schema = canonical_json(request.schema).decode()
    return "\n".join([*(message.content for message in request.messages), request.schema_name, schema])


def records_of(payload: Mapping[str, JsonValue]) -> list[dict[str, Any]]:
    records: Any = payload["npcs"]
    return list(records)


def names_of(payload: Mapping[str, JsonValue]) -> list[str]:
    return [record["name"] for record in records_of(payload)]
