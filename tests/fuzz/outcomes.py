"""What every reader owes to every input: a transcript that can be stored, or one clear refusal."""

from __future__ import annotations

from extraction.errors import IngestError
from extraction.ingest import Format, ReadTranscript, read_transcript
from extraction.ingest.limits import MAX_INTEGER

NO_NAMES = frozenset({"", "None", "none", "null", "nan", "NaN"})


def read_or_refused(data: bytes, format: Format | None = None) -> ReadTranscript | None:
    """Return the transcript after looking at it, None for an input that was refused."""
    try:
        transcript = read_transcript(data, format=format)
    except IngestError as error:
        assert error.code.value.startswith("ingest.")
        assert str(error).endswith(".")
        assert len(str(error)) < 400
        return None
    assert transcript.units
    assert len({unit.unit_id for unit in transcript.units}) == len(transcript.units)
    for unit in transcript.units:
        assert unit.text.strip()
        assert "\0" not in unit.text
        assert unit.speaker not in NO_NAMES
        assert all(time is None or 0 <= time <= MAX_INTEGER for time in (unit.start_ms, unit.end_ms))
        unit.text.encode()
    return transcript
