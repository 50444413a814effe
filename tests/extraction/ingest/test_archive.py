"""A ZIP of transcripts: what is read, what is refused, and that no name in it gets out."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest import Format, Limits, read_transcript
from tests.extraction.ingest.reading import rows, times
from tests.extraction.ingest.zips import patched, vtt, zipped

FIRST, SECOND = vtt((1, "One."), (2, "Two.")), vtt((1, "Three."))


def refusal(data: bytes, limits: Limits | None = None) -> IngestError:
    with pytest.raises(IngestError) as raised:
        read_transcript(data, limits=limits or Limits())
    return raised.value


def test_parts_follow_each_other_by_name_with_numbers_counted() -> None:
    files: dict[str, str | bytes] = {"part10.vtt": SECOND, "part2.vtt": FIRST}
    transcript = read_transcript(zipped(files))

    assert [text for _, text in rows(transcript)] == ["One.", "Two.", "Three."]
    assert times(transcript) == [(1000, 2000), (2000, 3000), (1000, 2000)]
    assert transcript.format is Format.ARCHIVE
    assert transcript.encoding == "utf-8"
    assert transcript.notes == {Code.INGEST_PARTS_BY_NAME: 2}


@pytest.mark.parametrize(
    "names", [["a2.vtt", "a10.vtt"], ["\u0661" * 5000 + ".vtt", "\u0662.vtt"], ["1" * 5000 + ".vtt", "x.vtt"]], ids=len
)
def test_any_numbers_in_names_give_an_order(names: list[str]) -> None:
    assert len(read_transcript(zipped(dict.fromkeys(names, FIRST))).units) == 4


def test_parts_whose_beginnings_are_named_are_merged_by_time() -> None:
    info = "early.vtt offset 00:00:00\nlate.vtt offset 00:30:00\n"
    transcript = read_transcript(zipped({"early.vtt": SECOND, "late.vtt": FIRST, "info.txt": info}))

    assert times(transcript) == [(1000, 2000), (1_801_000, 1_802_000), (1_802_000, 1_803_000)]
    assert transcript.notes == {Code.INGEST_MERGED_BY_TIME: 2}


def test_parts_of_several_formats_and_encodings() -> None:
    files: dict[str, str | bytes] = {"a.vtt": FIRST, "b.txt": "Mara: caf\u00e9 time".encode("cp1252")}
    transcript = read_transcript(zipped(files))

    assert rows(transcript) == [(None, "One."), (None, "Two."), ("Mara", "caf\u00e9 time")]
    assert transcript.encoding == "mixed"


def test_one_transcript_alone_is_read_as_what_it_is() -> None:
    transcript = read_transcript(zipped({"a.vtt": FIRST, "cover.png": b"x", "notes/.hidden": b"y", "notes/": b""}))

    assert transcript.format is Format.WEBVTT
    assert transcript.notes == {Code.INGEST_PART_SKIPPED: 2}


def test_a_lone_info_file_is_a_transcript() -> None:
    assert rows(read_transcript(zipped({"info.txt": "Mara: hi"}))) == [("Mara", "hi")]


def test_a_named_format_and_encoding_hold_for_the_parts() -> None:
    data = zipped({"a.vtt": "Mara: \u0434\u0430".encode("cp1251")})
    transcript = read_transcript(data, format=Format.TEXT, encoding="cp1251")

    assert rows(transcript) == [("Mara", "\u0434\u0430")]


def test_the_same_transcript_in_several_formats_is_read_once() -> None:
    segments = [{"start": 1, "end": 2, "text": " One."}, {"start": 2, "end": 3, "text": " Two."}]
    whisper = json.dumps({"text": "", "segments": segments})
    srt = "1\n00:00:01,000 --> 00:00:02,000\nOne.\n\n2\n00:00:02,000 --> 00:00:03,000\nTwo.\n"
    files: dict[str, str | bytes] = {
        "1-a.json": whisper,
        "1-a.vtt": FIRST,
        "1-a.srt": srt,
        "1-a.txt": "One.\nTwo.",
        "1-a.tsv": "x",
    }
    transcript = read_transcript(zipped(files))

    assert rows(transcript) == [("a", "One."), ("a", "Two.")]
    assert transcript.notes == {Code.INGEST_MERGED_BY_TIME: 1, Code.INGEST_PART_SKIPPED: 4}


def test_two_transcripts_of_one_name_with_different_words_are_refused() -> None:
    assert refusal(zipped({"a.vtt": FIRST, "a.txt": "One. Two. Four."})).code is Code.INGEST_MALFORMED


def test_what_a_part_skips_is_told_with_the_part() -> None:
    with_empty_cue = SECOND + "\n00:00:09.000 --> 00:00:10.000\n"
    files: dict[str, str | bytes] = {"a.vtt": FIRST, "b.vtt": "WEBVTT\n", "c.vtt": with_empty_cue}
    transcript = read_transcript(zipped(files))

    assert [(skipped.at, skipped.part) for skipped in transcript.skipped] == [(6, 3)]


def encrypted(data: bytes) -> bytes:
    return patched(data, 8, b"\x01\x00")


def with_link() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        info = zipfile.ZipInfo("a.vtt")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return packed.getvalue()


def many(count: int) -> bytes:
    return zipped({f"{at}.vtt": "" for at in range(count)}, method=zipfile.ZIP_STORED)


def twice() -> bytes:
    return zipped({"a.vtt": FIRST, "b.vtt": FIRST}).replace(b"b.vtt", b"a.vtt")


NAMED = Code.INGEST_MALFORMED
LARGE = Code.INGEST_TOO_LARGE


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(zipped({}), Code.INGEST_NO_UNITS, id="empty"),
        pytest.param(zipped({"a.png": b"x", "b.vtt": "WEBVTT\n"}), Code.INGEST_NO_UNITS, id="no-words"),
        pytest.param(zipped({"a.vtt": "WEBVTT\n" + " " * 700_000}), LARGE, id="bomb"),
        pytest.param(zipped({"a.vtt": b"\0" * 50_000_000}), LARGE, id="large-bomb"),
        pytest.param(
            patched(zipped({"a.vtt": FIRST}), 24, struct.pack("<L", 2**31)), LARGE, id="two-gigabytes-claimed"
        ),
        pytest.param(
            patched(zipped({"a.vtt": FIRST}), 20, struct.pack("<L", 2**30)), Code.INGEST_BINARY, id="packed-size"
        ),
        pytest.param(
            patched(zipped({"a.vtt": FIRST}), 24, struct.pack("<L", 10)), Code.INGEST_BINARY, id="smaller-claimed"
        ),
        pytest.param(zipped({"a.vtt": FIRST, "b.zip": zipped({"c.vtt": SECOND})}), NAMED, id="nested"),
        pytest.param(zipped({"a.vtt": zipped({"c.vtt": SECOND})}), NAMED, id="nested-with-another-suffix"),
        pytest.param(zipped({"../a.vtt": FIRST}), NAMED, id="parent"),
        pytest.param(zipped({"x/../../a.vtt": FIRST}), NAMED, id="parent-inside"),
        pytest.param(zipped({"..\\a.vtt": FIRST}), NAMED, id="parent-of-windows"),
        pytest.param(zipped({"/etc/a.vtt": FIRST}), NAMED, id="absolute"),
        pytest.param(zipped({"C:\\a.vtt": FIRST}), NAMED, id="drive"),
        pytest.param(zipped({"\\\\host\\a.vtt": FIRST}), NAMED, id="share"),
        pytest.param(with_link(), NAMED, id="link"),
        pytest.param(encrypted(zipped({"a.vtt": FIRST})), NAMED, id="password"),
        pytest.param(twice(), NAMED, id="one-name-twice"),
        pytest.param(zipped({"a.vtt": FIRST}, method=zipfile.ZIP_LZMA), NAMED, id="unusual-packing"),
        pytest.param(zipped({"[Content_Types].xml": "x", "word/document.xml": "x"}), Code.INGEST_BINARY, id="office"),
        pytest.param(zipped({"a.vtt": FIRST})[:-10], Code.INGEST_BINARY, id="cut"),
        pytest.param(
            zipped({"a.vtt": FIRST}).replace(b"\x03\x04", b"\x03\x05", 1)[4:], Code.INGEST_BINARY, id="no-start"
        ),
        pytest.param(zipped({"a.vtt": FIRST, "b.vtt": b"\x89PNG"}), Code.INGEST_BINARY, id="binary-part"),
        pytest.param(many(501), LARGE, id="many-files"),
    ],
)
def test_bad_archives_are_refused(data: bytes, code: Code) -> None:
    error = refusal(data)

    assert error.code is code
    assert str(error).endswith(".")
    assert "vtt" not in str(error)


def test_a_hundred_thousand_files_are_refused_before_their_names_are_read() -> None:
    entry = zipped({"a.vtt": ""}, method=zipfile.ZIP_STORED)
    directory = entry[entry.index(b"PK\x01\x02") : entry.index(b"PK\x05\x06")]
    data = entry[: entry.index(b"PK\x01\x02")] + directory * 100_000 + entry[entry.index(b"PK\x05\x06") :]

    assert refusal(data).code is Code.INGEST_TOO_LARGE


@pytest.mark.parametrize(
    ("limits", "fits"),
    [
        pytest.param(Limits(max_archive_entries=2), True, id="entries-fit"),
        pytest.param(Limits(max_archive_entries=1), False, id="entries"),
        pytest.param(Limits(max_archive_bytes=len(FIRST) + len(SECOND)), True, id="bytes-fit"),
        pytest.param(Limits(max_archive_bytes=len(FIRST) + len(SECOND) - 1), False, id="bytes"),
        pytest.param(Limits(max_units=3), True, id="units-fit"),
        pytest.param(Limits(max_units=2), False, id="units"),
        pytest.param(Limits(max_bytes=400), True, id="file-fits"),
    ],
)
def test_limits_of_archives_are_inclusive(limits: Limits, fits: bool) -> None:
    data = zipped({"a.vtt": FIRST, "b.vtt": SECOND})
    if fits:
        assert len(read_transcript(data, limits=limits).units) == 3
    else:
        assert refusal(data, limits).code is Code.INGEST_TOO_LARGE


def test_a_file_larger_than_a_transcript_may_be_is_refused() -> None:
    words = " ".join(str(random.Random(1).random()) for _ in range(100))  # noqa: S311 - words, no secret
    data = zipped({"a.txt": words * 3})

    assert refusal(data, Limits(max_bytes=len(data))).code is Code.INGEST_TOO_LARGE


def test_well_packed_words_are_no_bomb() -> None:
    lines = "\n".join(f"Mara: step {at} of the long stair" for at in range(5000))

    assert len(read_transcript(zipped({"a.txt": lines})).units) == 5000


@pytest.mark.parametrize("format", [Format.CRAIG, Format.ARCHIVE])
def test_an_archive_is_named_and_none_given(format: Format) -> None:
    with pytest.raises(IngestError) as raised:
        read_transcript(b"Mara: hi", format=format)

    assert raised.value.code is Code.INGEST_MALFORMED


SECRET = "Zanzibarov"


@pytest.mark.parametrize(
    "files",
    [
        {f"{SECRET}.vtt": "WEBVTT\n\n00:01.0x0 --> 00:02.000\nZanzibarov"},
        {f"{SECRET}.json": '{"segments": [{"text": 1}]}'},
        {f"../{SECRET}.vtt": FIRST},
        {f"{SECRET}.zip": b"x"},
        {f"{SECRET}.vtt": FIRST, f"{SECRET}.txt": "other words"},
        {f"{SECRET}/1-a.vtt": "Mara: \x00"},
        {f"1-{SECRET}.vtt": b"\xff\xfe\x00"},
    ],
)
def test_errors_of_archives_hold_no_name_and_no_word(files: dict[str, str | bytes]) -> None:
    error = refusal(zipped(files))

    assert SECRET not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None


def test_names_of_files_that_are_no_tracks_are_nowhere_in_the_transcript() -> None:
    transcript = read_transcript(zipped({f"{SECRET}/{SECRET}1.vtt": FIRST, f"{SECRET}/{SECRET}2.txt": "Mara: hi"}))

    assert SECRET not in repr(transcript)


def test_names_in_utf8_without_the_mark_are_read() -> None:
    data = zipped({"1-Zo\u00eb.vtt": FIRST})
    at = data.index(b"PK\x01\x02") + 8
    unmarked = data[:6] + b"\0\0" + data[8:at] + b"\0\0" + data[at + 2 :]

    assert {speaker for speaker, _ in rows(read_transcript(unmarked))} == {"Zo\u00eb"}


@settings(max_examples=300)
@given(st.data())
def test_damaged_archives_are_read_or_refused(data: st.DataObject) -> None:
    packed = bytearray(zipped({"1-a.vtt": FIRST, "2-b.json": '{"segments": [{"text": "Hi.", "start": 1}]}'}))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(4, len(packed) - 1))] = data.draw(st.integers(0, 255))
    try:
        transcript = read_transcript(bytes(packed))
    except IngestError as error:
        assert error.code.value.startswith("ingest.")
    else:
        assert transcript.units
