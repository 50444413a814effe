"""What a lane is run with, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import BaseModel

from extraction.canonical import JsonValue
from extraction.findings import Finding
from extraction.llm.boundary import StructuredClient
from extraction.llm.profiles import Profile
from extraction.prompts.catalog import Catalog
from extraction.source.documents import SourceDocument


@dataclass(frozen=True, slots=True)
class BoundReference:
    """A published registry bound to a slot.

    `payload` is the durable artifact; `members` maps a record's id to the names its consolidation joined. `version`
    and `why` are for the manifest only and in no fingerprint.
    """

    lane: str
    payload: Mapping[str, JsonValue]
    members: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    version: int = 0
    why: str = ""

    def meaning(self) -> JsonValue:
        """Return the semantic content with member names, for fingerprints."""
        return {"lane": self.lane, "payload": self.payload, "members": {k: list(v) for k, v in self.members.items()}}


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a stage may be tried again; the budget is one more."""

    extract: int = 0
    normalize: int = 0


@dataclass(frozen=True, slots=True)
class LaneJob:
    """`table` holds the campaign's materials by name, as plain JSON: `gm`, `party`, `glossary`.

    `envelope` has the reply types that share one schema, by prompt id, for profiles that lay schemas out so.
    `start_at` is the share of the chunks, from 0 to 1, after which the lane begins (and then wraps around): lanes
    that run side by side begin at different places, so that each chunk is asked about once before others ask.
    Neither the results nor their order depend on it.
    """

    document: SourceDocument
    catalog: Catalog
    client: StructuredClient
    profile: Profile
    table: Mapping[str, JsonValue]
    references: Mapping[str, BoundReference] = field(default_factory=lambda: MappingProxyType({}))
    retries: Retries = Retries()
    envelope: Mapping[str, type[BaseModel]] = field(default_factory=lambda: MappingProxyType({}))
    start_at: float = 0.0


@dataclass(frozen=True, slots=True)
class LaneResult:
    """`payload` is the durable artifact, `consolidations` the registry's review data, neither in logs."""

    payload: Mapping[str, JsonValue]
    digest: str
    record_count: int
    consolidations: Mapping[str, JsonValue]
    findings: tuple[Finding, ...]
    manifest: Mapping[str, JsonValue]
