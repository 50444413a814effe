"""Normalization of location occurrences: document order and exact repeats, nothing more."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from extraction.dnd.artifacts.occurrences import LocationOccurrence
from extraction.dnd.shared.tidying import Tidied, collapse_repeats, in_document_order
from extraction.framework import Scope, StageOutcome, canonical

NORMALIZATION_POLICY = "location-occurrences.normalize.v1"


def normalize(records: Sequence[LocationOccurrence], scope: Scope) -> StageOutcome[tuple[LocationOccurrence, ...]]:
    """Return the occurrences in document order, exact repeats once with one warning each."""
    ordered = in_document_order(records, scope)
    tidied = [replace(record, source_refs=canonical(record.source_refs, scope.index)) for record in ordered]
    return collapse_repeats([Tidied(record, (), False) for record in tidied], _sameness)


def _sameness(record: LocationOccurrence) -> Hashable:
    return (record.location_id, record.name, record.kind, record.source_refs)
