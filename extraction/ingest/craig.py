"""What the names and the `info.txt` of a Craig recording say: who speaks on a track, and when the track begins.

A track is named `<number>-<name>`, with or without the `_<digits>` that stand for a Discord number: `1-Alice.vtt`,
`2-bob_0.json`. The name becomes the speaker's label in the transcript; that is the one way in which a file name is
kept, and people name tracks for it. Craig's tracks begin together; an `info.txt` may say that one begins later, in a
line that begins with the track's file, name or number, or in the list of tracks in their order:

    Tracks:
        alice#0 (1234) offset 00:00:12.500
        bob#0 (5678) +2.5s
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from extraction.ingest.limits import MAX_INTEGER
from extraction.ingest.speakers import normalise_label
from extraction.ingest.wording import split_lines, without_controls

INFO_NAME = "info.txt"
_LONGEST_INFO = 20_000

_TRACK = re.compile(r"0{0,3}(?P<number>[1-9][0-9]{0,2})-(?P<name>.{1,100}?)(?P<tag>[_#][0-9]{1,5})?")
# Names that number the parts of an evening, not the people.
_PART = re.compile(
    r"(?:part|session|track|audio|recording|disc|chapter|episode|scene|act|teil)?[ _-]*[0-9]*", re.IGNORECASE
)
_SOUND = re.compile(r"\.(?:flac|wav|mp3|ogg|oga|opus|m4a|aac)\Z", re.IGNORECASE)
# What recognisers call people whom they cannot know.
_RECORDER_LABEL = re.compile(r"(?:speaker|spk|channel|ch)[ _]?[0-9]{1,4}|S[0-9]{1,3}|[A-Z]", re.IGNORECASE)
_OFFSET = re.compile(
    r"(?:[ \t](?:offset|starts? at|delay)[ \t]?[:=]?[ \t]?|[ \t:=]\+|:[ \t]?|[ \t])"
    r"(?:(?:(?P<hours>[0-9]{1,3}):)?(?P<minutes>[0-9]{1,2}):(?P<seconds>[0-9]{2}(?:\.[0-9]{1,6})?)"
    r"|(?P<number>[0-9]{1,8}(?:\.[0-9]{1,6})?)[ \t]?(?P<unit>ms|s))[ \t)]*\Z"
)
_NUMBERED = re.compile(r"[ \t]*(?P<number>[0-9]{1,3})[-.):]")


@dataclass(frozen=True, slots=True)
class Track:
    number: int
    speaker: str


def stem_of(name: str) -> str:
    """Return the base name without its suffix, and without that of the recording it was made from."""
    return _SOUND.sub("", PurePosixPath(name).stem)


def tracks_of(names: Sequence[str]) -> list[Track] | None:
    """Return the track of each file if all of them, in one folder, are named like the tracks of one recording."""
    found = [_TRACK.fullmatch(stem_of(name)) for name in names]
    matches = [match for match in found if match is not None and not _PART.fullmatch(match["name"])]
    if not names or len(matches) < len(names) or len({PurePosixPath(name).parent for name in names}) > 1:
        return None
    full = [match["name"] + (match["tag"] or "") for match in matches]
    short = [match["name"] for match in matches]
    if len(set(full)) < len(full):
        return None
    labels = short if len(set(short)) == len(short) else full
    return [
        Track(int(match["number"]), normalise_label(without_controls(label)))
        for match, label in zip(matches, labels, strict=True)
    ]


def is_recorder_label(label: str) -> bool:
    """Tell whether a recogniser made the label up, so that the name of the track says more."""
    return _RECORDER_LABEL.fullmatch(label) is not None


def offsets_of(info: str, names: Sequence[str], tracks: Sequence[Track] | None) -> list[int | None]:
    """Return when each file begins, in milliseconds, None where `info.txt` does not say."""
    lines = [line.strip() for line in split_lines(info[:_LONGEST_INFO])]
    return [
        _named_offset(lines, name) if tracks is None else _track_offset(lines, name, tracks[at])
        for at, name in enumerate(names)
    ]


def _track_offset(lines: list[str], name: str, track: Track) -> int | None:
    named = _named_offset(lines, name)
    return named if named is not None else _listed_offset(lines, track)


def _named_offset(lines: list[str], name: str) -> int | None:
    base = PurePosixPath(name).name
    for start in (base, stem_of(name)):
        for line in lines:
            rest = line[len(start) :]
            if line.startswith(start) and rest[:1] in (" ", "\t", ":", "="):
                return _offset(rest)
    return None


def _listed_offset(lines: list[str], track: Track) -> int | None:
    heads = [at for at, line in enumerate(lines) if line.lower() == "tracks:"]
    listed: dict[int, str] = {}
    for line in lines[heads[0] + 1 :] if heads else []:
        if not line or line.endswith(":"):
            break
        numbered = _NUMBERED.match(line)
        listed.setdefault(int(numbered["number"]) if numbered else len(listed) + 1, line)
    return _offset(listed.get(track.number, ""))


def _offset(text: str) -> int | None:
    found = _OFFSET.search(text)
    if found is None:
        return None
    if found["unit"]:
        milliseconds = float(found["number"]) * (1 if found["unit"] == "ms" else 1_000)
    else:
        hours, minutes, seconds = (float(part or 0) for part in found.group("hours", "minutes", "seconds"))
        milliseconds = ((hours * 60 + minutes) * 60 + seconds) * 1_000
    return round(milliseconds) if milliseconds <= MAX_INTEGER else None
