"""From bytes to text: byte order marks, strict UTF-8, UTF-16 without a mark, and Windows-1252 for what is left.

Windows-1252 decodes nearly anything, so it is believed only for text that is mostly plain letters. Damaged UTF-8 and
other code pages end in an error that asks for the encoding, never in a transcript of wrong letters.
"""

from __future__ import annotations

import codecs
import contextlib
import re
import string

from extraction.codes import Code
from extraction.errors import IngestError

# UTF-32 first: its little-endian mark begins with the one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OTHER_FILES = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"{\\rtf", "a rich text document"),
    (b"\x1f\x8b", "a compressed file"),
    (b"\x89PNG", "an image"),
    (b"ID3", "a sound file"),
    (b"OggS", "a sound file"),
)
# Codecs of Python that are no encodings of text files.
_REFUSED = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7"})
_SAMPLE = 4096
_MOSTLY_NUL = 0.4
_HARDLY_NUL = 0.05
_MAX_HIGH_SHARE = 0.3
_MAX_CONTROLS = 0.2
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1a\x7f]")
_HALF_PAIR = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_HIGH = bytes(range(0x80, 0x100))
_UTF8_LEADS = bytes(range(0xC2, 0xF5))
_LETTERS = string.ascii_letters.encode()


def decode(data: bytes, encoding: str | None = None) -> tuple[str, str]:
    """Return the text without its byte order mark, and the name of its encoding.

    Raises IngestError for a binary file and for bytes that are text in no encoding tried.
    """
    for magic, kind in _OTHER_FILES:
        if data.startswith(magic):
            raise IngestError(f"The file is {kind}, not a transcript; export it as text.", code=Code.INGEST_BINARY)
    text, name = _named(data, encoding) if encoding else _detected(data)
    text = text.removeprefix("\ufeff")
    if _is_mostly_controls(text):
        raise IngestError("The file is binary, not a transcript.", code=Code.INGEST_BINARY)
    if "\0" in text:
        raise IngestError("The file contains NUL characters, so it is not a text file.", code=Code.INGEST_BINARY)
    return text, name


def _named(data: bytes, encoding: str) -> tuple[str, str]:
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise IngestError("The encoding named for the file is not known.", code=Code.INGEST_ENCODING) from None
    if name in _REFUSED:
        raise IngestError("The encoding named for the file is not one of text files.", code=Code.INGEST_ENCODING)
    return _strict(data, name), name


def _detected(data: bytes) -> tuple[str, str]:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], name), name
    unmarked = _utf16_by_pattern(data)
    if unmarked is not None:
        return _strict(data, unmarked), unmarked
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise IngestError("The file is binary, not a transcript.", code=Code.INGEST_BINARY) from None
        _refuse_half_pairs(data)
        _refuse_damaged_utf8(data, error.start)
    return _windows(data), "cp1252"


def _is_mostly_controls(text: str) -> bool:
    sample = text[:_SAMPLE]
    return len(_CONTROLS.findall(sample)) > _MAX_CONTROLS * len(sample)


def _strict(data: bytes, name: str) -> str:
    try:
        return data.decode(name)
    except (UnicodeError, LookupError):
        raise IngestError(
            "The bytes of the file do not fit its encoding; save it as UTF-8 and try again.", code=Code.INGEST_ENCODING
        ) from None


def _utf16_by_pattern(data: bytes) -> str | None:
    """Return the byte order of UTF-16 without a mark: text of the West has a NUL in every other byte."""
    sample = data[:_SAMPLE]
    pairs = len(sample) // 2
    if len(data) % 2 or pairs < 2:
        return None
    first, second = sample[0::2].count(0) / pairs, sample[1::2].count(0) / pairs
    if second > _MOSTLY_NUL and first < _HARDLY_NUL:
        return "utf-16-le"
    return "utf-16-be" if first > _MOSTLY_NUL and second < _HARDLY_NUL else None


def _refuse_half_pairs(data: bytes) -> None:
    found = _HALF_PAIR.search(data)
    if found is None:
        return
    with contextlib.suppress(UnicodeDecodeError):
        data.decode("utf-8", errors="surrogatepass")
        line = data.count(b"\n", 0, found.start()) + 1
        raise IngestError(
            f"Line {line} holds half of a surrogate pair, which is no character.", code=Code.INGEST_ENCODING
        )


def _refuse_damaged_utf8(data: bytes, first_bad: int) -> None:
    bad = data.decode("utf-8", errors="replace").count("\ufffd")
    good = _count(data, _UTF8_LEADS) - bad
    if good > bad:
        line = data.count(b"\n", 0, first_bad) + 1
        raise IngestError(
            f"The file is UTF-8 but damaged in line {line}; save it again as UTF-8.", code=Code.INGEST_ENCODING
        )


def _windows(data: bytes) -> str:
    high = _count(data, _HIGH)
    if high <= _MAX_HIGH_SHARE * (_count(data, _LETTERS) + high):
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode("cp1252")
    raise IngestError(
        "The encoding of the file is not UTF-8, UTF-16, UTF-32 or Windows-1252; name it or save the file as UTF-8.",
        code=Code.INGEST_ENCODING,
    )


def _count(data: bytes, kind: bytes) -> int:
    return len(data) - len(data.translate(None, kind))
