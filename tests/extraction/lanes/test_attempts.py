from __future__ import annotations

from typing import TypeVar

import pytest

from extraction.codes import Code
from extraction.findings import rejection
from extraction.lanes.attempts import Attempted, RetryRequest, StageOutcome, run_attempts
from extraction.lanes.side_by_side import Again

T = TypeVar("T")
AGAIN = RetryRequest((rejection(Code.EXTRACT_INVALID),))


def as_it_is(attempted: Attempted[T]) -> Attempted[T]:
    return attempted


@pytest.mark.parametrize(
    ("retries", "good_at", "attempts", "settled"),
    [
        pytest.param(0, 1, 1, True, id="good-at-once"),
        pytest.param(0, 2, 1, False, id="default-makes-one"),
        pytest.param(2, 1, 1, True, id="budget-is-not-used-up-for-nothing"),
        pytest.param(2, 3, 3, True, id="good-at-the-last"),
        pytest.param(2, 4, 3, False, id="exhausted"),
    ],
)
def test_run_attempts_ends_at_the_first_good_outcome_or_the_budget(
    retries: int, good_at: int, attempts: int, settled: bool
) -> None:
    made: list[int] = []

    def attempt() -> StageOutcome[int]:
        made.append(len(made) + 1)
        return StageOutcome(made[-1], retry=None if made[-1] >= good_at else AGAIN)

    attempted = run_attempts(retries, attempt, as_it_is)
    rounds = 1
    while isinstance(attempted, Again):
        assert len(made) == rounds, "an attempt is made only by who takes it up"
        attempted, rounds = attempted.call(), rounds + 1

    assert made == list(range(1, attempts + 1))
    assert (attempted.outcome.value, attempted.attempts, attempted.settled) == (attempts, attempts, settled)


def test_run_attempts_lets_errors_through() -> None:
    def attempt() -> StageOutcome[int]:
        raise TimeoutError("no answer")

    with pytest.raises(TimeoutError, match="no answer"):
        run_attempts(5, attempt, as_it_is)
