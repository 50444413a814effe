"""Files that are no transcript, or one that cannot be kept, each with the code of its refusal.

With those of `test_bad_input.py`, which go through all three doors, they are eighty and more.
"""

from __future__ import annotations

import io
import json
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from extraction.codes import Code
from tests.extraction.ingest.zips import patched, vtt, zipped

SPEECH = "Ida: Hm.\nYun: No.\n"
CUES = vtt((1, "One."), (2, "Two."))
UNIT: Mapping[str, Any] = {"unit_id": 1, "speaker": None, "text": "Hm.", "start_ms": None, "end_ms": None}


def notarius(*units: Mapping[str, Any], **document: Any) -> bytes:
    whole = {"schema": "notarius.transcript.v1", "title": None, "units": [{**UNIT, **unit} for unit in units]}
    return json.dumps({**whole, **document}).encode()


def link() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        entry = zipfile.ZipInfo("a.txt")
        entry.create_system, entry.external_attr = 3, 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    return packed.getvalue()


def many() -> bytes:
    """A hundred thousand files in an archive of a few megabytes."""
    entry = zipped({"a.txt": ""}, method=zipfile.ZIP_STORED)
    at, end = entry.index(b"PK\x01\x02"), entry.index(b"PK\x05\x06")
    return entry[:at] + entry[at:end] * 100_000 + entry[end:]


def huge() -> bytes:
    """Claims four and a half gigabytes, in the 64-bit form."""
    data = zipped({"a.txt": SPEECH})
    return patched(data, 24, struct.pack("<I", 2**32 - 1))


def tar() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size = len(SPEECH)
        archive.addfile(entry, io.BytesIO(SPEECH.encode()))
    return packed.getvalue()


LAUGHS = "".join(f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' for at in range(1, 10))

UNKNOWN = Code.INGEST_UNKNOWN_FORMAT
BAD_FILES: Mapping[str, tuple[bytes, Code]] = {
    # Of no kind that is read
    "jpeg": (b"\xff\xd8\xff\xe0" + bytes(64), Code.INGEST_BINARY),
    "gif": (b"GIF89a" + bytes(64), Code.INGEST_BINARY),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(40), Code.INGEST_BINARY),
    "mp3": (b"ID3\x04\x00" + bytes(64), Code.INGEST_BINARY),
    "wave": (b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(64), Code.INGEST_BINARY),
    "flac": (b"fLaC" + bytes(64), Code.INGEST_BINARY),
    "ogg": (b"OggS" + bytes(64), Code.INGEST_BINARY),
    "mp4": (b"\x00\x00\x00\x18ftypmp42" + bytes(64), Code.INGEST_BINARY),
    "gzip": (b"\x1f\x8b\x08\x00" + zlib.compress(SPEECH.encode()), Code.INGEST_BINARY),
    "7z": (b"7z\xbc\xaf\x27\x1c" + bytes(64), Code.INGEST_BINARY),
    "rar": (b"Rar!\x1a\x07\x01\x00" + bytes(64), Code.INGEST_BINARY),
    "tar": (tar(), Code.INGEST_BINARY),
    "program": (b"\x7fELF\x02\x01\x01" + bytes(64), Code.INGEST_BINARY),
    "sqlite": (b"SQLite format 3\x00" + bytes(64), Code.INGEST_BINARY),
    "docx": (zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}), Code.INGEST_BINARY),
    "xlsx": (zipped({"[Content_Types].xml": "<x/>", "xl/workbook.xml": "<x/>"}), Code.INGEST_BINARY),
    "xlsx-bomb": (zipped({"[Content_Types].xml": "<x/>", "xl/sheet.xml": "<c/>" * 900_000}), Code.INGEST_BINARY),
    "odt": (zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<x/>"}), Code.INGEST_BINARY),
    "nothing-but-a-mark": (b"\xef\xbb\xbf", Code.INGEST_EMPTY),
    "nothing-but-a-wide-mark": (b"\xff\xfe", Code.INGEST_EMPTY),
    "carriage-returns-alone": (b"\r\r\r\r", Code.INGEST_EMPTY),
    "utf-16-cut": (b"\xff\xfe" + SPEECH.encode("utf-16-le")[:-1], Code.INGEST_ENCODING),
    "utf-16-half-pair": (
        b"\xff\xfe" + "Ida: ".encode("utf-16-le") + b"\x00\xd8" + "x\n".encode("utf-16-le"),
        Code.INGEST_ENCODING,
    ),
    # Markup, which is never resolved
    "xml": (b"<?xml version='1.0'?><a><b/></a>", UNKNOWN),
    "billion-laughs": (f"<?xml version='1.0'?><!DOCTYPE x [{LAUGHS}]><x>&l9;</x>".encode(), UNKNOWN),
    "entity-of-a-file": (
        b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><x>&a;</x>",
        UNKNOWN,
    ),
    "entity-of-an-address": (
        b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a SYSTEM 'http://127.0.0.1:9/'>]><x>&a;</x>",
        UNKNOWN,
    ),
    "ttml": (
        b"<tt xmlns='http://www.w3.org/ns/ttml'><body><p begin='1s'>Hm.</p></body></tt>",
        UNKNOWN,
    ),
    "deep-html": (b"<!doctype html>" + b"<div>" * 100_000, UNKNOWN),
    # JSON
    "json-100000-deep": (b"[" * 100_000 + b"]" * 100_000, Code.INGEST_TOO_DEEP),
    "json-with-a-tail": (notarius({}) + b"x", Code.INGEST_MALFORMED),
    "json-endless-number": (b'{"segments": [{"start": 1e999, "end": 2, "text": "Hm."}]}', Code.INGEST_MALFORMED),
    "json-list-of-nothing": (b"[]", UNKNOWN),
    "segments-of-numbers": (b'{"segments": [{"start": 1, "end": 2, "text": 7}]}', Code.INGEST_MALFORMED),
    "segments-of-nothing": (b'{"segments": []}', UNKNOWN),
    "segments-as-text": (b'{"segments": "Hm."}', UNKNOWN),
    "ids-twice": (notarius({}, {}), Code.INGEST_UNIT_ID),
    "id-below-one": (notarius({"unit_id": 0}), Code.INGEST_UNIT_ID),
    "id-negative": (notarius({"unit_id": -4}), Code.INGEST_UNIT_ID),
    "id-as-text": (notarius({"unit_id": "1"}), Code.INGEST_UNIT_ID),
    "id-beyond-the-database": (notarius({"unit_id": 2**63}), Code.INGEST_UNIT_ID),
    "time-negative": (notarius({"start_ms": -1, "end_ms": 4}), Code.INGEST_TIMES),
    "no-units": (notarius(), Code.INGEST_NO_UNITS),
    "words-empty": (notarius({"text": " "}), Code.INGEST_NO_UNITS),
    "speaker-too-long": (notarius({"speaker": "x" * 300}), Code.INGEST_TOO_LARGE),
    "field-unknown": (notarius({"note": "x"}), Code.INGEST_MALFORMED),
    "schema-of-tomorrow": (notarius({}, schema="notarius.transcript.v2"), Code.INGEST_MALFORMED),
    # Archives
    "a-hundred-thousand-files": (many(), Code.INGEST_TOO_LARGE),
    "claims-four-gigabytes": (huge(), Code.INGEST_TOO_LARGE),
    "link": (link(), Code.INGEST_MALFORMED),
    "absolute": (zipped({"/etc/a.txt": SPEECH}), Code.INGEST_MALFORMED),
    "drive": (zipped({"C:\\a.txt": SPEECH}), Code.INGEST_MALFORMED),
    "password": (patched(zipped({"a.txt": SPEECH}), 8, b"\x01\x00"), Code.INGEST_MALFORMED),
    "binary-part": (zipped({"a.txt": SPEECH, "b.txt": b"\x89PNG" + bytes(40)}), Code.INGEST_BINARY),
    # Captions
    "time-that-is-none": (b"WEBVTT\n\n00:xx.000 --> 00:02.000\nHm.\n", Code.INGEST_MALFORMED),
    "captions-in-one-line": (b"WEBVTT 00:01.000 --> 00:02.000 Hm.", Code.INGEST_NO_UNITS),
    "subtitles-without-words": (
        b"1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\n\n",
        Code.INGEST_NO_UNITS,
    ),
    "ass": (
        b"[Script Info]\nTitle: x\n\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Hm.\n",
        UNKNOWN,
    ),
}
