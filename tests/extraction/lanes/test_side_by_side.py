"""Order, seats and endings of calls side by side. No test waits for a clock: threads meet at events and barriers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from extraction.codes import Code
from extraction.errors import InternalError, LeaseLost, NotariusError, ProviderUnavailable, RunCancelled, RunPaused
from extraction.lanes import side_by_side
from extraction.lanes.ports import FixedSeats, LanePorts
from extraction.lanes.side_by_side import Again, Call, Stopped, run_side_by_side

PATIENCE_S = 20.0
T = TypeVar("T")


def run_calls(calls: Sequence[Callable[[], T]], *, limit: int, ports: LanePorts, done: Callable[[T], None]) -> None:
    """Run calls that never ask whether they were stopped."""

    def deaf(call: Callable[[], T]) -> Call[T]:
        return lambda stopped: call()

    run_side_by_side([deaf(call) for call in calls], limit=limit, ports=ports, done=done)


@dataclass
class ScriptedSeats:
    """Allows what the script says, its last word for ever; keeps what was asked."""

    script: list[int]
    asked: list[tuple[int, int]] = field(default_factory=list)
    released: int = 0

    def resize(self, *, in_flight: int, wanted: int) -> int:
        self.asked.append((in_flight, wanted))
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def release(self) -> None:
        self.released += 1


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Is set once the runner has taken a call that failed."""
    event = threading.Event()
    ended = side_by_side._ended

    def watched(running: set[Future[object]]) -> set[Future[object]]:
        found = ended(running)
        if any(future.exception() for future in found):
            event.set()
        return found

    monkeypatch.setattr(side_by_side, "_ended", watched)
    return event


def test_results_come_as_they_end_whatever_the_order_of_starting() -> None:
    first_may_end = threading.Event()
    done: list[int] = []

    def late() -> int:
        assert first_may_end.wait(PATIENCE_S)
        return 0

    def keep(result: int) -> None:
        done.append(result)
        first_may_end.set()

    run_calls([late, lambda: 1], limit=2, ports=LanePorts(), done=keep)

    assert done == [1, 0]


def test_no_calls_ask_for_no_seat_and_give_back_everything() -> None:
    seats = ScriptedSeats([0])
    run_calls([], limit=4, ports=LanePorts(seats=seats), done=lambda result: None)

    assert seats.asked == []
    assert seats.released == 1


@pytest.mark.parametrize(("limit", "seats", "most"), [(3, 9, 3), (9, 2, 2), (1, 1, 1)], ids=["limit", "seats", "one"])
def test_calls_in_flight_never_pass_limit_or_seats(limit: int, seats: int, most: int) -> None:
    lock = threading.Lock()
    running, peak = 0, 0

    def call() -> int:
        nonlocal running, peak
        with lock:
            running += 1
            peak = max(peak, running)
        with lock:
            running -= 1
        return 1

    total: list[int] = []
    run_calls([call] * 40, limit=limit, ports=LanePorts(seats=FixedSeats(seats)), done=total.append)

    assert len(total) == 40
    assert peak <= most


def test_seats_that_shrink_to_none_let_calls_end_and_wait() -> None:
    """One seat, then three, then none for a while, then one: every call is made, and none without a seat."""
    seats = ScriptedSeats([1, 3, 0, 0, 0, 1])
    done: list[int] = []
    calls: list[Callable[[], int]] = [lambda at=at: at for at in range(6)]  # type: ignore[misc]  # bound early
    run_calls(calls, limit=8, ports=LanePorts(seats=seats), done=done.append)

    assert sorted(done) == list(range(6))
    assert seats.asked[0] == (0, 6)
    assert all(in_flight <= 3 and in_flight <= wanted <= 6 for in_flight, wanted in seats.asked)
    assert seats.released == 1


def test_no_seat_at_all_keeps_the_pulse_until_somebody_cancels() -> None:
    beats = 0

    def pulse() -> None:
        nonlocal beats
        beats += 1
        if beats == 5:
            raise RunCancelled("stopped")

    seats = ScriptedSeats([0])
    with pytest.raises(RunCancelled):
        run_calls([lambda: 1], limit=1, ports=LanePorts(seats=seats, pulse=pulse), done=lambda result: None)

    assert beats == 5
    assert seats.released == 1


def test_llm_error_starts_no_further_call_and_keeps_those_in_flight(taken: threading.Event) -> None:
    """The paid call ends only once the runner has taken the failure: it pulses after taking what had ended."""
    error = ProviderUnavailable("No answer.", code=Code.LLM_TIMEOUT)
    may_end = threading.Event()
    done: list[str] = []
    started: list[str] = []

    def failing() -> str:
        started.append("failing")
        raise error

    def paid_for() -> str:
        started.append("paid for")
        assert may_end.wait(PATIENCE_S)
        return "paid for"

    def never() -> str:
        started.append("never")
        return "never"

    def pulse() -> None:
        if taken.is_set():
            may_end.set()

    seats = ScriptedSeats([2])
    with pytest.raises(ProviderUnavailable) as raised:
        run_calls([failing, paid_for, never], limit=2, ports=LanePorts(seats=seats, pulse=pulse), done=done.append)

    assert raised.value is error
    assert done == ["paid for"]
    assert sorted(started) == ["failing", "paid for"]
    assert seats.released == 1


def test_first_of_several_llm_errors_is_raised() -> None:
    errors = [ProviderUnavailable(f"No answer {at}.") for at in range(3)]

    def failing(error: ProviderUnavailable) -> Callable[[], int]:
        def call() -> int:
            raise error

        return call

    with pytest.raises(ProviderUnavailable) as raised:
        run_calls([failing(e) for e in errors], limit=1, ports=LanePorts(), done=lambda result: None)

    assert raised.value is errors[0]


@pytest.mark.parametrize("error", [RunCancelled("stopped"), LeaseLost("taken")], ids=["cancelled", "lease-lost"])
@pytest.mark.parametrize("told_by", ["pulse", "hold", "hold-of-a-paused-run"])
def test_what_stops_the_lane_abandons_calls_in_flight(told_by: str, error: NotariusError) -> None:
    never = threading.Event()
    seats = ScriptedSeats([2])
    answers: list[bool | NotariusError] = [False]
    if told_by != "pulse":
        answers += [error] if told_by == "hold" else [True, error]

    def pulse() -> None:
        if told_by == "pulse":
            raise error

    def hold() -> bool:
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, NotariusError):
            raise answer
        return answer

    with pytest.raises(type(error)) as raised:
        run_calls(
            [lambda: never.wait(PATIENCE_S)] * 4,
            limit=2,
            ports=LanePorts(seats=seats, pulse=pulse, hold=hold),
            done=lambda result: None,
        )

    assert raised.value is error
    assert not never.is_set()
    assert seats.released == 0
    never.set()


def test_bug_in_a_call_is_raised_at_once() -> None:
    def bug() -> int:
        raise InternalError("a bug")

    seats = ScriptedSeats([1])
    done: list[int] = []
    with pytest.raises(InternalError):
        run_calls([bug, lambda: 1], limit=1, ports=LanePorts(seats=seats), done=done.append)

    assert done == []
    assert seats.released == 1


def test_error_of_done_gives_the_seats_back() -> None:
    seats = ScriptedSeats([1])

    def keep(result: int) -> None:
        raise LeaseLost("taken")

    with pytest.raises(LeaseLost):
        run_calls([lambda: 1], limit=1, ports=LanePorts(seats=seats), done=keep)

    assert seats.released == 1


def test_slot_is_refilled_only_after_the_result_is_kept() -> None:
    """What a crash can repeat is what was in flight: with one seat the second call finds the first one kept."""
    kept: list[int] = []
    seen: list[int] = []

    def call() -> int:
        seen.append(len(kept))
        return 1

    run_calls([call] * 5, limit=1, ports=LanePorts(), done=kept.append)

    assert seen == [0, 1, 2, 3, 4]


def test_abandoned_call_is_told_to_stop_and_keeps_its_seat_until_the_lease_runs_out() -> None:
    """What is in flight at a cancel still counts at the provider, and must not be followed by another try."""
    cancelled, looked = threading.Event(), threading.Event()
    told: list[bool] = []
    seats = ScriptedSeats([1])

    def call(stopped: Stopped) -> int:
        assert cancelled.wait(PATIENCE_S)
        while not stopped():
            assert not looked.wait(0.01)
        told.append(stopped())
        looked.set()
        return 1

    def pulse() -> None:
        cancelled.set()
        raise RunCancelled("The run was cancelled.")

    with pytest.raises(RunCancelled):
        run_side_by_side([call, call], limit=2, ports=LanePorts(seats=seats, pulse=pulse), done=lambda _: None)

    assert looked.wait(PATIENCE_S)
    assert told == [True]
    assert seats.released == 0


def test_a_hold_starts_no_further_call_and_keeps_those_in_flight() -> None:
    both_started, held = threading.Barrier(2), threading.Event()
    done: list[int] = []

    def call(number: int) -> Callable[[], int]:
        def answer() -> int:
            both_started.wait(PATIENCE_S)
            held.set()
            return number

        return answer

    ports = LanePorts(hold=held.is_set)
    with pytest.raises(RunPaused):
        run_calls([call(number) for number in range(4)], limit=2, ports=ports, done=done.append)

    assert sorted(done) == [0, 1]


def test_a_hold_after_the_last_call_has_started_stops_nothing() -> None:
    done: list[int] = []
    asked = iter([False])
    run_calls([lambda: 1], limit=1, ports=LanePorts(hold=lambda: next(asked, True)), done=done.append)

    assert done == [1]


def test_a_call_that_a_hold_cuts_off_has_not_failed() -> None:
    held = threading.Event()

    def waits_to_try_again(stopped: Stopped) -> int:
        held.set()
        while not stopped():
            time.sleep(0.01)
        raise ProviderUnavailable("The lane was stopped while the call waited.", code=Code.LLM_CONNECTION)

    with pytest.raises(RunPaused):
        run_side_by_side([waits_to_try_again], limit=1, ports=LanePorts(hold=held.is_set), done=lambda result: None)


def unusable(asked_again: threading.Event, first: Callable[[], object]) -> Call[int]:
    """Return a call that does `first`, and would have to be made again."""

    def again() -> int:
        asked_again.set()
        return 1

    def call(stopped: Stopped) -> Again[int]:
        first()
        return Again(again)

    return call


def test_a_call_is_made_again_before_those_that_were_not_made_yet() -> None:
    asked_again = threading.Event()
    order: list[bool] = []

    def other(stopped: Stopped) -> int:
        order.append(asked_again.is_set())
        return 2

    done: list[int] = []
    run_side_by_side([unusable(asked_again, int), other], limit=1, ports=LanePorts(), done=done.append)

    assert order == [True]
    assert done == [1, 2]


def test_a_hold_lets_no_call_be_made_again() -> None:
    asked_again, held = threading.Event(), threading.Event()
    done: list[int] = []
    with pytest.raises(RunPaused):
        run_side_by_side(
            [unusable(asked_again, held.set)], limit=1, ports=LanePorts(hold=held.is_set), done=done.append
        )

    assert done == []
    assert not asked_again.is_set()


def test_llm_error_lets_no_other_call_be_made_again(taken: threading.Event) -> None:
    """The unusable answer comes only once the runner has taken the failure."""
    asked_again, failed = threading.Event(), threading.Event()
    done: list[int] = []

    def failing(stopped: Stopped) -> int:
        raise ProviderUnavailable("No answer.", code=Code.LLM_TIMEOUT)

    def pulse() -> None:
        if taken.is_set():
            failed.set()

    calls = [failing, unusable(asked_again, lambda: failed.wait(PATIENCE_S))]
    with pytest.raises(ProviderUnavailable):
        run_side_by_side(calls, limit=2, ports=LanePorts(pulse=pulse), done=done.append)

    assert failed.is_set()
    assert not asked_again.is_set()
