"""What an evaluation says of one lane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Number = float | int | None


@dataclass(frozen=True, slots=True)
class LaneScore:
    """None stands where there was nothing to count. `details` are the lane's own figures."""

    lane: str
    gold: int
    found: int
    precision: float | None
    recall: float | None
    evidence_precision: float | None = None
    evidence_recall: float | None = None
    order: float | None = None
    missed_merges: int | None = None
    false_merges: int | None = None
    details: Mapping[str, Number] = field(default_factory=dict)
    missed: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()

    @property
    def f1(self) -> float | None:
        """Return the harmonic mean; 0 where records were wanted and none came."""
        if self.recall is None:
            return None
        if not self.precision:
            return 0.0
        return rounded(2 * self.precision * self.recall / (self.precision + self.recall))


def rounded(value: float) -> float:
    return round(value, 4)


def share(part: int, whole: int) -> float | None:
    """Return the part of the whole; None where there is no whole."""
    return rounded(part / whole) if whole else None


def mean(values: Iterable[float]) -> float | None:
    """Return the mean; None for no value."""
    listed = list(values)
    return rounded(sum(listed) / len(listed)) if listed else None


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Return how much of either set is in both; 0 for two empty ones."""
    return len(one & other) / len(one | other) if one or other else 0.0


def evidence(cited: frozenset[int], core: frozenset[int], wider: frozenset[int]) -> tuple[float, float]:
    """Return precision and recall of what was cited: the core is wanted, the wider units are allowed."""
    return len(cited & (core | wider)) / len(cited), len(cited & core) / len(core)


def order_kept(pairs: Sequence[tuple[int, int]]) -> float | None:
    """Return the share of pairs of matches that stand in the artifact as they do in the transcript.

    A match is its label's first position and its place in the artifact. Labels that begin together may stand either
    way round. None for fewer than two matches.
    """
    good = total = 0
    for at, (start, place) in enumerate(pairs):
        for later_start, later_place in pairs[at + 1 :]:
            total += 1
            good += start == later_start or (start < later_start) == (place < later_place)
    return share(good, total)
