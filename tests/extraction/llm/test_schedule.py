from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.codes import Code
from extraction.errors import InvalidCompletion, ProviderUnavailable, RequestRefused
from extraction.llm.boundary import Tally
from extraction.llm.schedule import (
    CAUTION,
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    SUCCESSES_PER_SEAT,
    TOTAL_WAIT_S,
    CallGate,
    call_with_retries,
    pause_before_retry,
)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Ticking(Clock):
    """Time passes by being asked for."""

    step = 0.1

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def no_jitter(low: float, high: float) -> float:
    return low


def gate_at(limit: int) -> tuple[CallGate, Clock]:
    clock = Clock()
    return CallGate(limit, clock=clock, jitter=no_jitter), clock


def failing(*errors: Exception) -> Callable[[], str]:
    left = list(errors)

    def call() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return call


def unavailable(code: Code = Code.LLM_SERVER_ERROR, retry_after: float | None = None) -> ProviderUnavailable:
    return ProviderUnavailable("no answer", code=code, retry_after=retry_after)


# --- the gate


def test_gate_admits_up_to_its_limit() -> None:
    gate, _ = gate_at(2)
    gate.enter()
    gate.enter()
    full = gate.wait_needed()
    gate.leave()

    assert full is None
    assert gate.wait_needed() == 0


def test_gate_refusal_holds_everyone_until_retry_after() -> None:
    gate, clock = gate_at(4)
    gate.leave_refused(gate.enter(), 3.0)
    before = gate.wait_needed()
    clock.now += 3.0

    assert before == 3.0
    assert gate.wait_needed() == 0


def test_gate_refusal_without_a_wish_holds_shortly() -> None:
    gate, _ = gate_at(4)
    gate.leave_refused(gate.enter(), None)

    assert gate.wait_needed() == FIRST_PAUSE_S


def test_gate_absurd_wish_is_capped() -> None:
    gate, _ = gate_at(4)
    gate.leave_refused(gate.enter(), 86_400.0)

    assert gate.wait_needed() == TOTAL_WAIT_S


def test_gate_ceiling_falls_to_the_calls_that_were_accepted() -> None:
    gate, _ = gate_at(20)
    tickets = [gate.enter() for _ in range(20)]
    for ticket in tickets[8:]:
        gate.leave_refused(ticket, 1.0)

    assert (gate.ceiling, gate.in_flight) == (8, 8)


def test_gate_seat_freed_during_a_hold_may_be_used_once() -> None:
    """A provider that counts parallel calls has room again as soon as one of them is answered."""
    gate, _ = gate_at(3)
    refused = [gate.enter() for _ in range(3)][-1]
    gate.leave_refused(refused, 1.0)
    held = gate.wait_needed()
    gate.leave()
    freed = gate.wait_needed()
    gate.enter()

    assert held is None
    assert freed == 0
    assert gate.wait_needed() is None


def test_gate_refused_again_during_the_hold_waits_for_its_end() -> None:
    """The limit is one of rate: a freed seat does not help, so nothing starts before the time is over."""
    gate, clock = gate_at(4)
    tickets = [gate.enter() for _ in range(4)]
    gate.leave_refused(tickets.pop(), 2.0)
    gate.leave()
    gate.leave_refused(gate.enter(), 2.0)
    gate.leave()
    during = gate.wait_needed()
    clock.now += 2.0

    assert during == 2.0
    assert gate.wait_needed() == 0


def test_gate_ceiling_is_never_below_one() -> None:
    gate, clock = gate_at(1)
    gate.leave_refused(gate.enter(), 1.0)
    clock.now += 1.0

    assert gate.ceiling == 1
    assert gate.wait_needed() == 0


def answer_calls(gate: CallGate, count: int) -> None:
    for _ in range(count):
        gate.enter()
        gate.leave()


def test_gate_grows_back_seat_by_seat_and_more_slowly_after_a_failed_try() -> None:
    gate, clock = gate_at(4)
    tickets = [gate.enter() for _ in range(4)]
    for ticket in tickets[2:]:
        gate.leave_refused(ticket, 1.0)
    for _ in tickets[:2]:
        gate.leave()
    clock.now += 2.0
    answer_calls(gate, SUCCESSES_PER_SEAT * 2)
    grown = gate.ceiling
    tickets = [gate.enter() for _ in range(3)]
    gate.leave_refused(tickets.pop(), 1.0)
    clock.now += 2.0
    for _ in tickets:
        gate.leave()
    answer_calls(gate, SUCCESSES_PER_SEAT * 2 * (CAUTION - 1))
    cautious = gate.ceiling
    answer_calls(gate, SUCCESSES_PER_SEAT * 2)

    assert (grown, cautious, gate.ceiling) == (3, 2, 3)


def test_gate_grows_soon_again_once_a_further_seat_has_held() -> None:
    gate, clock = gate_at(4)
    for answered in (SUCCESSES_PER_SEAT, SUCCESSES_PER_SEAT * CAUTION):
        tickets = [gate.enter() for _ in range(gate.ceiling)]
        for ticket in tickets[1:]:
            gate.leave_refused(ticket, 1.0)
        gate.leave()
        clock.now += 2.0
        answer_calls(gate, answered)
    answer_calls(gate, SUCCESSES_PER_SEAT * CAUTION * 2)
    before = gate.ceiling
    answer_calls(gate, SUCCESSES_PER_SEAT * 3)

    assert (before, gate.ceiling) == (3, 4)


@pytest.mark.parametrize("asked", [10, 20])
def test_gate_at_a_limit_that_stays_is_refused_no_more_than_once_a_seat(asked: int) -> None:
    """A provider holds 8 for as long as 20,000 calls; each call ends before the next is asked for."""
    gate, clock = gate_at(asked)
    held: list[int] = []
    refused = answered = 0
    while answered < 20_000:
        while gate.wait_needed() == 0:
            ticket = gate.enter()
            if len(held) < 8:
                held.append(ticket)
            else:
                gate.leave_refused(ticket, 1.0)
                refused += 1
        clock.now += 0.1
        held.pop(0)
        gate.leave()
        answered += 1

    assert 1 < refused <= asked
    assert gate.ceiling >= 8


def test_gate_does_not_grow_beyond_its_limit() -> None:
    gate, _ = gate_at(2)
    answer_calls(gate, 100)

    assert gate.ceiling == 2


def test_gate_rest_of_a_refused_call_ends_when_a_seat_comes_free() -> None:
    """The provider asks for a minute and holds one call: what it refused may follow as soon as that one is answered."""
    gate = CallGate(2)
    gate.enter()
    gate.leave_refused(gate.enter(), 60.0)
    resting = threading.Thread(target=gate.rest, args=(60.0,))
    resting.start()
    gate.leave()
    resting.join(5)

    assert not resting.is_alive()


def test_gate_rest_lasts_its_time_where_the_limit_is_one_of_rate() -> None:
    """Nothing else was in flight. A call that is refused again and again waits longer than the hold for the others."""
    clock = Ticking()
    gate = CallGate(2, clock=clock, jitter=no_jitter)
    gate.leave_refused(gate.enter(), 0.05)
    before = clock()
    gate.rest(0.3)

    assert clock.now - before >= 0.3 + clock.step


def test_gate_close_ends_waits() -> None:
    gate = CallGate(1)
    gate.enter()
    ended: list[ProviderUnavailable] = []

    def wait_for_a_seat() -> None:
        try:
            gate.enter()
        except ProviderUnavailable as error:
            ended.append(error)

    waiting = threading.Thread(target=wait_for_a_seat)
    waiting.start()
    gate.close()
    waiting.join(5)

    assert len(ended) == 1


@pytest.mark.parametrize("wait", [CallGate.pause, CallGate.rest], ids=["pause", "rest"])
def test_gate_waits_of_refused_calls_end_when_closed(wait: Callable[[CallGate, float], None]) -> None:
    gate = CallGate(1)
    gate.close()
    with pytest.raises(ProviderUnavailable):
        wait(gate, 60)


@given(st.lists(st.sampled_from(["enter", "leave", "refuse", "time"]), max_size=60), st.integers(1, 6))
def test_gate_keeps_its_bounds_whatever_happens(steps: list[str], limit: int) -> None:
    gate, clock = gate_at(limit)
    held: list[int] = []
    for step in steps:
        if step == "enter" and gate.wait_needed() == 0:
            held.append(gate.enter())
        elif step == "leave" and held:
            held.pop()
            gate.leave()
        elif step == "refuse" and held:
            gate.leave_refused(held.pop(), 1.0)
        elif step == "time":
            clock.now += 0.7

        assert gate.in_flight == len(held) <= limit
        assert 1 <= gate.ceiling <= limit
    for _ in held:
        gate.leave()
    clock.now += 10

    assert gate.wait_needed() == 0


# --- the loop


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
    call_with_retries(call, tries=3, pause=pauses.append, rest=rests.append, jitter=no_jitter)

    assert (pauses, rests) == ([FIRST_PAUSE_S / 2], [2.0])


@pytest.mark.parametrize("error", [InvalidCompletion("x"), RequestRefused("x"), KeyError("x")])
def test_call_with_retries_does_not_repeat_other_errors(error: Exception) -> None:
    pauses: list[float] = []
    with pytest.raises(type(error)):
        call_with_retries(failing(error), tries=5, pause=pauses.append)

    assert pauses == []


@pytest.mark.parametrize("error", [unavailable(), InvalidCompletion("x"), KeyError("x")])
def test_gate_seated_gives_the_seat_back_after_any_error(error: Exception) -> None:
    gate, _ = gate_at(1)
    with pytest.raises(type(error)):
        gate.seated(failing(error))

    assert (gate.in_flight, gate.wait_needed()) == (0, 0)


def test_gate_seated_rate_limit_holds_the_others_back() -> None:
    gate, _ = gate_at(1)
    with pytest.raises(ProviderUnavailable):
        gate.seated(failing(unavailable(Code.LLM_RATE_LIMITED, 4.0)))

    assert (gate.in_flight, gate.wait_needed()) == (0, 4.0)


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
