"""What is kept with a doubt, for somebody to look at: loops of a recogniser, signs that turn the direction."""

from __future__ import annotations

import pytest

from extraction.codes import Code
from tests.extraction.ingest.reading import read

LOOP = ["thanks for watching!"] * 9


def cues(said: list[str]) -> str:
    return "\n".join(f"{at + 1}\n00:{at:02}:00,000 --> 00:{at:02}:30,000\n{text}\n" for at, text in enumerate(said))


@pytest.mark.parametrize(
    ("said", "count"),
    [
        pytest.param(["we go", *LOOP, "no"], 9, id="one-phrase"),
        pytest.param(["we go", *["thank you all", "see you soon"] * 4], 8, id="two-phrases-in-turn"),
        pytest.param(
            ["we go", "Thanks for  watching!", "thanks for watching!", *LOOP[:2]], 4, id="spelled-differently"
        ),
        pytest.param(["you"] * 6, 6, id="one-word"),
        pytest.param(["and then we go " * 8, "no"], 1, id="inside-one-unit"),
        pytest.param(["yes"] * 5, 0, id="a-word-people-repeat"),
        pytest.param(LOOP[:3], 0, id="three-times"),
        pytest.param(["we go", "thanks for watching!"] * 3, 0, id="three-times-in-turn"),
        pytest.param(["no no no no no no no", "we go"], 0, id="a-short-stammer"),
    ],
)
def test_loops_are_counted_and_kept(said: list[str], count: int) -> None:
    transcript = read(cues(said))

    assert [unit.text for unit in transcript.units] == [" ".join(text.split()) for text in said]
    assert dict(transcript.notes) == ({Code.INGEST_REPEATED: count} if count else {})


def test_the_same_words_of_several_speakers_are_no_loop() -> None:
    transcript = read("\n".join(f"{name}: I roll for it" for name in ("Mara", "Tom", "Ilse", "Oda", "Per")))

    assert not transcript.notes


def test_signs_that_turn_the_direction_are_kept_and_counted() -> None:
    transcript = read("Mara: we \u202ego\u202c on\nTom: \u05e9\u05dc\u05d5\u05dd\u200f\nOda: no")

    assert [unit.text for unit in transcript.units] == ["we \u202ego\u202c on", "\u05e9\u05dc\u05d5\u05dd\u200f", "no"]
    assert dict(transcript.notes) == {Code.INGEST_DIRECTION: 1}
