from __future__ import annotations

import pytest

from extraction.ingest.speakers import habitual_labels, is_speaker_label, normalise_label, split_label
from tests.extraction.ingest.reading import read


@pytest.mark.parametrize(
    "label",
    [
        "Mara",
        "MARA",
        "GM",
        "Old Mara",
        "SPEAKER_00",
        "Speaker #2",
        "Player 2",
        "Dr. Pell",
        "J. R. Hask",
        "Ilse van der Berg",
        "Captain of the Watch",
        "Tom & Ilse",
        "ALL - TOM - ILSE",
        "Ash & Bea & Cy & Dov & Eli",
        "Tom (as the old miller)",
        "d'Arvin",
        "al-Rashid",
        "Mara's Brother",
        "Vex\u2019ahl",
        "\u738b",
        "Second Guard",
        "Scene Painter",
    ],
)
def test_is_speaker_label_accepts_names(label: str) -> None:
    assert is_speaker_label(label)


@pytest.mark.parametrize(
    "label",
    [
        "",
        "The sign reads",
        "the sign",
        "of Mara",
        "I'm Tom",
        "Here's Tom",
        "So Ilse",
        "Well. Tom",
        "Tom, Ilse",
        "What now?",
        "7",
        "???",
        "Note",
        "https",
        "Chapter 2",
        "Session 14",
        "One Two Three Four Five Six",
        "M" * 61,
    ],
)
def test_is_speaker_label_refuses_sentences_numbers_and_headings(label: str) -> None:
    assert not is_speaker_label(label)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Mara: we go", ("Mara", "we go")),
        ("  Mara :  we  go ", ("Mara", "we  go")),
        ("Mara:", ("Mara", "")),
        ("Mara: so: we go", ("Mara", "so: we go")),
        ("**Mara:** we go", ("Mara", "we go")),
        ("**Mara**: we go", ("Mara", "we go")),
        ("**Mara:**we go", ("Mara", "we go")),
        ("*Mara*: we go", ("Mara", "we go")),
        ("__Mara__: we go", ("Mara", "we go")),
        ("- **Mara:** we go", ("Mara", "we go")),
        ("> Mara: we go", ("Mara", "we go")),
        (">> MARA: we go", ("MARA", "we go")),
        ("\u738b\uff1a\u4f60\u597d", ("\u738b", "\u4f60\u597d")),
        ("Mara:we go", None),
        ("At 12:30 we go", None),
        ("https://example.org/", None),
        ("**Mara is** here: now", None),
        ("*sighs* Mara: we go", None),
        (": we go", None),
        ("", None),
        ("The sign reads: beware", None),
    ],
)
def test_split_label_parts_speaker_and_text(line: str, expected: tuple[str, str] | None) -> None:
    assert split_label(line) == expected


def test_normalise_label_composes_and_collapses() -> None:
    assert normalise_label("  Rene\u0301   \u00a0Oak\t") == "Ren\u00e9 Oak"


NICKNAMES = ["tom_h: we go", "Mara: no", "iPad (2): so", "tom_h: then", "iPad (2): on", "tom_h: well", "iPad (2): no"]


def test_labels_without_capitals_are_believed_where_they_are_the_habit() -> None:
    assert habitual_labels(NICKNAMES) == {"tom_h", "iPad (2)"}
    assert habitual_labels([*NICKNAMES, "a line", "and another", "no name"]) == frozenset()
    assert habitual_labels(["then he said: go"] * 4 + ["so tom: go"] * 4) == frozenset()


@pytest.mark.parametrize(
    ("head", "cue"),
    [
        pytest.param("", "{1}\n", id="text"),
        pytest.param("", "{0}\n00:0{0}.000 --> 00:0{0}.900\n{1}\n\n", id="srt"),
        pytest.param("WEBVTT\n\n", "{0}\n00:0{0}.000 --> 00:0{0}.900\n{1}\n\n", id="zoom"),
    ],
)
def test_nicknames_are_speakers_in_captions_and_text(head: str, cue: str) -> None:
    transcript = read(head + "".join(cue.format(at, line) for at, line in enumerate(NICKNAMES)))

    assert [unit.speaker for unit in transcript.units] == [line.partition(":")[0] for line in NICKNAMES]
