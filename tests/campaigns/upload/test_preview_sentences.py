from __future__ import annotations

from campaigns.preview import SENTENCES
from extraction.codes import Code

# With these a reader refuses the file; all others count what it kept or left out, and a person has to know of them.
REFUSALS = {
    Code.INGEST_EMPTY,
    Code.INGEST_BINARY,
    Code.INGEST_TOO_LARGE,
    Code.INGEST_TOO_DEEP,
    Code.INGEST_ENCODING,
    Code.INGEST_UNKNOWN_FORMAT,
    Code.INGEST_MALFORMED,
    Code.INGEST_NO_UNITS,
    Code.INGEST_UNIT_ID,
}


def test_every_note_of_a_reader_has_a_sentence() -> None:
    codes = {code for code in Code if code.value.startswith("ingest.")}

    assert codes - REFUSALS == set(SENTENCES)
    assert all(sentence.endswith(".") for sentence in SENTENCES.values())
