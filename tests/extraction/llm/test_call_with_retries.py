from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.codes import Code
from extraction.errors import InvalidCompletion, ProviderUnavailable, RequestRefused
from extraction.llm.boundary import Tally
from extraction.llm.schedule import (
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    TOTAL_WAIT_S,
    call_with_retries,
    pause_before_retry,
)
from tests.extraction.llm.support import Clock, failing, no_jitter, unavailable


def test_call_with_retries_returns_after_failures() -> None:
    pauses: list[float] = []
    result = call_with_retries(failing(unavailable(), unavailable()), tries=3, pause=pauses.append)

    assert (result, len(pauses)) == ("done", 2)


def test_call_with_retries_raises_the_last_error_after_its_tries() -> None:
    last = unavailable(Code.LLM_TIMEOUT)
    with pytest.raises(ProviderUnavailable) as caught:
        call_with_retries(failing(unavailable(), last), tries=2, pause=lambda _: None)

    assert caught.value is last


def test_call_with_retries_counts_what_earlier_calls_of_the_request_have_used() -> None:
    tally, made = Tally(), []
    with pytest.raises(InvalidCompletion):
        call_with_retries(
            failing(unavailable(), unavailable(), InvalidCompletion("x")), tries=3, pause=lambda _: None, tally=tally
        )

    def call() -> str:
        made.append(1)
        raise unavailable()

    with pytest.raises(ProviderUnavailable):
        call_with_retries(call, tries=3, pause=lambda _: None, tally=tally)

    assert (tally.unanswered, len(made)) == (3, 1)


def test_call_with_retries_rests_after_a_rate_limit_alone() -> None:
    pauses: list[float] = []
    rests: list[float] = []
    call = failing(unavailable(), unavailable(Code.LLM_RATE_LIMITED, 2.0))
    call_with_retries(call, tries=5, pause=pauses.append, rest=rests.append, jitter=no_jitter)

    assert (pauses, rests) == ([FIRST_PAUSE_S / 2], [2.0])


def test_call_with_retries_begins_its_last_tries_after_the_whole_retry_after() -> None:
    """Else a provider that limits the rate could refuse all tries of a call within half of their waits."""
    pauses: list[float] = []
    rests: list[float] = []
    call = failing(*[unavailable(Code.LLM_RATE_LIMITED, 2.0) for _ in range(4)])
    call_with_retries(call, tries=5, pause=pauses.append, rest=rests.append, jitter=no_jitter)

    assert (rests, pauses) == ([2.0] * 2, [2.0] * 2)


@pytest.mark.parametrize("error", [InvalidCompletion("x"), RequestRefused("x"), KeyError("x")])
def test_call_with_retries_does_not_repeat_other_errors(error: Exception) -> None:
    pauses: list[float] = []
    with pytest.raises(type(error)):
        call_with_retries(failing(error), tries=5, pause=pauses.append)

    assert pauses == []


def test_call_with_retries_stops_where_the_pauses_grow_too_long() -> None:
    clock = Clock()

    def pass_time(seconds: float) -> None:
        clock.now += seconds

    errors = [unavailable(retry_after=TOTAL_WAIT_S * 0.4) for _ in range(9)]
    with pytest.raises(ProviderUnavailable):
        call_with_retries(failing(*errors), tries=10, pause=pass_time, clock=clock, jitter=no_jitter)

    assert clock.now - 1000.0 <= TOTAL_WAIT_S


@given(st.integers(1, 20))
def test_pause_before_retry_stays_in_its_bounds(attempt: int) -> None:
    assert FIRST_PAUSE_S / 2 <= pause_before_retry(attempt, None) <= LONGEST_PAUSE_S


@given(st.integers(1, 20), st.floats(0, 1000))
def test_pause_before_retry_honours_the_wish(attempt: int, wish: float) -> None:
    assert wish <= pause_before_retry(attempt, wish) <= wish * 1.1 + 1e-9
