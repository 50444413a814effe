"""What a lane is run with, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
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


class Judged(StrEnum):
    """What a decision says of records. APART: they are not all one. CANONICAL: one of them gives the name."""

    SAME = "same"
    APART = "apart"
    REMOVE = "remove"
    CANONICAL = "canonical"
    RENAME = "rename"


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """A record by comparison key; for a kind whose equal names may be several, also by where its evidence starts."""

    key: str
    anchor: int | None = None

    def as_json(self) -> JsonValue:
        return [self.key, self.anchor]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person decided of the records of one lane: an input of the application, and of no call.

    `decision` is the number by which reports name it. One decision may say several things.
    """

    decision: int
    kind: Judged
    members: tuple[NamedRecord, ...]
    name: str = ""
    chosen: NamedRecord | None = None

    def meaning(self) -> JsonValue:
        """Return what it says, for the digest in the manifest."""
        return {
            "kind": self.kind.value,
            "members": [named.as_json() for named in self.members],
            "name": self.name,
            "chosen": self.chosen.as_json() if self.chosen else None,
        }


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
    `verdicts` are a review's decisions, which bind how proposals are applied and are in no fingerprint of a call.
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
    verdicts: tuple[Judgement, ...] = ()


@dataclass(frozen=True, slots=True)
class LaneResult:
    """`payload` is the durable artifact, `consolidations` the registry's review data, neither in logs."""

    payload: Mapping[str, JsonValue]
    digest: str
    record_count: int
    consolidations: Mapping[str, JsonValue]
    findings: tuple[Finding, ...]
    manifest: Mapping[str, JsonValue]
