"""From the bytes of a file to the units of a transcript: one reader a format, one door for all."""

from __future__ import annotations

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.crd3 import read_crd3
from extraction.ingest.detect import detect_json, detect_text
from extraction.ingest.encodings import decode
from extraction.ingest.json_text import parse_json
from extraction.ingest.limits import DEFAULT_LIMITS, Limits
from extraction.ingest.notarius_json import read_notarius_json
from extraction.ingest.srt import read_srt
from extraction.ingest.text import read_text
from extraction.ingest.transcript import Format, ReadTranscript, Skipped
from extraction.ingest.webvtt import read_webvtt

__all__ = ["DEFAULT_LIMITS", "Format", "Limits", "ReadTranscript", "Skipped", "read_transcript"]

_OF_JSON = {Format.NOTARIUS_JSON: read_notarius_json, Format.CRD3: read_crd3}
_OF_TEXT = {Format.WEBVTT: read_webvtt, Format.SRT: read_srt, Format.TEXT: read_text}


def read_transcript(
    data: bytes,
    *,
    format: Format | None = None,
    filename: str | None = None,
    encoding: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ReadTranscript:
    """Return the units of a transcript file in file order.

    `format` and `encoding` overrule detection; `filename` only settles what the content leaves open. Raises
    IngestError, with a code of its own for each kind of fault and no word of the file in its message.
    """
    if len(data) > limits.max_bytes:
        raise IngestError(
            f"The file has {len(data)} bytes, more than the {limits.max_bytes} allowed.", code=Code.INGEST_TOO_LARGE
        )
    if not data:
        raise IngestError("The file is empty.", code=Code.INGEST_EMPTY)
    text, found_encoding = decode(data, encoding)
    if not text.strip():
        raise IngestError("The file holds nothing but white space.", code=Code.INGEST_EMPTY)
    chosen = format or detect_text(text, filename)
    if chosen is not None and chosen in _OF_TEXT:
        return _OF_TEXT[chosen](text, found_encoding, limits)
    parsed = parse_json(text, limits.max_json_depth)
    return _OF_JSON[chosen or detect_json(parsed)](parsed, found_encoding, limits)
