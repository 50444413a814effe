"""From the bytes of a file to the units of a transcript: one reader a format, one door for all."""

from __future__ import annotations

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.archive import read_archive
from extraction.ingest.archive_entries import is_archive
from extraction.ingest.detect import detect_json, detect_text
from extraction.ingest.encodings import decode
from extraction.ingest.fantasy_grounds import read_fantasy_grounds
from extraction.ingest.foundry_text import read_foundry_text
from extraction.ingest.headed_text import read_headed_text
from extraction.ingest.json_formats import read_json
from extraction.ingest.json_text import parse_json
from extraction.ingest.limits import DEFAULT_LIMITS, Limits
from extraction.ingest.podcast_html import read_podcast_html
from extraction.ingest.roll20 import read_roll20
from extraction.ingest.sbv import read_sbv
from extraction.ingest.srt import read_srt
from extraction.ingest.text import read_text
from extraction.ingest.transcript import Format, ReadTranscript, Skipped
from extraction.ingest.webvtt import read_webvtt

__all__ = ["DEFAULT_LIMITS", "Format", "Limits", "ReadTranscript", "Skipped", "read_transcript"]

_OF_ARCHIVES = frozenset({Format.CRAIG, Format.ARCHIVE})
_OF_TEXT = {
    Format.WEBVTT: read_webvtt,
    Format.SRT: read_srt,
    Format.SBV: read_sbv,
    Format.ROLL20_HTML: read_roll20,
    Format.FANTASY_GROUNDS_HTML: read_fantasy_grounds,
    Format.PODCAST_HTML: read_podcast_html,
    Format.FOUNDRY_TEXT: read_foundry_text,
    Format.HEADED_TEXT: read_headed_text,
    Format.TEXT: read_text,
}


def read_transcript(
    data: bytes,
    *,
    format: Format | None = None,
    filename: str | None = None,
    encoding: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> ReadTranscript:
    """Return the units of a transcript file in file order, or those of all files in a ZIP.

    `format` and `encoding` overrule detection; `filename` only settles what the content leaves open. Raises
    IngestError, with a code of its own for each kind of fault and no word of the file in its message.
    """
    if len(data) > limits.max_bytes:
        raise IngestError(
            f"The file has {len(data):,} bytes, more than the {limits.max_bytes:,} allowed.", code=Code.INGEST_TOO_LARGE
        )
    if is_archive(data):
        of_archive = format if format in _OF_ARCHIVES else None
        of_parts = None if of_archive else format
        return read_archive(
            data, limits, lambda part, name: _read_file(part, of_parts, name, encoding, limits), of_archive
        )
    if format in _OF_ARCHIVES:
        raise IngestError("The file is no ZIP archive.", code=Code.INGEST_MALFORMED)
    return _read_file(data, format, filename, encoding, limits)


def _read_file(
    data: bytes, format: Format | None, filename: str | None, encoding: str | None, limits: Limits
) -> ReadTranscript:
    if not data:
        raise IngestError("The file is empty.", code=Code.INGEST_EMPTY)
    text, found_encoding = decode(data, encoding)
    if not text.strip():
        raise IngestError("The file holds nothing but white space.", code=Code.INGEST_EMPTY)
    chosen = format or detect_text(text, filename)
    if chosen is not None and chosen in _OF_TEXT:
        return _OF_TEXT[chosen](text, found_encoding, limits)
    parsed = parse_json(text, limits.max_json_depth)
    return read_json(chosen or detect_json(parsed), parsed, found_encoding, limits)
