"""Who appears in which sessions: a line a name, a dot a session, the larger the more often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from campaigns.pictures.drawing import SMALL, Picture, Table, Tone, element, escaped, filled, names_of, stroked, words

MOST_ROWS = 24
LABEL = 190
ROW = 26
TOP = 34
EDGE = 14
WIDEST, NARROWEST, BOARD = 58.0, 20.0, 560.0
LARGEST, SMALLEST = 9.5, 3.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A name, and how often it occurs in each session in which it does."""

    name: str
    counts: Mapping[int, int]


def presence(seen: Sequence[Seen], sessions: Sequence[int], *, of: str = "people", title: str = "") -> Picture | None:
    """Return the picture of those that occur most, in the order of their first session; None where nobody does."""
    found = [each for each in seen if any(each.counts.get(number) for number in sessions)]
    if not found or not sessions:
        return None
    most = sorted(found, key=lambda each: (-sum(each.counts.values()), each.name))[:MOST_ROWS]
    shown = sorted(most, key=lambda each: (_first(each, sessions), -sum(each.counts.values()), each.name))
    step = max(NARROWEST, min(WIDEST, BOARD / len(sessions)))
    places = {number: LABEL + step * (at + 0.5) for at, number in enumerate(sessions)}
    largest = max(count for each in shown for count in each.counts.values())
    body = words(LABEL - 24, TOP - 14, "Session", tone=Tone.QUIET, size=SMALL, anchor="end")
    body += "".join(_heading(number, x, step, len(shown)) for number, x in places.items())
    body += "".join(_row(each, TOP + ROW * (at + 0.5), places, largest) for at, each in enumerate(shown))
    left_out = len(found) - len(shown)
    named = names_of([each.name for each in most[:3]])
    description = f"{len(shown)} of the {of} over {_sessions(len(sessions))}; most often met: {named}."
    if left_out:
        description += f" {left_out} that occur less often are not drawn."
    rows = tuple((each.name, *(str(each.counts.get(number) or "-") for number in sessions)) for each in shown)
    return Picture(
        f"presence-{of}",
        title or f"Which {of} occur in which sessions",
        description,
        round(LABEL + step * len(sessions) + EDGE),
        TOP + ROW * len(shown) + EDGE,
        body,
        Table(("Name", *(f"Session {number}" for number in sessions)), rows),
    )


def _first(each: Seen, sessions: Sequence[int]) -> int:
    return next(at for at, number in enumerate(sessions) if each.counts.get(number))


def _heading(number: int, x: float, step: float, rows: int) -> str:
    rule = stroked("path", Tone.RULE, d=f"M{x:.1f} {TOP - 6}V{TOP + ROW * rows}")
    return rule + words(x, TOP - 14, str(number), tone=Tone.QUIET, size=SMALL, anchor="middle")


def _row(each: Seen, y: float, places: Mapping[int, float], largest: int) -> str:
    met = [(x, each.counts[number], number) for number, x in places.items() if each.counts.get(number)]
    name = words(LABEL - 24, y + 4.5, each.name, anchor="end", room=LABEL - 32)
    line = stroked("path", Tone.MARK, 1.5, d=f"M{met[0][0]:.1f} {y}H{met[-1][0]:.1f}", stroke_opacity=0.35)
    return name + line + "".join(_dot(each.name, x, y, count, number, largest) for x, count, number in met)


def _dot(name: str, x: float, y: float, count: int, number: int, largest: int) -> str:
    radius = max(SMALLEST, LARGEST * sqrt(count / largest))
    told = f"{name}, session {number}: {count} time{'' if count == 1 else 's'}"
    return filled("circle", Tone.MARK, element("title", escaped(told)), cx=x, cy=y, r=radius)


def _sessions(count: int) -> str:
    return f"{count} session{'' if count == 1 else 's'}"
