"""What is left of a transcript where passages of it are withheld."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from campaigns.library.stretches import Stretch
from campaigns.models import Transcript, Unit
from extraction.canonical import digest

if TYPE_CHECKING:
    from django.db.models import QuerySet


def units_without(transcript: Transcript, hidden: Iterable[Stretch]) -> QuerySet[Unit]:
    """Return the transcript's units that stand in none of the stretches."""
    rows = Unit.objects.filter(transcript=transcript)
    for stretch in hidden:
        rows = rows.exclude(position__range=(stretch.start, stretch.stop - 1))
    return rows


def seen_count(transcript: Transcript, hidden: Iterable[Stretch]) -> int:
    """Return how many units are left."""
    return transcript.unit_count - sum(stretch.stop - stretch.start for stretch in hidden)


def seen_digest(transcript: Transcript, hidden: Sequence[Stretch]) -> str:
    """Return the transcript's digest; of one with withheld passages, one that says nothing of them."""
    if not hidden:
        return transcript.digest
    rows = units_without(transcript, hidden).order_by("position")
    told = rows.values_list("unit_id", "speaker", "text", "start_ms", "end_ms")
    return digest([transcript.source_id, *map(list, told)])
