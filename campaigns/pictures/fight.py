"""A fight as it was told: a line an actor, a mark a turn, from left to right in the order of the evening."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from campaigns.pictures.drawing import (
    SMALL,
    Picture,
    Table,
    Tone,
    element,
    escaped,
    filled,
    names_of,
    stroked,
    width_of,
    words,
)

LABEL = 170
ROW, TOP, EDGE = 26, 32, 14
WIDEST, NARROWEST, BOARD = 26.0, 14.0, 560.0


@dataclass(frozen=True, slots=True)
class Beat:
    """One turn, or what broke into one (`interrupt`). `round` is None where nobody has said one yet."""

    actor: str
    round: int | None
    interrupt: bool
    told: str


def fight(beats: Sequence[Beat], *, title: str) -> Picture | None:
    """Return the picture; None for a fight without turns."""
    if not beats:
        return None
    actors = list(dict.fromkeys(beat.actor for beat in beats))
    lines = {actor: TOP + ROW * (at + 0.5) for at, actor in enumerate(actors)}
    step = max(NARROWEST, min(WIDEST, BOARD / len(beats)))
    bottom = TOP + ROW * len(actors)
    said = sorted({beat.round for beat in beats if beat.round is not None})
    body = "".join(_rounds(beats, step, bottom)) if said else ""
    body += "".join(_line(actor, y, LABEL + step * len(beats)) for actor, y in lines.items())
    body += "".join(
        _mark(beat, at + 1, LABEL + step * (at + 0.5), lines[beat.actor], step) for at, beat in enumerate(beats)
    )
    turns = sum(not beat.interrupt for beat in beats)
    rounds = f"{len(said)} round{'' if len(said) == 1 else 's'} said aloud" if said else "no round was said aloud"
    broke = len(beats) - turns
    description = f"{turns} turn{'' if turns == 1 else 's'} of {names_of(actors, 6)}; {rounds}."
    if broke:
        description += f" {broke} broke into somebody's turn."
    rows = tuple(
        (str(at), "-" if beat.round is None else str(beat.round), beat.actor, beat.told)
        for at, beat in enumerate(beats, start=1)
    )
    return Picture(
        "fight",
        title,
        description,
        round(LABEL + step * len(beats) + EDGE),
        bottom + EDGE,
        body,
        Table(("Order", "Round", "Who", "What"), rows),
    )


def _rounds(beats: Sequence[Beat], step: float, bottom: float) -> Iterator[str]:
    at, shaded = 0, False
    for number, group in groupby(beats, key=lambda beat: beat.round):
        long = step * len(list(group))
        x = LABEL + step * at
        if shaded:
            yield filled("rect", Tone.BAND, x=x, y=8, width=long, height=bottom - 4)
        for label in ("before any round", "") if number is None else (f"Round {number}", f"R{number}", str(number)):
            if width_of(label, SMALL) <= long:
                yield words(x + long / 2, 22, label, tone=Tone.QUIET, size=SMALL, anchor="middle") if label else ""
                break
        at, shaded = round((x + long - LABEL) / step), not shaded


def _line(actor: str, y: float, end: float) -> str:
    rule = stroked("path", Tone.RULE, d=f"M{LABEL} {y}H{end:.1f}")
    return rule + words(LABEL - 12, y + 4.5, actor, anchor="end", room=LABEL - 18)


def _mark(beat: Beat, number: int, x: float, y: float, step: float) -> str:
    told = element("title", escaped(f"{number}. {beat.actor}: {beat.told}" if beat.told else f"{number}. {beat.actor}"))
    half = min(6.5, step / 2 - 1)
    if beat.interrupt:
        shape = f"M{x:.1f} {y - half:.1f}L{x + half:.1f} {y:.1f}L{x:.1f} {y + half:.1f}L{x - half:.1f} {y:.1f}Z"
        return filled("path", Tone.ACCENT, told, d=shape)
    return filled("rect", Tone.MARK, told, x=x - half, y=y - half, width=2 * half, height=2 * half, rx=2)
