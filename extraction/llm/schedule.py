"""When a call may start, and when a failed one is tried again.

`CallGate` is shared by all threads that use one client in one process. `call_with_retries` is one thread's loop.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from extraction.codes import Code
from extraction.errors import ProviderUnavailable
from extraction.llm.boundary import Tally, never_stopped

T = TypeVar("T")
Clock = Callable[[], float]
Jitter = Callable[[float, float], float]

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 20.0
# No new try begins when its pause would end later than this after the first began.
TOTAL_WAIT_S = 300.0
# Answers per seat before one more seat is tried. For the seat that was refused, each refusal makes it so many times as
# many, up to the most: a limit of 8 that stays costs 10 refusals in 20,000 answers, and one that was raised is found.
SUCCESSES_PER_SEAT = 4
CAUTION = 4
MOST_ANSWERS = 3_000
# So many tries, at the end, begin only after the provider's whole Retry-After.
PATIENT_TRIES = 2


def closed_error() -> ProviderUnavailable:
    return ProviderUnavailable("The client was closed while the call waited.", code=Code.LLM_CONNECTION)


def stopped_error() -> ProviderUnavailable:
    return ProviderUnavailable("The lane was stopped while the call waited.", code=Code.LLM_CONNECTION)


class CallGate:
    """The calls in flight of one process, and the provider's wish to be left alone.

    A rate limit answer lowers the ceiling to the calls that were in flight beside the refused one, and holds new calls
    back until Retry-After has passed. One exception keeps a provider that counts parallel calls busy: each call that is
    answered during the hold frees a seat, which may be used at once, by the refused call as well. If a call that was
    started so is refused too, or the refused one was alone, the limit is one of rate: nothing starts before the hold is
    over (`strict`). A call that fails frees its seat only when the hold is over. After a while without refusals the
    ceiling grows seat by seat: soon up to the seat that was refused when it was tried, with caution for that one.
    """

    def __init__(self, limit: int, *, clock: Clock = time.monotonic, jitter: Jitter = random.uniform) -> None:
        self.limit = limit
        self.ceiling = limit
        self.in_flight = 0
        self.closed = threading.Event()
        self._clock = clock
        self._jitter = jitter
        self._changed = threading.Condition()
        self._tickets = 0
        self._hold_until = 0.0
        self._held_at_ticket = 0
        self._strict = False
        self._answered = 0
        self._unanswered = 0
        self._grown = False
        self._refused_at = 0
        self._caution = 1

    def enter(self) -> int:
        """Wait for a seat and take it; return its ticket. Raises ProviderUnavailable once the gate is closed."""
        with self._changed:
            while not self.closed.is_set():
                wait = self.wait_needed()
                if wait == 0:
                    self.in_flight += 1
                    self._tickets += 1
                    return self._tickets
                self._changed.wait(wait)
        raise closed_error()

    def wait_needed(self) -> float | None:
        """Return 0 if a call may start now, the seconds until the hold ends, or None to wait for another call's end."""
        if self.in_flight >= self.ceiling:
            return None
        left = self._hold_until - self._clock()
        held = self._strict or self.in_flight + self._unanswered >= self.ceiling
        return left if left > 0 and held else 0

    def leave(self) -> None:
        """Give the seat back after an answer."""
        with self._changed:
            self.in_flight -= 1
            if self.ceiling < self.limit:
                self._answered += 1
                if self._answered >= self._answers_needed():
                    # The seat that was refused has held: the limit has risen, and what was learnt is out of date.
                    self._caution = 1 if self.ceiling >= self._refused_at else self._caution
                    self.ceiling += 1
                    self._answered, self._grown = 0, True
            self._changed.notify_all()

    def _answers_needed(self) -> int:
        needed = SUCCESSES_PER_SEAT * self.ceiling
        return min(needed * self._caution, MOST_ANSWERS) if self.ceiling + 1 == self._refused_at else needed

    def leave_unanswered(self) -> None:
        """Give the seat back after a failure: it says nothing of a limit, and is no room for another during a hold."""
        with self._changed:
            self.in_flight -= 1
            self._unanswered += 1
            self._changed.notify_all()

    def leave_refused(self, ticket: int, retry_after: float | None) -> None:
        """Give the seat back after a rate limit answer, and hold the others back."""
        hold = FIRST_PAUSE_S if retry_after is None else min(retry_after, TOTAL_WAIT_S)
        with self._changed:
            now = self._clock()
            self.in_flight -= 1
            if now >= self._hold_until:
                self._held_at_ticket, self._strict = self._tickets, False
            if ticket > self._held_at_ticket or self.in_flight == 0:
                self._strict = True
            # A little late and not all at one instant, since other processes may have been told the same.
            until = now + hold + self._jitter(0.0, min(0.25, hold / 10))
            self._hold_until = max(self._hold_until, until)
            if self._grown:
                self._caution = self._caution * CAUTION if self.ceiling == self._refused_at else CAUTION
                self._refused_at, self._grown = self.ceiling, False
            self.ceiling = max(1, min(self.ceiling, self.in_flight))
            self._answered = self._unanswered = 0
            self._changed.notify_all()

    def seated(self, call: Callable[[], T]) -> T:
        """Return what `call` returns, made while holding a seat; a rate limit error of it holds the others back."""
        ticket = self.enter()
        try:
            result = call()
        except BaseException as error:
            if isinstance(error, ProviderUnavailable) and error.code is Code.LLM_RATE_LIMITED:
                self.leave_refused(ticket, error.retry_after)
            else:
                self.leave_unanswered()
            raise
        self.leave()
        return result

    def pause(self, seconds: float) -> None:
        """Sleep. Raises ProviderUnavailable as soon as the gate is closed."""
        if self.closed.wait(seconds):
            raise closed_error()

    def rest(self, seconds: float) -> None:
        """Sleep after a rate limit answer, but no longer than until an answered call has freed a seat.

        What is free for others during a hold is as free for the call that was refused: to the provider it is one call
        more either way. Where the limit is one of rate, the whole pause is kept. Raises ProviderUnavailable as soon as
        the gate is closed.
        """
        until = self._clock() + seconds
        with self._changed:
            while not self.closed.is_set():
                left = until - self._clock()
                if left <= 0 or (self.wait_needed() == 0 and not self._strict):
                    return
                self._changed.wait(left)
        raise closed_error()

    def close(self) -> None:
        """End every wait at once. Safe to call twice."""
        self.closed.set()
        with self._changed:
            self._changed.notify_all()


def call_with_retries(
    call: Callable[[], T],
    *,
    tries: int,
    pause: Callable[[float], None],
    rest: Callable[[float], None] | None = None,
    tally: Tally | None = None,
    stopped: Callable[[], bool] = never_stopped,
    jitter: Jitter = random.uniform,
    clock: Clock = time.monotonic,
) -> T:
    """Return what `call` returns, trying again after ProviderUnavailable; every other error passes at once.

    `rest`, which may end early, takes the place of `pause` after a rate limit answer, but not before the last tries:
    else a limit of rate could use up two tries in each Retry-After. Raises the last ProviderUnavailable when the tries
    are used up, those that `tally` has from earlier included, when the next pause would pass TOTAL_WAIT_S, or when
    nobody waits for the answer any more.
    """
    began, tally = clock(), tally or Tally()
    while True:
        try:
            return call()
        except ProviderUnavailable as error:
            tally.unanswered += 1
            wait = pause_before_retry(tally.unanswered, error.retry_after, jitter)
            if tally.unanswered >= tries or clock() - began + wait > TOTAL_WAIT_S or stopped():
                raise
            early = error.code is Code.LLM_RATE_LIMITED and tally.unanswered < tries - PATIENT_TRIES
            sleep = rest if rest and early else pause
        sleep(wait)
        if stopped():
            raise stopped_error()


def pause_before_retry(attempt: int, retry_after: float | None, jitter: Jitter = random.uniform) -> float:
    """Return an exponential pause with jitter, never shorter than the provider's wish."""
    longest: float = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1))
    if retry_after is None:
        return jitter(longest / 2, longest)
    return retry_after + jitter(0.0, min(longest, 0.1 * retry_after))
