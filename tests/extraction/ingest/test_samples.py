"""Real files beside the repository, where they are present, and the sample campaign that ships with it."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from extraction.errors import IngestError
from extraction.ingest import Format, ReadTranscript, read_transcript

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data"
SAMPLE = ROOT / "assets" / "sample"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside the repository")
needs_sample = pytest.mark.skipif(not (SAMPLE / "facts.toml").is_file(), reason="the sample campaign is not there")


@needs_shared
@pytest.mark.parametrize(("name", "turns"), [("C1E034", 3308), ("C2E018", 2560), ("C1E104", 1151), ("C2E037", 1529)])
def test_crd3_sessions_come_in_whole(name: str, turns: int) -> None:
    data = (SHARED / "crd3" / f"{name}.json").read_bytes()
    transcript = read_transcript(data)
    said = Counter(word for turn in json.loads(data)["TURNS"] for part in turn["UTTERANCES"] for word in part.split())

    assert transcript.format is Format.CRD3
    assert [unit.unit_id for unit in transcript.units] == list(range(1, turns + 1))
    assert Counter(word for unit in transcript.units for word in unit.text.split()) == said
    assert not transcript.skipped


@needs_shared
def test_every_format_sample_is_read_or_clearly_refused() -> None:
    outcomes: dict[str, str] = {}
    for path in sorted((SHARED / "formats").rglob("*.*")):
        try:
            outcomes[path.name] = read_transcript(path.read_bytes(), filename=path.name).format.value
        except IngestError as error:
            outcomes[path.name] = error.code.value

    expected = {
        "example.srt": "srt",
        "ascii.srt": "srt",
        "gb2312.srt": "ingest.encoding",
        "example.vtt": "webvtt",
        "zoom.vtt": "webvtt",
        "teams.vtt": "webvtt",
        "empty.vtt": "ingest.empty",
        "invalid.vtt": "webvtt",
        "no_captions.vtt": "ingest.no_units",
        "bracketed.txt": "text",
        "example.html": "podcast_html",
        "otter.txt": "headed_text",
        "youtube_dl.vtt": "webvtt",
        "whisper_jax_input.txt": "text",
        "rev.json": "rev",
    }

    assert {name: outcomes.get(name) for name in expected} == expected


@needs_shared
def test_a_file_in_another_code_page_is_read_when_it_is_named() -> None:
    data = (SHARED / "formats" / "cdown-srt" / "gb2312.srt").read_bytes()

    assert len(read_transcript(data, encoding="gb2312").units) == 3


def facts() -> dict[str, Any]:
    return tomllib.loads((SAMPLE / "facts.toml").read_text())


def sample_session(number: int) -> tuple[dict[str, Any], ReadTranscript]:
    session: dict[str, Any] = facts()[f"session_{number}"]
    return session, read_transcript((SAMPLE / session["file"]).read_bytes(), filename=session["file"])


@needs_sample
@pytest.mark.parametrize(
    ("number", "format"), [(1, Format.NOTARIUS_JSON), (2, Format.WEBVTT), (3, Format.TEXT)], ids=["json", "vtt", "md"]
)
def test_sample_sessions_come_in_as_their_facts_say(number: int, format: Format) -> None:
    session, transcript = sample_session(number)
    campaign = tomllib.loads((SAMPLE / "campaign.toml").read_text())
    labels = {label for person in [campaign["gm"], *campaign["party"]] for label in person["speaker_labels"]}

    assert transcript.format is format
    assert transcript.title == session["title"]
    assert len(transcript.units) == session["units"]
    assert {unit.speaker for unit in transcript.units} - {None} <= labels
    assert not transcript.notes
    assert [unit.unit_id for unit in transcript.units if unit.speaker is None] == session.get(
        "units_without_speaker", []
    )


@needs_sample
@pytest.mark.parametrize("number", [1, 2, 3])
def test_sample_quotes_stand_in_their_units(number: int) -> None:
    session, transcript = sample_session(number)
    texts = {unit.unit_id: unit.text for unit in transcript.units}
    records = [record for value in session.values() if isinstance(value, list) for record in value]
    quoted = [record for record in records if isinstance(record, dict) and "quote" in record and "unit" in record]

    assert quoted
    assert [record for record in quoted if record["quote"] not in texts[record["unit"]]] == []
