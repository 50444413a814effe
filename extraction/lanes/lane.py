"""A lane is data: the stages of one artifact family, which the runner calls in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel

from extraction.canonical import JsonValue
from extraction.findings import Finding
from extraction.lanes.attempts import StageOutcome
from extraction.lanes.chunk import Chunk, ChunkLimits, by_size
from extraction.lanes.job import BoundReference, Judgement
from extraction.source.index import DocumentIndex
from extraction.source.references import SourceRef


class Cited(Protocol):
    """What every record of an evidence-bearing lane has."""

    @property
    def source_refs(self) -> tuple[SourceRef, ...]: ...


R = TypeVar("R")


@dataclass(frozen=True)
class Scope:
    """What a stage may look at. `chunk` is None where the whole document is in question.

    `tokens` estimates the size of a prompt with the given materials; `input_budget` is the profile's limit on it.
    `memo` keeps what was read of the references, for all scopes of one lane.
    """

    index: DocumentIndex
    table: Mapping[str, JsonValue]
    references: Mapping[str, BoundReference]
    input_budget: int
    tokens: Callable[[str, Mapping[str, JsonValue]], int]
    chunk: Chunk | None = None
    memo: dict[str, object] = field(default_factory=dict, compare=False)
    verdicts: tuple[Judgement, ...] = ()

    @cached_property
    def chunk_positions(self) -> range:
        """Return the positions that may be cited here."""
        return range(len(self.index)) if self.chunk is None else range(self.chunk.start, self.chunk.end + 1)


Materials: TypeAlias = Mapping[str, JsonValue]
Validator: TypeAlias = Callable[[Sequence[R], Scope], list[Finding]]
"""Collects findings and leaves the records unchanged; whether they reject is for `decide`."""


@dataclass(frozen=True, slots=True)
class Extract(Generic[R]):
    """One model call a chunk. `read` maps a reply to records; it repairs nothing but the order of endpoints.

    `fallback` is what stands for a chunk to which no attempt gave a valid answer, with one warning; without it such a
    chunk fails the lane.
    """

    prompt: str
    reply: type[BaseModel]
    materials: Callable[[Scope, Chunk], Materials]
    read: Callable[[Any, Scope], list[R]]  # Any: the reply type of this lane, checked by the runner before the call
    validators: tuple[Validator[R], ...]
    fallback: Callable[[Scope], tuple[list[R], Finding]] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What a proposal call is asked, and the counts that the manifest keeps of it."""

    materials: Materials
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Settled(Generic[R]):
    """Records after normalization, with the review data that says how they came about."""

    records: tuple[R, ...]
    consolidations: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Proposal(Generic[R]):
    """One document-level model call inside normalize, whose answer is applied by deterministic code.

    `ask` returns None where there is nothing to ask, or findings that say why no call is made. `apply` takes None
    for an answer that was an invalid completion, and asks for a retry whenever the answer was not wholly safe; its
    value is the safe fallback. `omitted` is the one durable finding of an accepted fallback. `policies` are the ids
    of the rules by which the question is put and the answer applied. `unasked` applies the scope's verdicts where
    nothing is asked.
    """

    prompt: str
    reply: type[BaseModel]
    policies: tuple[str, ...]
    ask: Callable[[Sequence[R], Scope], Question | tuple[Finding, ...] | None]
    apply: Callable[[Sequence[R], Any, Scope], StageOutcome[Settled[R]]]  # Any: as in Extract
    omitted: Callable[[StageOutcome[Settled[R]]], Finding]
    unasked: Callable[[Sequence[R], Scope], StageOutcome[Settled[R]]]


def nothing_to_check(scope: Scope) -> list[Finding]:
    """Return no finding: the lane asks nothing of what is bound to it."""
    return []


@dataclass(frozen=True, slots=True)
class Slot:
    """A named input: the artifact of another lane. A required one must be bound before any model call.

    `check` judges what is bound, before any model call: a rejection ends the lane without a retry. What `only_cuts`
    decides where chunks begin and is shown to nobody: each answer's key has its chunk's range, so it is in no
    fingerprint, and a change of it repeats the calls of the chunks that changed.
    """

    lane: str
    required: bool = False
    check: Callable[[Scope], list[Finding]] = nothing_to_check
    only_cuts: bool = False


@dataclass(frozen=True, slots=True)
class Lane(Generic[R]):
    """`policies` are the ids of mapping, normalization, identity and context rules: raise one when its rule changes.

    `slots` are the artifacts of other lanes that it reads. `check` judges what the lane asks of them together, as a
    slot's own check judges one. `shares_chunks` is false for a lane whose prompts begin with chunks of its own.
    """

    key: str
    version: int
    records_key: str
    policies: tuple[str, ...]
    chunk: Callable[[Scope, ChunkLimits], tuple[Chunk, ...]]
    extract: Extract[R]
    merge: Callable[[Sequence[Sequence[R]], Scope], list[R]]
    normalize: Callable[[Sequence[R], Scope], StageOutcome[tuple[R, ...]]]
    proposal: Proposal[R] | None
    validators: tuple[Validator[R], ...]
    publish: Callable[[Sequence[R], Scope], Mapping[str, JsonValue]]
    slots: Mapping[str, Slot] = field(default_factory=lambda: MappingProxyType({}))
    check: Callable[[Scope], list[Finding]] = nothing_to_check
    shares_chunks: bool = True

    @property
    def family(self) -> str:
        """Return the key after the slash."""
        return self.key.partition("/")[2]


AnyLane: TypeAlias = Lane[Any]
"""A lane of whatever record type: only the runner handles one, and it never looks inside a record."""


def whole_units(scope: Scope, limits: ChunkLimits) -> tuple[Chunk, ...]:
    """Return the deterministic chunks of the document."""
    return by_size(scope.index, limits)


def concatenate(chunks: Sequence[Sequence[R]], scope: Scope) -> list[R]:
    """Return the chunks' records in document order, each chunk's in the order of its reply."""
    return [record for records in chunks for record in records]
