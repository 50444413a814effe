"""Which record answers which label: the closest pair first, and the same pairs whatever order the records come in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from extraction.evaluation.found import Found, Shape
from extraction.evaluation.gold import Labelled
from extraction.evaluation.labels import Label
from extraction.evaluation.scores import jaccard

L = TypeVar("L", bound=Label)
R = TypeVar("R", bound=Shape)

Agreement = Callable[[L, R], int | None]
"""Return how many fields are exactly the label's, or None where label and record speak of different things."""


@dataclass(frozen=True, slots=True)
class Matches(Generic[L, R]):
    """Each label at most once and each record at most once; `extras` fit a label that another record answers."""

    pairs: tuple[tuple[Labelled[L], Found[R]], ...]
    missed: tuple[Labelled[L], ...]
    extras: tuple[tuple[Labelled[L], Found[R]], ...]
    unexpected: tuple[Found[R], ...]
    swallowed: int
    """Records that answer one label and would do for another one, required and missed."""


def closeness(label: Labelled[L], found: Found[R]) -> tuple[float, float]:
    """Return the overlap of evidence, with what may be cited besides left out or taken in; then the bare overlap."""
    bare = jaccard(found.units, label.core)
    spared = jaccard(found.units - (label.wider - label.core), label.core)
    return max(spared, jaccard(found.units, label.core | label.wider), bare), bare


def match(
    labels: Sequence[Labelled[L]], found: Sequence[Found[R]], agree: Agreement[L, R], least: float
) -> Matches[L, R]:
    """Pair labels with records that agree and whose overlap is positive and at least `least`, closest first."""
    ranked = sorted(range(len(found)), key=lambda at: (sorted(found[at].units), found[at].record.model_dump_json()))
    fits = []
    for rank, at in enumerate(ranked):
        for number, label in enumerate(labels):
            exact = agree(label.label, found[at].record)
            near = closeness(label, found[at])
            if exact is not None and near[0] > 0 and near[0] >= least:
                fits.append((tuple(-part for part in (*near, exact)), label.label.optional, number, rank, at))
    return _settle(labels, found, [(number, at) for _, _, number, _, at in sorted(fits)])


def _settle(labels: Sequence[Labelled[L]], found: Sequence[Found[R]], fits: Sequence[tuple[int, int]]) -> Matches[L, R]:
    record_of: dict[int, int] = {}
    used: set[int] = set()
    for number, at in fits:
        if number not in record_of and at not in used:
            record_of[number] = at
            used.add(at)
    missed = {number for number in range(len(labels)) if number not in record_of}
    wanted = {number for number in missed if not labels[number].label.optional}
    extra: dict[int, int] = {}
    for number, at in fits:
        if at not in used:
            extra.setdefault(at, number)
    return Matches(
        pairs=tuple((labels[number], found[record_of[number]]) for number in sorted(record_of)),
        missed=tuple(labels[number] for number in sorted(missed)),
        extras=tuple((labels[number], found[at]) for at, number in sorted(extra.items())),
        unexpected=tuple(each for at, each in enumerate(found) if at not in used and at not in extra),
        swallowed=len({at for number, at in fits if number in wanted and at in used}),
    )
