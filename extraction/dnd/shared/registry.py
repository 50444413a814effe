"""What the registries of NPCs, items and locations do in exactly the same way; each brings its own identity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.relatedness import name_said_validator
from extraction.dnd.shared.reply import RangeReply, Reply
from extraction.framework import (
    Code,
    Finding,
    Scope,
    SourceRef,
    Validator,
    canonical,
    comparison_key,
    earliest,
    rejection,
)

MAX_NAME = 200
"""Characters of a name and of its comparison key, which may be longer. The archive's columns hold as many."""

Identify: TypeAlias = Callable[[str, tuple[SourceRef, ...], Scope], str]
"""The durable id of a name with its canonical evidence."""


class EntityReply(Reply):
    name: str
    source_refs: list[RangeReply]


def read_entities(given: Iterable[EntityReply], scope: Scope, identify: Identify) -> list[Entity]:
    """Return the reply's records with ids derived and endpoints in order; nothing else is mended."""
    records = []
    for entry in given:
        refs = cited_refs(entry.source_refs, scope.index)
        records.append(Entity(identify(entry.name, refs, scope), entry.name, refs))
    return records


def unite(records: Iterable[Entity], scope: Scope, identify: Identify) -> tuple[Entity, ...]:
    """Return one record an id, with evidence united, in the order of earliest evidence, then of comparison key.

    The display name is the first one in document order, with its white space tidied. A record with an empty key
    stays as it is, for the validators to reject.
    """
    united: dict[str, Entity] = {}
    unnamed: list[Entity] = []
    for record in sorted(records, key=lambda record: earliest(record.source_refs, scope.index)):
        name = " ".join(record.name.split())
        if not comparison_key(name):
            unnamed.append(record)
            continue
        refs = canonical(record.source_refs, scope.index)
        entity_id = identify(name, refs, scope)
        if (held := united.get(entity_id)) is not None:
            united[entity_id] = replace(held, source_refs=canonical((*held.source_refs, *refs), scope.index))
        else:
            united[entity_id] = Entity(entity_id, name, refs)
    return tuple(sorted((*united.values(), *unnamed), key=lambda record: _place(record, scope)))


def validate_names(records: Sequence[Entity], scope: Scope) -> list[Finding]:
    """Return a rejection for each record whose name has no comparison key, or is no name but a passage."""
    findings: list[Finding] = []
    for number, record in enumerate(records):
        key = comparison_key(record.name)
        if not key:
            findings.append(rejection(Code.RECORD_NAME_EMPTY, f"record[{number}]"))
        elif (length := max(len(record.name), len(key))) > MAX_NAME:
            findings.append(rejection(Code.RECORD_NAME_TOO_LONG, f"record[{number}]", characters=length))
    return findings


def identity_validator(identify: Identify) -> Validator[Entity]:
    """Return the validator that holds ids against this kind's identity."""

    def validate_identity(records: Sequence[Entity], scope: Scope) -> list[Finding]:
        """Return a rejection for each record whose id is not that of its name and evidence, or is another's too."""
        counts = Counter(record.id for record in records)
        findings: list[Finding] = []
        for number, record in enumerate(records):
            if record.id != identify(record.name, record.source_refs, scope):
                findings.append(rejection(Code.IDENTITY_MISMATCH, f"record[{number}]"))
            if counts[record.id] > 1:
                findings.append(rejection(Code.IDENTITY_DUPLICATE, f"record[{number}]"))
        return findings

    return validate_identity


def _name(record: Entity) -> str:
    return record.name


validate_relatedness: Validator[Entity] = name_said_validator(_name)
"""Warns of each record whose cited units nowhere say a word of its name."""


def _place(record: Entity, scope: Scope) -> tuple[tuple[int, int], str]:
    return earliest(record.source_refs, scope.index), comparison_key(record.name)
