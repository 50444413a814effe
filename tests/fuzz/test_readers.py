"""A short run of each fuzz target, so that the targets themselves stay sound."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.readers import TARGETS, Target, check, invented


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@settings(max_examples=40, deadline=None)
@given(drawn=st.data())
def test_a_reader_gives_a_transcript_or_refuses(target: Target, drawn: st.DataObject) -> None:
    found = check(target, drawn.draw(target.files))

    assert found is None or found.units


@pytest.mark.parametrize(
    ("read", "expected"),
    [("we go", []), ("Mara we", []), ("None we", ["None"]), ("a & b", []), ("wego", ["wego"]), ("goon", [])],
)
def test_invented_finds_the_words_that_are_not_in_the_file(read: str, expected: list[str]) -> None:
    assert invented("Mara: we g\x07o<i>on</i> a &amp; b", read.replace("we go", "we goon")) == expected
