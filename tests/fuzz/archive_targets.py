"""Archives of any names and contents, with bytes changed here and there."""

from __future__ import annotations

from hypothesis import strategies as st

from extraction.ingest import Format
from tests.extraction.ingest.zips import vtt, zipped
from tests.fuzz.outcomes import read_or_refused
from tests.fuzz.shaped import ShapedTarget

names = st.sampled_from(
    [
        "1-mira.vtt",
        "2-odo_0.json",
        "3-x.txt",
        "info.txt",
        "a/b.vtt",
        "../a.vtt",
        "/a.vtt",
        "a.zip",
        "a.flac",
        "part10.srt",
    ]
) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
contents = (
    st.sampled_from(
        [
            vtt((1, "Hold."), (4, "Go.")),
            '{"segments": [{"text": "Never.", "start": 2}]}',
            "mira: hi",
            "Tracks:\n\tmira +2s\n\todo offset 00:01:00\n",
            "",
        ]
    ).map(str.encode)
    | st.binary(max_size=40)
    | st.just(zipped({"x.vtt": "WEBVTT\n"}))
)
files = st.dictionaries(names, contents, max_size=4)
changes = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=4)


formats = st.sampled_from([None, None, Format.CRAIG, Format.ARCHIVE])


def _invented(drawn: tuple[dict[str, bytes], list[tuple[int, int]], Format | None]) -> set[str]:
    packed_files, changed, format = drawn
    packed = bytearray(zipped({**packed_files}))
    for at, byte in changed:
        packed[4 + at % (len(packed) - 4)] = byte
    read_or_refused(bytes(packed), format)
    return set()  # what was packed need not be what is unpacked, where bytes were changed


TARGETS = (ShapedTarget("archives", st.tuples(files, changes, formats), _invented),)
