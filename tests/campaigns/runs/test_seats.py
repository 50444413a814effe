from __future__ import annotations

import random
import threading
import time
from datetime import timedelta
from functools import partial

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from campaigns.adapters.seats import LEASE, ProfileSeats, Seat, fair_shares
from campaigns.models import CallSeat
from tests.at_once import at_once


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


wants = st.lists(st.integers(0, 40), min_size=1, max_size=8)


@given(wants, st.integers(1, 40))
def test_fair_shares_give_out_all_that_is_wanted_up_to_the_limit(wanted: list[int], limit: int) -> None:
    shares = fair_shares([Seat(str(at), 0, want) for at, want in enumerate(wanted)], limit)

    assert sum(shares.values()) == min(limit, sum(wanted))
    assert all(shares[str(at)] <= want for at, want in enumerate(wanted))


@given(wants, st.integers(1, 40))
def test_fair_shares_of_unsatisfied_lanes_differ_by_one_at_most(wanted: list[int], limit: int) -> None:
    shares = fair_shares([Seat(str(at), 0, want) for at, want in enumerate(wanted)], limit)
    short = [shares[str(at)] for at, want in enumerate(wanted) if shares[str(at)] < want]

    assert not short or max(shares.values()) - min(short) <= 1


def test_resize_of_a_lone_lane_gives_what_it_wants_up_to_the_limit(db: None, clock: Clock) -> None:
    seats = ProfileSeats("default", 8, "a", clock=clock)

    assert seats.resize(in_flight=0, wanted=3) == 3
    assert seats.resize(in_flight=3, wanted=50) == 8


def test_resize_makes_room_for_a_second_lane(db: None, clock: Clock) -> None:
    first, second = (ProfileSeats("default", 8, name, clock=clock) for name in "ab")
    first.resize(in_flight=0, wanted=8)

    nothing_free = second.resize(in_flight=0, wanted=8)
    clock.now += 1
    told_to_shrink = first.resize(in_flight=8, wanted=8)
    clock.now += 1
    still_nothing = second.resize(in_flight=0, wanted=8)
    clock.now += 1
    shrunk = first.resize(in_flight=4, wanted=8)
    clock.now += 1
    half = second.resize(in_flight=0, wanted=8)

    assert (nothing_free, told_to_shrink, still_nothing, shrunk, half) == (0, 4, 0, 4, 4)


def test_resize_takes_over_what_another_lane_released(db: None, clock: Clock) -> None:
    first, second = (ProfileSeats("default", 4, name, clock=clock) for name in "ab")
    first.resize(in_flight=0, wanted=4)
    second.resize(in_flight=0, wanted=4)

    first.release()
    first.release()
    clock.now += 1

    assert second.resize(in_flight=0, wanted=4) == 4


def test_resize_ignores_a_lane_whose_lease_ran_out(db: None, clock: Clock) -> None:
    ProfileSeats("default", 4, "a", clock=clock).resize(in_flight=0, wanted=4)
    CallSeat.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    assert ProfileSeats("default", 4, "b", clock=clock).resize(in_flight=0, wanted=4) == 4


def test_resize_of_another_profile_is_independent(db: None, clock: Clock) -> None:
    ProfileSeats("default", 4, "a", clock=clock).resize(in_flight=0, wanted=4)

    assert ProfileSeats("other", 4, "b", clock=clock).resize(in_flight=0, wanted=4) == 4


def test_resize_without_change_asks_the_database_seldom(db: None, clock: Clock) -> None:
    seats = ProfileSeats("default", 8, "a", clock=clock)
    seats.resize(in_flight=0, wanted=8)

    with CaptureQueriesContext(connections["default"]) as at_once:
        for in_flight in (8, 7, 8):
            seats.resize(in_flight=in_flight, wanted=8)
    clock.now += 1
    with CaptureQueriesContext(connections["default"]) as a_second_later:
        seats.resize(in_flight=8, wanted=8)

    assert len(at_once) == 0
    assert [query["sql"].split()[0] for query in a_second_later.captured_queries] == ["SELECT"]


def test_keep_alive_renews_seats_that_nobody_resizes(db: None, clock: Clock) -> None:
    seats = ProfileSeats("default", 8, "a", clock=clock)
    seats.resize(in_flight=0, wanted=8)
    CallSeat.objects.update(lease_until=timezone.now())

    seats.keep_alive()
    untouched = CallSeat.objects.get().lease_until
    clock.now += 6
    seats.keep_alive()

    assert untouched < timezone.now()
    assert CallSeat.objects.get().lease_until > timezone.now() + LEASE / 2


@pytest.mark.django_db(transaction=True)
def test_seats_of_lanes_working_at_once_never_pass_the_limit() -> None:
    limit, lanes, calls = 5, 4, 25
    lock = threading.Lock()
    state = {"in_flight": 0, "peak": 0, "done": 0}

    def call() -> None:
        time.sleep(random.uniform(0.001, 0.01))  # noqa: S311 - only spreads the calls
        with lock:
            state["in_flight"] -= 1
            state["done"] += 1

    def lane(name: str) -> None:
        seats = ProfileSeats("default", limit, name)
        running: list[threading.Thread] = []
        left = calls
        while left or running:
            running = [thread for thread in running if thread.is_alive()]
            allowed = seats.resize(in_flight=len(running), wanted=len(running) + left)
            for _ in range(min(left, allowed - len(running))):
                with lock:
                    state["in_flight"] += 1
                    state["peak"] = max(state["peak"], state["in_flight"])
                left -= 1
                running.append(threading.Thread(target=call))
                running[-1].start()
            time.sleep(0.005)
        seats.release()

    at_once(*(partial(lane, str(number)) for number in range(lanes)))

    assert state["done"] == lanes * calls
    assert state["peak"] <= limit
    assert not CallSeat.objects.exists()
