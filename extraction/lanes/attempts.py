"""Attempts of a stage: counting them is the framework's job alone.

Each attempt starts from the same input and nothing accumulates. An attempt without a retry request ends the stage;
when the budget is used up, the last attempt stands and its caller decides whether it is a safe fallback or a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from extraction.errors import RunPaused
from extraction.findings import Finding
from extraction.llm.boundary import never_stopped

T = TypeVar("T")


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
    retries: int, attempt: Callable[[], StageOutcome[T]], stopped: Callable[[], bool] = never_stopped
) -> Attempted[T]:
    """Return the first outcome without a retry request, else the last one that the budget allows.

    Raises RunPaused where a further attempt would be made and `stopped` says that none may: the stage is then as if it
    had not been tried.
    """
    outcome, attempts = attempt(), 1
    while outcome.retry is not None and attempts <= retries:
        if stopped():
            raise RunPaused("The run is paused.")
        outcome, attempts = attempt(), attempts + 1
    return Attempted(outcome, attempts)
