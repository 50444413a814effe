from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.codes import Code
from extraction.errors import InvalidCompletion, ProviderUnavailable
from extraction.llm.schedule import CAUTION, FIRST_PAUSE_S, MOST_ANSWERS, SUCCESSES_PER_SEAT, TOTAL_WAIT_S, CallGate
from tests.extraction.llm.support import Clock, failing, no_jitter, unavailable


class Ticking(Clock):
    """Time passes by being asked for."""

    step = 0.1

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def gate_at(limit: int) -> tuple[CallGate, Clock]:
    clock = Clock()
    return CallGate(limit, clock=clock, jitter=no_jitter), clock


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
    answer_calls(gate, SUCCESSES_PER_SEAT * 2)
    before = gate.ceiling
    answer_calls(gate, SUCCESSES_PER_SEAT * 3)

    assert (before, gate.ceiling) == (3, 4)


def serve(gate: CallGate, clock: Clock, room: int, answers: int) -> int:
    """Let a provider that holds `room` calls answer so many, and return how many it refused meanwhile.

    Each call ends before the next is asked for; those in flight at the end are answered as well.
    """
    held: list[int] = []
    refused = 0
    for _ in range(answers):
        while gate.wait_needed() == 0:
            ticket = gate.enter()
            if len(held) < room:
                held.append(ticket)
            else:
                gate.leave_refused(ticket, 1.0)
                refused += 1
        clock.now += 0.1
        held.pop(0)
        gate.leave()
    for _ in held:
        gate.leave()
    return refused


def refuse_all(gate: CallGate, clock: Clock) -> None:
    for ticket in [gate.enter() for _ in range(gate.ceiling)]:
        gate.leave_refused(ticket, 1.0)
    clock.now += 2.0


@pytest.mark.parametrize("asked", [10, 20])
def test_gate_at_a_limit_that_stays_is_refused_no_more_than_once_a_seat(asked: int) -> None:
    """A provider holds 8 for as long as 20,000 calls."""
    gate, clock = gate_at(asked)
    refused = serve(gate, clock, 8, 20_000)

    assert 1 < refused <= asked
    assert gate.ceiling >= 8


def test_gate_grows_back_soon_after_a_burst_however_much_caution_the_limit_has_taught() -> None:
    gate, clock = gate_at(8)
    serve(gate, clock, 6, 2_100)
    known = gate.ceiling
    refuse_all(gate, clock)
    fallen = gate.ceiling
    answer_calls(gate, SUCCESSES_PER_SEAT * sum(range(1, 6)))
    back = gate.ceiling
    answer_calls(gate, SUCCESSES_PER_SEAT * 6 * CAUTION)

    assert (known, fallen, back, gate.ceiling) == (6, 1, 6, 6)


def test_gate_caution_starts_anew_at_a_seat_that_was_not_refused_before() -> None:
    """A limit of 6 is known well when it falls to 3."""
    gate, clock = gate_at(8)
    serve(gate, clock, 6, 2_100)
    refuse_all(gate, clock)
    serve(gate, clock, 3, 100)
    answer_calls(gate, SUCCESSES_PER_SEAT * 3 * CAUTION**2)

    assert gate.ceiling > 3


def test_gate_finds_a_raised_limit_however_long_the_lower_one_stayed() -> None:
    gate, clock = gate_at(10)
    serve(gate, clock, 8, 100_000)
    before = gate.ceiling
    answer_calls(gate, MOST_ANSWERS + SUCCESSES_PER_SEAT * 9)

    assert (before, gate.ceiling) == (8, 10)


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


def test_gate_seat_freed_by_a_failure_is_no_room_for_another_during_a_hold() -> None:
    """Only what the provider answered tells that it has room; a timeout or a broken connection does not."""
    gate, clock = gate_at(4)
    tickets = [gate.enter() for _ in range(4)]
    gate.leave_refused(tickets.pop(), 2.0)
    gate.leave_unanswered()
    failed = gate.wait_needed()
    gate.leave()
    answered = gate.wait_needed()
    gate.enter()
    full = gate.wait_needed()
    clock.now += 2.0

    assert (failed, answered, full) == (2.0, 0, 2.0)
    assert gate.wait_needed() == 0


def test_gate_rest_of_a_refused_call_is_not_ended_by_a_failure() -> None:
    clock = Ticking()
    gate = CallGate(2, clock=clock, jitter=no_jitter)
    gate.enter()
    gate.leave_refused(gate.enter(), 0.5)
    gate.leave_unanswered()
    before = clock()
    gate.rest(0.3)

    assert clock.now - before > 0.3 + clock.step / 2


@pytest.mark.parametrize("code", [Code.LLM_SERVER_ERROR, Code.LLM_TIMEOUT, Code.LLM_CONNECTION])
def test_gate_seated_failures_do_not_raise_the_ceiling(code: Code) -> None:
    gate, clock = gate_at(4)
    refuse_all(gate, clock)
    for _ in range(SUCCESSES_PER_SEAT):
        with pytest.raises(ProviderUnavailable):
            gate.seated(failing(unavailable(code)))
    failed = gate.ceiling
    for _ in range(SUCCESSES_PER_SEAT):
        gate.seated(failing())

    assert (failed, gate.ceiling) == (1, 2)


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


@given(st.lists(st.sampled_from(["enter", "leave", "fail", "refuse", "time"]), max_size=60), st.integers(1, 6))
def test_gate_keeps_its_bounds_whatever_happens(steps: list[str], limit: int) -> None:
    gate, clock = gate_at(limit)
    held: list[int] = []
    for step in steps:
        if step == "enter" and gate.wait_needed() == 0:
            held.append(gate.enter())
        elif step == "leave" and held:
            held.pop()
            gate.leave()
        elif step == "fail" and held:
            held.pop()
            gate.leave_unanswered()
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
