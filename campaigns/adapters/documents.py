"""A stored transcript as the pipeline sees it."""

from __future__ import annotations

from campaigns.models import Transcript
from extraction.source.documents import SourceDocument, SourceUnit


def load_document(transcript: Transcript) -> SourceDocument:
    """Return the transcript's units in order."""
    rows = transcript.units.order_by("position").values_list("unit_id", "speaker", "text", "start_ms", "end_ms")
    units = tuple(SourceUnit(*row) for row in rows.iterator(chunk_size=2_000))
    return SourceDocument(source_id=transcript.source_id, units=units, title=transcript.title or None)
