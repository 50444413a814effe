"""Who spoke how much: a bar a speaker, by the length of what they said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.pictures.drawing import SMALL, Picture, Table, Tone, element, escaped, filled, words

MOST_ROWS = 14
LABEL, BAR, NOTE = 130, 420, 110
ROW, THICK, TOP = 26, 14, 8
NOBODY = "no name"


@dataclass(frozen=True, slots=True)
class Voice:
    """A speaker (None: the transcript names nobody), the number of units, and the signs in them."""

    speaker: str | None
    units: int
    signs: int


def speaking(voices: Sequence[Voice]) -> Picture | None:
    """Return the picture, most first; None where nothing was said."""
    total = sum(voice.signs for voice in voices)
    if not total:
        return None
    ordered = sorted(voices, key=lambda voice: (-voice.signs, voice.speaker or ""))
    shown = ordered[:MOST_ROWS]
    rest = len(ordered) - len(shown)
    body = "".join(_row(voice, TOP + ROW * at, shown[0].signs, total) for at, voice in enumerate(shown))
    first = shown[0]
    description = f"{len(ordered)} speakers; {first.speaker or NOBODY} spoke most, {_share(first.signs, total)}."
    if rest:
        description += f" {rest} who spoke less are not drawn."
    return Picture(
        "speaking",
        "Who spoke how much",
        description,
        LABEL + BAR + NOTE,
        TOP * 2 + ROW * len(shown),
        body,
        Table(
            ("Speaker", "Share of what was said", "Times"),
            tuple((voice.speaker or NOBODY, _share(voice.signs, total), str(voice.units)) for voice in shown),
        ),
    )


def _row(voice: Voice, y: float, largest: int, total: int) -> str:
    name, share = voice.speaker or NOBODY, _share(voice.signs, total)
    long = max(2.0, BAR * voice.signs / largest)
    told = element("title", escaped(f"{name}: {share}, {voice.units} times"))
    bar = filled("rect", Tone.MARK, told, x=LABEL, y=y + (ROW - THICK) / 2, width=long, height=THICK, rx=2)
    label = words(LABEL - 10, y + ROW / 2 + 4.5, name, anchor="end", room=LABEL - 14)
    return label + bar + words(LABEL + long + 8, y + ROW / 2 + 4, share, tone=Tone.QUIET, size=SMALL)


def _share(signs: int, total: int) -> str:
    percent = 100 * signs / total
    return "under 1 %" if percent < 1 else f"{percent:.0f} %"
