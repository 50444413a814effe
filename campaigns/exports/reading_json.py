"""What players may have as durable JSON: the registries, the artifacts and the transcripts as their sight sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from campaigns.errors import NotFound
from campaigns.exports.book import said
from campaigns.exports.files import ExportFile, Progress
from campaigns.exports.layout import CAMPAIGN, entry_of, manifest, session_folder
from campaigns.joining import Citation
from campaigns.library.artifacts import artifact
from campaigns.library.bulk import whole
from campaigns.library.registry import Full
from campaigns.library.sessions import SessionLine, sessions
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from campaigns.library.transcripts import Reading
from extraction.canonical import JsonValue, canonical_json

NAMES = {"npc": "npcs", "item": "items", "location": "locations"}


def files(sight: Sight, progress: Progress) -> Iterator[ExportFile]:
    """Yield the files, the manifest last."""
    entries = []
    for file in _content(sight, progress):
        entries.append(entry_of(file))
        yield file
    yield manifest({"edition": sight.edition.value, "as_of": sight.as_of}, entries)


def _content(sight: Sight, progress: Progress) -> Iterator[ExportFile]:
    evenings = sessions(sight)
    campaign = sight.campaign
    yield _json(CAMPAIGN, {"slug": campaign.slug, "name": campaign.name, "public": campaign.public})
    for kind in KINDS:
        yield _json(f"registry/{NAMES[kind]}.json", [_entry(entry) for entry in whole(sight, kind)])
    progress(1, len(evenings) + 1)
    for done, evening in enumerate(evenings, start=2):
        yield from _evening(sight, evening)
        progress(done, len(evenings) + 1)


def _evening(sight: Sight, evening: SessionLine) -> Iterator[ExportFile]:
    folder = session_folder(evening.number)
    about: JsonValue = {"number": evening.number, "title": evening.title, "played": evening.played.isoformat()}
    yield _json(f"{folder}/session.json", about)
    found = said(sight, evening.number)
    if found is not None:
        yield _json(f"{folder}/transcript.json", transcript(found, evening.title))
    for family in evening.families:
        try:
            shown = artifact(sight, evening.number, family)
        except NotFound:
            continue
        yield ExportFile(f"{folder}/artifacts/{family}.json", shown.payload.encode())


def transcript(found: Reading, title: str) -> Mapping[str, JsonValue]:
    """Return the transcript in the project's own format."""
    units: list[JsonValue] = [
        {
            "unit_id": line.unit_id,
            "speaker": line.speaker,
            "text": line.text,
            "start_ms": line.start_ms,
            "end_ms": line.end_ms,
        }
        for line in found.lines
    ]
    return {"schema": "notarius.transcript.v1", "title": title or None, "units": units}


def _entry(entry: Full) -> JsonValue:
    return {
        "id": entry.entity_id,
        "name": entry.name,
        "also_called": entry.also_called,
        "other_ids": entry.other_ids,
        "sessions": entry.sessions,
        "evidence": [_citation(cited) for cited in entry.evidence],
    }


def _citation(cited: Citation) -> JsonValue:
    return {
        "session": cited.session,
        "source_id": cited.source_id,
        "start_unit_id": cited.start_unit_id,
        "end_unit_id": cited.end_unit_id,
    }


def _json(path: str, value: JsonValue) -> ExportFile:
    return ExportFile(path, canonical_json(value))
