"""What a transcript file was read as, for a person to look at before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from campaigns.glossary import Glossary, Suggestion
from campaigns.models import Campaign
from campaigns.speakers import Table
from extraction.codes import Code
from extraction.ingest import Format, ReadTranscript, Skipped
from extraction.source.documents import SourceUnit, units_digest

FIRST_LINES = 8
MOST_CHARS = 300
MOST_SPEAKERS = 100
MOST_PLACES = 500
MOST_SUGGESTIONS = 100
OF_LINES = frozenset(
    {
        Format.WEBVTT,
        Format.SRT,
        Format.SBV,
        Format.ROLL20_HTML,
        Format.FANTASY_GROUNDS_HTML,
        Format.PODCAST_HTML,
        Format.FOUNDRY_TEXT,
        Format.HEADED_TEXT,
        Format.TEXT,
    }
)
SENTENCES: Mapping[str, str] = {
    Code.INGEST_SKIPPED: "Without spoken words: a heading, an empty cue or a note of the program that wrote the file.",
    Code.INGEST_SHOWN_AGAIN: "A line that rolling captions show again: it is kept once.",
    Code.INGEST_TIMES: "Times that run back, or that cannot be and were left out. The order is the file's.",
    Code.INGEST_REPEATED: "The same words again and again, as a recogniser writes when it has lost the speech.",
    Code.INGEST_DIRECTION: "Signs that turn the direction of writing. They are kept.",
    Code.INGEST_MERGED_BY_TIME: "Files of the archive that were merged by time.",
    Code.INGEST_PARTS_BY_NAME: "Files of the archive, one after the other in the order of their names.",
    Code.INGEST_PART_SKIPPED: "Files of the archive that were left out: no transcript, no words or a copy.",
}


@dataclass(frozen=True, slots=True)
class Speaker:
    """`person` is who of the roster it is, in words; empty for somebody unknown."""

    label: str | None
    count: int
    person: str


@dataclass(frozen=True, slots=True)
class SkippedPlaces:
    """What was skipped for one reason, and where: such as "lines 3-5, 9", of very many only the first ones."""

    code: str
    sentence: str
    count: int
    where: str


@dataclass(frozen=True, slots=True)
class Flag:
    code: str
    sentence: str
    count: int


@dataclass(frozen=True, slots=True)
class Line:
    """One of the first units; `cut` if there is more of it."""

    speaker: str | None
    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """`speakers` are all, the most frequent first. `digest` is what the units would be stored under."""

    format: str
    encoding: str
    title: str
    units: int
    digest: str
    speakers: tuple[Speaker, ...]
    lines: tuple[Line, ...]
    skipped: tuple[SkippedPlaces, ...]
    flags: tuple[Flag, ...]
    suggestions: tuple[Suggestion, ...]

    @property
    def named(self) -> int:
        """How many speakers have a label."""
        return sum(speaker.label is not None for speaker in self.speakers)


def preview(found: ReadTranscript, campaign: Campaign) -> Preview:
    """Return what storing the transcript in the campaign would keep, and what was left out."""
    return Preview(
        format=found.format.value,
        encoding=found.encoding,
        title=found.title or "",
        units=len(found.units),
        digest=units_digest(found.units),
        speakers=speakers_of(found.units, Table.of(campaign)),
        lines=tuple(
            Line(unit.speaker, unit.text[:MOST_CHARS], len(unit.text) > MOST_CHARS)
            for unit in found.units[:FIRST_LINES]
        ),
        skipped=tuple(_skipped(found)),
        flags=tuple(Flag(code, SENTENCES.get(code, ""), count) for code, count in sorted(found.notes.items())),
        suggestions=tuple(Glossary.of(campaign).suggestions(found.units)[:MOST_SUGGESTIONS]),
    )


def speakers_of(units: Iterable[SourceUnit], table: Table) -> tuple[Speaker, ...]:
    """Return the labels with their counts and people, the most frequent first."""
    counts = Counter(unit.speaker for unit in units)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0] or ""))
    return tuple(Speaker(label, count, table.person(label)) for label, count in ordered)


def _skipped(found: ReadTranscript) -> Iterable[SkippedPlaces]:
    groups: dict[tuple[str, int | None], list[int]] = {}
    for skipped in sorted(found.skipped, key=_place):
        groups.setdefault((skipped.code, skipped.part), []).append(skipped.at)
    noun = "line" if found.format in OF_LINES else "item"
    for (code, part), places in groups.items():
        runs = _runs(places)
        said = ", ".join(runs[:MOST_PLACES]) + (" and later" if len(runs) > MOST_PLACES else "")
        nouns = f"{noun}s" if len(places) > 1 else noun
        where = f"{nouns} {said}" if part is None else f"file {part}, at {said}"
        yield SkippedPlaces(code, SENTENCES.get(code, ""), len(places), where)


def _place(skipped: Skipped) -> tuple[str, int, int]:
    return skipped.code, skipped.part or 0, skipped.at


def _runs(places: Sequence[int]) -> list[str]:
    """Return the ascending numbers as "3" and "5-9"."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place <= runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return [str(first) if first == last else f"{first}-{last}" for first, last in runs]
