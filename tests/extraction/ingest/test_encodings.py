from __future__ import annotations

import codecs

import pytest

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import read_transcript
from tests.extraction.ingest.reading import rows

TEXT = "Mara: caf\u00e9 \u201cshut\u201d today\nIlse: oh well then\n"
ROWS = [("Mara", "caf\u00e9 \u201cshut\u201d today"), ("Ilse", "oh well then")]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        pytest.param(TEXT.encode(), "utf-8", id="utf-8"),
        pytest.param(codecs.BOM_UTF8 + TEXT.encode(), "utf-8", id="utf-8-mark"),
        pytest.param(codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16-le", id="utf-16-le-mark"),
        pytest.param(codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "utf-16-be", id="utf-16-be-mark"),
        pytest.param(codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"), "utf-32-le", id="utf-32-le-mark"),
        pytest.param(codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"), "utf-32-be", id="utf-32-be-mark"),
        pytest.param(("Mara: x\n" * 9 + TEXT[:6] + "caf\u00e9 shut today").encode("utf-16-le"), "utf-16-le", id="le"),
        pytest.param(("Mara: x\n" * 9 + TEXT[:6] + "caf\u00e9 shut today").encode("utf-16-be"), "utf-16-be", id="be"),
        pytest.param(TEXT.encode("cp1252"), "cp1252", id="windows-1252"),
        pytest.param(TEXT.replace("\n", "\r\n").encode(), "utf-8", id="crlf"),
        pytest.param(TEXT.replace("\n", "\r").encode(), "utf-8", id="cr"),
    ],
)
def test_read_transcript_detects_the_encoding(data: bytes, encoding: str) -> None:
    transcript = read_transcript(data)

    assert transcript.encoding == encoding
    assert rows(transcript)[-1] in (ROWS[-1], ("Mara", "caf\u00e9 shut today"))
    assert "caf\u00e9" in " ".join(unit.text for unit in transcript.units)


def test_read_transcript_reads_a_named_encoding() -> None:
    transcript = read_transcript("\u041c\u0430\u0440\u0430: \u0434\u0430".encode("cp1251"), encoding="Windows-1251")

    assert rows(transcript) == [("\u041c\u0430\u0440\u0430", "\u0434\u0430")]
    assert transcript.encoding == "cp1251"


@pytest.mark.parametrize(
    ("data", "encoding", "code"),
    [
        pytest.param(b"Mara: a\0b", None, Code.INGEST_BINARY, id="nul-in-text"),
        pytest.param(b"\x80\0\xff\0\0\x9d" * 9, None, Code.INGEST_BINARY, id="binary"),
        pytest.param(b"\x00\x01\x02\x03" * 50, None, Code.INGEST_BINARY, id="binary-like-utf-16"),
        pytest.param(b"\x00\x01\x02\xff" * 50, None, Code.INGEST_BINARY, id="binary-like-utf-16-high"),
        pytest.param(b"\x01\x00\x02\x03" * 50, None, Code.INGEST_BINARY, id="binary-like-utf-16-little"),
        pytest.param(bytes(range(1, 32)) * 9, None, Code.INGEST_BINARY, id="control-characters"),
        pytest.param(b"Mara: a \xed\xa0\xbd b\n", None, Code.INGEST_ENCODING, id="half-a-pair-in-utf-8"),
        pytest.param(b"\xff", None, Code.INGEST_ENCODING, id="one-byte"),
        pytest.param(b"\0", None, Code.INGEST_BINARY, id="one-nul"),
        pytest.param(b"%PDF-1.7 whatever", None, Code.INGEST_BINARY, id="pdf"),
        pytest.param(b"PK\x03\x04rest of it", None, Code.INGEST_BINARY, id="office"),
        pytest.param(b"{\\rtf1 Mara: hello}", None, Code.INGEST_BINARY, id="rich-text"),
        pytest.param(codecs.BOM_UTF16_LE + b"abc", None, Code.INGEST_ENCODING, id="cut-utf-16"),
        pytest.param(codecs.BOM_UTF16_LE + b"\x00\xd8a\0", None, Code.INGEST_ENCODING, id="half-a-pair"),
        pytest.param(
            "\u043f\u0440\u0438\u0432\u0435\u0442 \u043c\u0438\u0440".encode("cp1251"),
            None,
            Code.INGEST_ENCODING,
            id="other-code-page",
        ),
        pytest.param(b"Mara: undefined \x81 byte", None, Code.INGEST_ENCODING, id="undefined-in-windows-1252"),
        pytest.param(
            "Mara: caf\u00e9 caf\u00e9 caf\u00e9".encode()[:-1], None, Code.INGEST_ENCODING, id="damaged-utf-8"
        ),
        pytest.param(b"Mara: hi", "no-such-encoding", Code.INGEST_ENCODING, id="unknown-name"),
        pytest.param(b"Mara: hi", "a\0b", Code.INGEST_ENCODING, id="impossible-name"),
        pytest.param(b"Mara: hi", "punycode", Code.INGEST_ENCODING, id="no-text-encoding"),
        pytest.param(b"Mara: hi", "base64", Code.INGEST_ENCODING, id="no-encoding-of-text"),
        pytest.param(b"Mara: caf\xe9", "utf-8", Code.INGEST_ENCODING, id="named-wrongly"),
    ],
)
def test_read_transcript_refuses_bytes_that_are_no_text(data: bytes, encoding: str | None, code: Code) -> None:
    with pytest.raises(IngestError) as raised:
        read_transcript(data, encoding=encoding)

    assert raised.value.code is code


def test_damaged_utf8_names_the_line() -> None:
    with pytest.raises(IngestError, match="line 3"):
        read_transcript("Mara: caf\u00e9\nIlse: caf\u00e9\n".encode() + b"Mara: caf\xc3 d'\xc3\xa9t\xc3\xa9")


def test_control_characters_go_and_separators_become_spaces() -> None:
    transcript = read_transcript("Ma\x07ra: one\x0btwo\x1b[0m three\x85four\u2028five\x7f\n".encode())

    assert rows(transcript) == [("Mara", "one two[0m three four five")]
