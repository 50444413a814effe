"""Who shares scenes with whom: names on a circle, a line between two that meet, the stronger the more often.

The order around the circle is found by a rule, so that the same people are always drawn the same way: whoever shares
most stands first, and each next place goes to the one that shares most with those last placed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin, sqrt

from campaigns.pictures.drawing import Picture, Table, Tone, element, escaped, filled, names_of, stroked, words

MOST_NAMES = 18
RADIUS, LABEL = 190, 170
MIDDLE_X, MIDDLE_Y = RADIUS + LABEL, RADIUS + 60
THICKEST, THINNEST = 7.0, 1.0
# How far a line is drawn towards the middle: neighbours stay near the rim, others cross the circle.
PULL = 0.62


@dataclass(frozen=True, slots=True)
class Bond:
    """Two names by their ids, and the number of scenes in which both occur."""

    one: str
    other: str
    scenes: int


@dataclass(frozen=True, slots=True)
class Place:
    x: float
    y: float
    angle: float


def relations(names: Mapping[str, str], bonds: Sequence[Bond]) -> Picture | None:
    """Return the picture of those who share most scenes; None where no two of them meet. `names` go by id."""
    known = [bond for bond in bonds if bond.scenes > 0 and bond.one in names and bond.other in names]
    strength = _strength(known)
    kept = sorted(strength, key=lambda who: (-strength[who], names[who], who))[:MOST_NAMES]
    chosen = set(kept)
    drawn = sorted(
        (bond for bond in known if bond.one in chosen and bond.other in chosen),
        key=lambda bond: (bond.scenes, names[bond.one], names[bond.other]),
    )
    if not drawn:
        return None
    order = _around(kept, drawn)
    places = {who: _place(at, len(order)) for at, who in enumerate(order)}
    most = drawn[-1].scenes
    body = "".join(_line(bond, places, names, most) for bond in drawn)
    heaviest = max(strength.values())
    body += "".join(_name(names[who], places[who], strength[who] / heaviest) for who in order)
    strongest = [f"{names[bond.one]} with {names[bond.other]}" for bond in reversed(drawn)]
    description = f"{len(order)} people by the scenes they share; most often {names_of(strongest[:3])}."
    if len(strength) > len(order):
        description += f" {len(strength) - len(order)} who share fewer are not drawn."
    rows = tuple((names[bond.one], names[bond.other], str(bond.scenes)) for bond in reversed(drawn))
    width, height = 2 * MIDDLE_X, 2 * MIDDLE_Y
    table = Table(("Who", "With whom", "Scenes together"), rows)
    return Picture("relations", "Who shares scenes with whom", description, width, height, body, table)


def _strength(bonds: Sequence[Bond]) -> dict[str, int]:
    found: dict[str, int] = {}
    for bond in bonds:
        for who in (bond.one, bond.other):
            found[who] = found.get(who, 0) + bond.scenes
    return found


def _around(kept: Sequence[str], bonds: Sequence[Bond]) -> list[str]:
    """Return the people in the order around the circle; `kept` are in the order of their strength."""
    shared = {frozenset((bond.one, bond.other)): bond.scenes for bond in bonds}
    order, left = [kept[0]], list(kept[1:])
    while left:
        lately = order[-1:-4:-1]

        def pull(who: str, lately: Sequence[str] = lately) -> float:
            return sum(shared.get(frozenset((who, other)), 0) / (at + 1) for at, other in enumerate(lately))

        best = max(left, key=lambda who: (pull(who), -left.index(who)))
        left.remove(best)
        order.append(best)
    return order


def _place(at: int, count: int) -> Place:
    angle = 2 * pi * at / count - pi / 2
    return Place(MIDDLE_X + RADIUS * cos(angle), MIDDLE_Y + RADIUS * sin(angle), angle)


def _line(bond: Bond, places: Mapping[str, Place], names: Mapping[str, str], most: int) -> str:
    one, other = places[bond.one], places[bond.other]
    x = (one.x + other.x) / 2 * (1 - PULL) + MIDDLE_X * PULL
    y = (one.y + other.y) / 2 * (1 - PULL) + MIDDLE_Y * PULL
    weight = bond.scenes / most
    told = f"{names[bond.one]} and {names[bond.other]}: {bond.scenes} scene{'' if bond.scenes == 1 else 's'}"
    path = f"M{one.x:.1f} {one.y:.1f}Q{x:.1f} {y:.1f} {other.x:.1f} {other.y:.1f}"
    width = max(THINNEST, THICKEST * weight)
    line = stroked("path", Tone.MARK, width, d=path, stroke_opacity=0.25 + 0.55 * weight, stroke_linecap="round")
    return element("g", element("title", escaped(told)) + line)


def _name(name: str, place: Place, weight: float) -> str:
    radius = 3.5 + 5 * sqrt(weight)
    dot = filled("circle", Tone.ACCENT, cx=place.x, cy=place.y, r=radius)
    gap = radius + 7
    right = cos(place.angle) > 0.02
    upright = abs(cos(place.angle)) <= 0.02
    x = place.x if upright else place.x + (gap if right else -gap) * max(0.55, abs(cos(place.angle)))
    y = place.y + sin(place.angle) * (gap + 4) + 4.5
    anchor = "middle" if upright else None if right else "end"
    return dot + words(x, y, name, anchor=anchor, room=LABEL - 14)
