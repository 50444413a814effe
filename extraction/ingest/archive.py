"""A ZIP of transcripts as one session.

Tracks of a Craig recording, and other files whose beginnings an `info.txt` names, are merged by time if every one of
them has times; otherwise the files follow each other in the order of their names, numbers counted as numbers. The
notes say which it was. Times are those of the files plus the named beginning; no beginning is guessed.

The same transcript in several formats, as recognisers write them side by side, is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.archive_entries import Archive, Entry
from extraction.ingest.craig import INFO_NAME, Track, is_recorder_label, offsets_of, stem_of, tracks_of
from extraction.ingest.encodings import decode
from extraction.ingest.limits import MAX_INTEGER, Limits
from extraction.ingest.tracks import in_time_order
from extraction.ingest.transcript import Format, ReadTranscript, Skipped
from extraction.source.documents import SourceUnit

ReadPart = Callable[[bytes, str], ReadTranscript]

TIMED_SHARE = 0.5
"""A file has times if at least this share of its units has; the others stay behind the unit before them."""
SEVERAL_ENCODINGS = "mixed"

_SILENT = frozenset({Code.INGEST_EMPTY, Code.INGEST_NO_UNITS})
_BEST_FIRST = (".json", ".vtt", ".srt", ".sbv", ".html", ".htm", ".md", ".txt")


@dataclass(frozen=True, slots=True)
class _Part:
    """`number` counts the transcripts of the archive by name, also those that are left out."""

    number: int
    name: str
    read: ReadTranscript


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the parts become one: `offsets` where they are merged by time, `tracks` where their names say who speaks."""

    tracks: Sequence[Track] | None
    offsets: Sequence[int] | None


def read_archive(data: bytes, limits: Limits, read_part: ReadPart, named: Format | None = None) -> ReadTranscript:
    """Return one transcript of all files in the ZIP, each read by `read_part`.

    `named` overrules how they are put together: `Format.CRAIG` by time, `Format.ARCHIVE` by name. Raises IngestError,
    counting the transcripts in the order of their names and naming none.
    """
    archive = Archive(data, limits)
    info, parts, silent = _parts(archive, limits, read_part)
    if not parts:
        raise IngestError("The archive holds no transcript.", code=Code.INGEST_NO_UNITS)
    kept = _without_copies(parts)
    left = archive.left + silent + len(parts) - len(kept)
    plan = _plan(kept, info, named)
    if len(kept) == 1 and plan.tracks is None and named is None:
        only = kept[0].read
        return replace(only, notes=MappingProxyType({**only.notes, **_left_out(left)}))
    return _joined(kept, plan, left)


def _parts(archive: Archive, limits: Limits, read_part: ReadPart) -> tuple[str, list[_Part], int]:
    """Return the text of `info.txt` or an empty one, the transcripts by name, and how many files have no words."""
    only_infos = all(map(_is_info, archive.names))
    info = ""
    parts: list[_Part] = []
    units = silent = number = 0
    for entry in archive.entries():
        if _is_info(entry.name) and not only_infos:
            info = info or (decode(entry.data)[0] if entry.data else "")
            continue
        number += 1
        read = _read(entry, number, read_part)
        if read is None:
            silent += 1
            continue
        parts.append(_Part(number, entry.name, read))
        units += len(read.units)
        if units > limits.max_units:
            raise IngestError(
                f"The transcripts in the archive have more than {limits.max_units:,} units; split it.",
                code=Code.INGEST_TOO_LARGE,
            )
    return info, parts, silent


def _is_info(name: str) -> bool:
    return PurePosixPath(name).name.lower() == INFO_NAME


def _read(entry: Entry, number: int, read_part: ReadPart) -> ReadTranscript | None:
    """Return the transcript of a file, None for one without a word: not everybody on a track says something."""
    try:
        return read_part(entry.data, PurePosixPath(entry.name).name)
    except IngestError as error:
        if error.code in _SILENT:
            return None
        raise IngestError(f"Transcript {number} of the archive, by name: {error}", code=error.code) from None


def _without_copies(parts: list[_Part]) -> list[_Part]:
    """Return the parts, of those that differ only in their suffix the best alone; IngestError if their words differ."""
    by_stem: dict[tuple[PurePosixPath, str], list[_Part]] = {}
    for part in parts:
        path = PurePosixPath(part.name)
        by_stem.setdefault((path.parent, stem_of(part.name)), []).append(part)
    kept: list[_Part] = []
    for same in by_stem.values():
        best = min(same, key=_rank)
        if any(not _same_words(best.read, other.read) for other in same):
            raise IngestError(
                "Two transcripts in the archive have one name with different suffixes, and different words; "
                "keep one of them or rename it.",
                code=Code.INGEST_MALFORMED,
            )
        kept.append(best)
    return kept


def _rank(part: _Part) -> int:
    suffix = PurePosixPath(part.name).suffix.lower()
    return _BEST_FIRST.index(suffix) if suffix in _BEST_FIRST else len(_BEST_FIRST)


def _same_words(one: ReadTranscript, other: ReadTranscript) -> bool:
    return one is other or any(
        _letters(one, labels=labels) == _letters(other, labels=labels) for labels in (False, True)
    )


def _letters(read: ReadTranscript, *, labels: bool) -> str:
    spoken = (f"{unit.speaker or ''}{unit.text}" if labels else unit.text for unit in read.units)
    return "".join(char for text in spoken for char in text.casefold() if char.isalnum())


def _plan(parts: list[_Part], info: str, named: Format | None) -> _Plan:
    if named is Format.ARCHIVE:
        return _Plan(None, None)
    names = [part.name for part in parts]
    tracks = tracks_of(names)
    starts = [0 if start is None and tracks else start for start in offsets_of(info, names, tracks)]
    if named is Format.CRAIG:
        starts = [start or 0 for start in starts]
    offsets = [start for start in starts if start is not None]
    untimed = [part.number for part in parts if not _has_times(part.read)]
    if named is Format.CRAIG and untimed:
        raise IngestError(
            f"Transcript {untimed[0]} of the archive, by name, has no times, so the tracks cannot be merged by time.",
            code=Code.INGEST_TIMES,
        )
    return _Plan(tracks, offsets if len(offsets) == len(parts) and not untimed else None)


def _has_times(read: ReadTranscript) -> bool:
    return sum(unit.start_ms is not None for unit in read.units) >= TIMED_SHARE * len(read.units)


def _joined(parts: list[_Part], plan: _Plan, left: int) -> ReadTranscript:
    spoken = [part.read.units for part in parts]
    if plan.offsets is None:
        ordered = [(at, unit) for at, units in enumerate(spoken) for unit in units]
    else:
        spoken = [_shifted(units, offset) for units, offset in zip(spoken, plan.offsets, strict=True)]
        ordered = in_time_order(spoken, lambda unit: unit.start_ms)
    units = tuple(
        replace(unit, unit_id=number, speaker=_speaker(unit, plan.tracks, at))
        for number, (at, unit) in enumerate(ordered, start=1)
    )
    encodings = {part.read.encoding for part in parts}
    return ReadTranscript(
        None,
        units,
        Format.CRAIG if plan.tracks and plan.offsets else Format.ARCHIVE,
        encodings.pop() if len(encodings) == 1 else SEVERAL_ENCODINGS,
        tuple(Skipped(skipped.at, skipped.code, part.number) for part in parts for skipped in part.read.skipped),
        MappingProxyType({**_counts(parts, spoken, plan), **_left_out(left)}),
    )


def _shifted(units: Sequence[SourceUnit], offset: int) -> tuple[SourceUnit, ...]:
    if offset == 0:
        return tuple(units)
    return tuple(
        replace(unit, start_ms=_later(unit.start_ms, offset), end_ms=_later(unit.end_ms, offset)) for unit in units
    )


def _later(time: int | None, offset: int) -> int | None:
    return None if time is None or time + offset > MAX_INTEGER else time + offset


def _speaker(unit: SourceUnit, tracks: Sequence[Track] | None, at: int) -> str | None:
    """Return the label in the file; where it has none or a recogniser made it up, the name of the track."""
    if tracks is None or (unit.speaker is not None and not is_recorder_label(unit.speaker)):
        return unit.speaker
    return tracks[at].speaker


def _counts(parts: list[_Part], spoken: Sequence[Sequence[SourceUnit]], plan: _Plan) -> dict[Code, int]:
    counts: dict[Code, int] = {}
    for part in parts:
        for code, count in part.read.notes.items():
            counts[code] = counts.get(code, 0) + count
    lost = sum(
        (before.start_ms is not None and after.start_ms is None) + (before.end_ms is not None and after.end_ms is None)
        for part, after_units in zip(parts, spoken, strict=True)
        for before, after in zip(part.read.units, after_units, strict=True)
    )
    if lost:
        counts[Code.INGEST_TIMES] = counts.get(Code.INGEST_TIMES, 0) + lost
    counts[Code.INGEST_MERGED_BY_TIME if plan.offsets is not None else Code.INGEST_PARTS_BY_NAME] = len(parts)
    return counts


def _left_out(left: int) -> dict[Code, int]:
    return {Code.INGEST_PART_SKIPPED: left} if left else {}
