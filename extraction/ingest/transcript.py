"""What reading a file gives, and the builder through which every reader makes its units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.limits import MAX_INTEGER, Limits
from extraction.ingest.repeats import repeated_units
from extraction.ingest.speakers import normalise_label
from extraction.ingest.wording import turns_direction, without_controls
from extraction.source.documents import SourceUnit

NO_NOTES: Mapping[Code, int] = MappingProxyType({})


class Format(StrEnum):
    NOTARIUS_JSON = "notarius_json"
    CRD3 = "crd3"
    WHISPER = "whisper"
    WHISPER_TIMESTAMPED = "whisper_timestamped"
    WHISPERX = "whisperx"
    WHISPER_CPP = "whisper_cpp"
    PODCAST_JSON = "podcast_json"
    DEEPGRAM = "deepgram"
    ASSEMBLYAI = "assemblyai"
    AWS_TRANSCRIBE = "aws_transcribe"
    GOOGLE_STT = "google_stt"
    AZURE_SPEECH = "azure_speech"
    REV = "rev"
    SPEECHMATICS = "speechmatics"
    KALDI = "kaldi"
    CRAIG = "craig"
    ARCHIVE = "archive"
    WEBVTT = "webvtt"
    SRT = "srt"
    SBV = "sbv"
    ROLL20_HTML = "roll20_html"
    FANTASY_GROUNDS_HTML = "fantasy_grounds_html"
    PODCAST_HTML = "podcast_html"
    FOUNDRY_TEXT = "foundry_text"
    HEADED_TEXT = "headed_text"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that became no unit. `at` is a line or the position of an item, both counted from 1.

    In an archive it stands in the file at `part`, counted from 1 in the order of the files' names.
    """

    at: int
    code: Code
    part: int | None = None


@dataclass(frozen=True, slots=True)
class ReadTranscript:
    """Units in file order. `skipped` tells what was left out, `notes` counts what was kept with a doubt."""

    title: str | None
    units: tuple[SourceUnit, ...]
    format: Format
    encoding: str
    skipped: tuple[Skipped, ...] = ()
    notes: Mapping[Code, int] = field(default_factory=lambda: NO_NOTES)


class TranscriptBuilder:
    """Collects units in file order, keeps them inside the limits, and counts what it leaves out.

    `place` names what `at` counts: "line" or "item".
    """

    def __init__(self, source_format: Format, limits: Limits, *, place: str) -> None:
        self.title: str | None = None
        self._format = source_format
        self._limits = limits
        self._place = place
        self._units: list[SourceUnit] = []
        self._unit_ids: set[int] = set()
        self._skipped: list[Skipped] = []
        self._latest_start = 0
        self._doubtful_times = 0

    def skip(self, at: int, code: Code = Code.INGEST_SKIPPED) -> None:
        self._skipped.append(Skipped(at, code))

    def doubt_time(self) -> None:
        """Count a time that was given and left out, because it is no number or outside of what a time may be."""
        self._doubtful_times += 1

    def add(
        self,
        at: int,
        speaker: str | None,
        text: str,
        *,
        unit_id: int | None = None,
        start_ms: int | None = None,
        end_ms: int | None = None,
    ) -> None:
        """Append a unit, numbered from 1 where the format has no ids; a unit without text is skipped and counted.

        Raises IngestError for a NUL, a repeated id, a time out of range or a unit beyond the limits.
        """
        cleaned = self._cleaned(at, text)
        label = normalise_label(self._cleaned(at, speaker)) if speaker is not None else ""
        self._check_sizes(at, label, cleaned)
        self._check_times(at, start_ms, end_ms)
        if not cleaned.strip():
            self.skip(at)
            return
        chosen = len(self._units) + 1 if unit_id is None else unit_id
        if chosen in self._unit_ids:
            raise IngestError(
                f"The unit id of {self._place} {at} occurs twice; ids are unique.", code=Code.INGEST_UNIT_ID
            )
        self._unit_ids.add(chosen)
        self._units.append(SourceUnit(chosen, label or None, cleaned, start_ms, end_ms))
        self._note_order(start_ms, end_ms)

    def finish(self, encoding: str) -> ReadTranscript:
        """Return the transcript; IngestError if it has no unit."""
        if not self._units:
            raise IngestError("The file was read and holds no spoken line.", code=Code.INGEST_NO_UNITS)
        title = " ".join(without_controls(self.title or "").split())[: self._limits.max_title_chars]
        counts = {
            Code.INGEST_TIMES: self._doubtful_times,
            Code.INGEST_REPEATED: repeated_units(self._units),
            Code.INGEST_DIRECTION: sum(turns_direction(unit.text) for unit in self._units),
        }
        notes = {code: count for code, count in counts.items() if count}
        return ReadTranscript(
            title or None,
            tuple(self._units),
            self._format,
            encoding,
            tuple(sorted(self._skipped, key=lambda skipped: skipped.at)),
            MappingProxyType(notes),
        )

    def _cleaned(self, at: int, text: str) -> str:
        if "\0" in text:
            raise IngestError(f"The text of {self._place} {at} contains a NUL character.", code=Code.INGEST_BINARY)
        return without_controls(text)

    def _check_sizes(self, at: int, label: str, text: str) -> None:
        limits = self._limits
        if len(text) > limits.max_unit_chars:
            raise IngestError(
                f"The unit that starts at {self._place} {at} has {len(text):,} characters, "
                f"more than the {limits.max_unit_chars:,} allowed; split it.",
                code=Code.INGEST_TOO_LARGE,
            )
        if len(label) > limits.max_speaker_chars:
            raise IngestError(
                f"The speaker label at {self._place} {at} is longer than {limits.max_speaker_chars:,} characters.",
                code=Code.INGEST_TOO_LARGE,
            )
        if len(self._units) >= limits.max_units:
            raise IngestError(
                f"The transcript has more than {limits.max_units:,} units; split it into several files.",
                code=Code.INGEST_TOO_LARGE,
            )

    def _check_times(self, at: int, *times: int | None) -> None:
        if any(time is not None and not 0 <= time <= MAX_INTEGER for time in times):
            raise IngestError(
                f"A time at {self._place} {at} is negative or beyond {MAX_INTEGER} milliseconds.",
                code=Code.INGEST_TIMES,
            )

    def _note_order(self, start_ms: int | None, end_ms: int | None) -> None:
        """Count times that run back; file order stays the only order."""
        runs_back = start_ms is not None and start_ms < self._latest_start
        ends_early = start_ms is not None and end_ms is not None and end_ms < start_ms
        self._doubtful_times += runs_back or ends_early
        self._latest_start = max(self._latest_start, start_ms or 0)
