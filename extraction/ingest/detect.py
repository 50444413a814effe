"""Which format a file is in. Its content decides; a suffix only settles what content leaves open."""

from __future__ import annotations

import re
from pathlib import PurePath

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.cues import is_timing
from extraction.ingest.foundry_text import is_foundry_text
from extraction.ingest.json_formats import claims
from extraction.ingest.json_text import ParsedJson, looks_like_json
from extraction.ingest.name_lines import timed_name_lines
from extraction.ingest.sbv import sbv_timing
from extraction.ingest.text import has_speakers
from extraction.ingest.transcript import Format
from extraction.ingest.wording import split_lines

KNOWN = (
    "Notarius JSON, CRD3, the JSON of common recognisers, WebVTT, SRT, SBV, the chat logs of Roll20, Foundry VTT and "
    "Fantasy Grounds, podcast HTML, and text with `Name: text` lines"
)

_HEAD_CHARS = 20_000
_TIMED_WITHIN = 12
_SBV_WITHIN = 2
_MARKUP = re.compile(
    r"\s*+<(?:!doctype|!--|\?xml|/?(?:html|head|body|meta|style|title|div|p|cite|time|span|table|tt|a|b|br|font|section|article|"
    r"main|ul|ol|h[1-6])[\s/>])",
    re.IGNORECASE,
)
# In this order: what a program writes is surer than elements that any page may have.
_OF_MARKUP = (
    (re.compile(r"<div[^<>]{0,300}\bclass=[\"']?message[\s\"'>]", re.IGNORECASE), Format.ROLL20_HTML),
    (re.compile(r"<b>(?:Session|Chat log) started at [0-9]", re.IGNORECASE), Format.FANTASY_GROUNDS_HTML),
    (
        re.compile(r"<font color=[\"']?#[0-9a-f]{6,8}[^<>]{0,50}>[^<>]{0,2000}</font>[^<>\n]{0,500}<br", re.IGNORECASE),
        Format.FANTASY_GROUNDS_HTML,
    ),
    (re.compile(r"<cite[\s>]", re.IGNORECASE), Format.PODCAST_HTML),
)
_OTHER_TEXT = re.compile(r"\s*+(?:\[Script Info\]|\{[0-9]+\}\{[0-9]+\})")


def detect_json(parsed: ParsedJson) -> Format:
    """Return the format of parsed JSON; IngestError if it is none of ours, or could be several of them."""
    found = claims(parsed)
    if not found:
        raise _unknown("The JSON is of no transcript format that is known")
    if len(found) > 1:
        raise IngestError(
            f"The JSON could be of several formats; name the one it is: {', '.join(found)}.",
            code=Code.INGEST_UNKNOWN_FORMAT,
        )
    return found[0]


def detect_text(text: str, filename: str | None) -> Format | None:
    """Return the format of decoded text, None for JSON; IngestError for markup and other subtitle formats."""
    suffix = PurePath(filename or "").suffix.lower()
    head = text[:_HEAD_CHARS]
    if looks_like_json(head):
        return None
    if _OTHER_TEXT.match(head):
        raise _unknown("The file is of no transcript format that is known")
    if _MARKUP.match(head):
        return _detect_markup(text)
    if re.match(r"WEBVTT(?:\s|$)", head):
        return Format.WEBVTT
    filled = [line for line in split_lines(head) if line.strip()][:_TIMED_WITHIN]
    if any(is_timing(line) for line in filled):
        return Format.WEBVTT if suffix == ".vtt" else Format.SRT
    if any(sbv_timing(line) for line in filled[:_SBV_WITHIN]):
        return Format.SBV
    lines = split_lines(text)
    if is_foundry_text(lines):
        return Format.FOUNDRY_TEXT
    if timed_name_lines(lines):
        return Format.HEADED_TEXT
    if suffix == ".json" and not has_speakers(text):
        raise IngestError("The file is named .json and is not JSON.", code=Code.INGEST_MALFORMED)
    return Format.TEXT


def _detect_markup(text: str) -> Format:
    for sign, format in _OF_MARKUP:
        if sign.search(text) is not None:
            return format
    raise _unknown("The file is of no transcript format that is known")


def _unknown(what: str) -> IngestError:
    return IngestError(f"{what}; known are {KNOWN}.", code=Code.INGEST_UNKNOWN_FORMAT)
