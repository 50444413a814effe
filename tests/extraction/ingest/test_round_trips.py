"""No word lost, none invented: units written in a format come back equal."""

from __future__ import annotations

import html
import json

from hypothesis import given
from hypothesis import strategies as st

from extraction.ingest import Format, read_transcript
from extraction.source.documents import SourceUnit

# Letters and signs that stand inside spoken words, and whole words that look like a format's own signs.
letters = st.text(
    st.characters(categories=["Ll", "Lo", "Nd", "Sc", "So"], include_characters="'!?.,;&\u2014\u2019\u201c#%/"),
    min_size=1,
    max_size=8,
)
awkward = st.sampled_from(
    ["<", ">", "-->", "->", "23", "7.", "12:30", "NOTE", "WEBVTT", "(laughs)", "[sighs]", "reads:"]
)
openings = st.sampled_from(["we", "the", "and", "well,", "oh"])
sentences = st.builds(lambda first, rest: [first, *rest], openings, st.lists(letters | awkward | openings, max_size=12))
names = st.sampled_from(
    ["Mara", "OLD TOM", "Ilse van der Berg", "Dr. Hask", "GM", "Tom & Ilse", "SPEAKER_00", "\u738b"]
)
speakers = st.none() | names
milliseconds = st.integers(0, 35_999_999)
cues = st.lists(st.tuples(speakers, sentences, milliseconds, milliseconds), min_size=1, max_size=8)


def wrapped(words: list[str]) -> str:
    """Break lines only before plain words, which begin neither a label nor a heading nor a timing."""
    text = words[0]
    for at, word in enumerate(words[1:]):
        text += ("\n" if at % 3 == 0 and word in {"we", "the", "and", "oh"} else " ") + word
    return text


def clock(ms: int, point: str) -> str:
    seconds, rest = divmod(ms, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{rest:03}"


def expected_units(drawn: list[tuple[str | None, list[str], int, int]], *, timed: bool) -> tuple[SourceUnit, ...]:
    return tuple(
        SourceUnit(at, speaker, " ".join(" ".join(words).split()), start if timed else None, end if timed else None)
        for at, (speaker, words, start, end) in enumerate(drawn, start=1)
    )


@given(cues)
def test_srt_round_trip(drawn: list[tuple[str | None, list[str], int, int]]) -> None:
    blocks = [
        f"{at}\n{clock(start, ',')} --> {clock(end, ',')}\n{speaker + ': ' if speaker else ''}{wrapped(words)}\n"
        for at, (speaker, words, start, end) in enumerate(drawn, start=1)
    ]

    assert read_transcript("\n".join(blocks).encode(), format=Format.SRT).units == expected_units(drawn, timed=True)


@given(cues)
def test_webvtt_round_trip(drawn: list[tuple[str | None, list[str], int, int]]) -> None:
    blocks = ["WEBVTT\n"]
    for speaker, words, start, end in drawn:
        voice = f"<v {html.escape(speaker, quote=False)}>" if speaker else ""
        text = html.escape(wrapped(words), quote=False)
        blocks.append(f"{clock(start, '.')} --> {clock(end, '.')}\n{voice}{text}\n")

    assert read_transcript("\n".join(blocks).encode(), format=Format.WEBVTT).units == expected_units(drawn, timed=True)


@given(
    st.lists(st.tuples(names, sentences, milliseconds, milliseconds), min_size=1, max_size=8), st.sampled_from("tbs")
)
def test_text_round_trip(drawn: list[tuple[str, list[str], int, int]], style: str) -> None:
    spelled = {"t": "{}: ", "b": "**{}:** ", "s": "**{}**: "}[style]
    lines = [f"{spelled.format(speaker)}{wrapped(words)}" for speaker, words, _, _ in drawn]
    expected = expected_units([(speaker, words, 0, 0) for speaker, words, _, _ in drawn], timed=False)

    assert read_transcript("\n".join(lines).encode(), format=Format.TEXT).units == expected


@given(cues, st.integers(0, 8))
def test_crd3_round_trip_in_both_shapes(drawn: list[tuple[str | None, list[str], int, int]], border: int) -> None:
    turns = [
        {"NAMES": speaker.split(" & ") if speaker else [], "UTTERANCES": wrapped(words).split("\n"), "NUMBER": at}
        for at, (speaker, words, _, _) in enumerate(drawn)
    ]
    border = min(border, len(turns) - 1)
    aligned = [{"CHUNK": "", "TURNS": turns[: border + 1]}, {"CHUNK": "", "TURNS": turns[border:]}]
    expected = expected_units(drawn, timed=False)
    overlapping = read_transcript(json.dumps(aligned).encode())

    assert read_transcript(json.dumps({"METADATA": {}, "TURNS": turns}).encode()).units == expected
    assert overlapping.units == expected
    assert len(overlapping.skipped) == 1


plain = st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], include_characters="\n\t")
times = st.none() | st.integers(0, 2**31 - 1)
any_units = st.lists(
    st.builds(
        SourceUnit,
        st.integers(1, 2**31 - 1),
        speakers,
        st.text(plain, min_size=1).filter(lambda t: t.strip()),
        times,
        times,
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda unit: unit.unit_id,
)


@given(any_units)
def test_notarius_json_round_trip_keeps_every_character(units: list[SourceUnit]) -> None:
    whole = {"schema": "notarius.transcript.v1", "title": None, "units": [unit.as_json() for unit in units]}

    assert read_transcript(json.dumps(whole).encode()).units == tuple(units)
    assert read_transcript(json.dumps(whole, ensure_ascii=False).encode()).units == tuple(units)
