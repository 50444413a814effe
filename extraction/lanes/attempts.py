"""Attempts of a stage: counting them is the framework's job alone.

Each attempt starts from the same input and nothing accumulates. An attempt without a retry request ends the stage;
when the budget is used up, the last attempt stands and its caller decides whether it is a safe fallback or a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from extraction.findings import Finding
from extraction.lanes.side_by_side import Again

T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class RetryRequest:
    """Why the stage would be tried again: content-safe findings of the attempt that asked."""

    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class StageOutcome(Generic[T]):
    value: T
    findings: tuple[Finding, ...] = ()
    retry: RetryRequest | None = None


@dataclass(frozen=True, slots=True)
class Attempted(Generic[T]):
    """The outcome that stands, and how many attempts it took."""

    outcome: StageOutcome[T]
    attempts: int

    @property
    def settled(self) -> bool:
        return self.outcome.retry is None


def run_attempts(
    retries: int, attempt: Callable[[], StageOutcome[T]], settle: Callable[[Attempted[T]], S], made: int = 0
) -> S | Again[S]:
    """Make one attempt, after `made` earlier ones.

    Returns what `settle` makes of an outcome without a retry request, or of the last one that the budget allows. Of
    any other it returns Again, with the next attempt: a stage that is left there is as if it had not been tried.
    """
    outcome, made = attempt(), made + 1
    if outcome.retry is None or made > retries:
        return settle(Attempted(outcome, made))
    return Again(partial(run_attempts, retries, attempt, settle, made))
