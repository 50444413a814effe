"""Which format a file is in. Its content decides; a suffix only settles what content leaves open."""

from __future__ import annotations

import re
from pathlib import PurePath

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.crd3 import is_crd3
from extraction.ingest.cues import is_timing
from extraction.ingest.json_text import ParsedJson, looks_like_json
from extraction.ingest.notarius_json import is_notarius_json
from extraction.ingest.text import has_speakers
from extraction.ingest.transcript import Format
from extraction.ingest.wording import split_lines

KNOWN = "Notarius JSON, CRD3 JSON, WebVTT, SRT, and text with `Name: text` lines"

_HEAD_CHARS = 20_000
_TIMED_WITHIN = 12
_MARKUP = re.compile(r"\s*+<(?:!doctype|html|\?xml|head|body|div|p|cite|span|table|tt)[\s>]", re.IGNORECASE)
_OTHER_TEXT = re.compile(r"\s*+(?:\[Script Info\]|\{[0-9]+\}\{[0-9]+\})")


def detect_json(parsed: ParsedJson) -> Format:
    """Return the format of parsed JSON; IngestError if it is none of ours."""
    if is_crd3(parsed):
        return Format.CRD3
    if is_notarius_json(parsed):
        return Format.NOTARIUS_JSON
    raise _unknown("The JSON is of no transcript format that is known")


def detect_text(text: str, filename: str | None) -> Format | None:
    """Return the format of decoded text, None for JSON; IngestError for markup and other subtitle formats."""
    suffix = PurePath(filename or "").suffix.lower()
    head = text[:_HEAD_CHARS]
    if looks_like_json(head):
        return None
    if _MARKUP.match(head) or _OTHER_TEXT.match(head):
        raise _unknown("The file is of no transcript format that is known")
    if re.match(r"WEBVTT(?:\s|$)", head):
        return Format.WEBVTT
    filled = [line for line in split_lines(head) if line.strip()][:_TIMED_WITHIN]
    if any(is_timing(line) for line in filled):
        return Format.WEBVTT if suffix == ".vtt" else Format.SRT
    if suffix == ".json" and not has_speakers(text):
        raise IngestError("The file is named .json and is not JSON.", code=Code.INGEST_MALFORMED)
    return Format.TEXT


def _unknown(what: str) -> IngestError:
    return IngestError(f"{what}; known are {KNOWN}.", code=Code.INGEST_UNKNOWN_FORMAT)
