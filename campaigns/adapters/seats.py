"""A profile's limit on calls in flight, shared out over lanes in all processes.

Each running lane has one row: the calls it may have in flight (`held`) and those it could use (`wanted`). Rows of a
profile change one transaction at a time, so that all `held` together never pass the limit. The share is max-min fair:
seats are dealt one by one, oldest lane first, to lanes that want more. A lane above its share starts no call until
enough of its own have ended. With fewer seats than lanes the youngest wait for an older one to end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.utils import timezone

from campaigns.models import CallSeat

LEASE = timedelta(seconds=15)
RENEW_S = 5.0
LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class Seat:
    """What one lane holds and wants."""

    holder: str
    held: int
    wanted: int


def fair_shares(seats: Sequence[Seat], limit: int) -> dict[str, int]:
    """Return each holder's max-min fair share of the limit; earlier holders get what cannot be split evenly."""
    shares = {seat.holder: 0 for seat in seats}
    left = limit
    while left:
        hungry = [seat for seat in seats if shares[seat.holder] < seat.wanted][:left]
        if not hungry:
            break
        each = max(1, left // len(hungry))
        for seat in hungry:
            given = min(each, seat.wanted - shares[seat.holder])
            shares[seat.holder] += given
            left -= given
    return shares


def _live() -> tuple[datetime, datetime]:
    """Return between which times a live row's lease ends: one far ahead was written before the clock was set back."""
    now = timezone.now()
    return now, now + 2 * LEASE


class ProfileSeats:
    """The CallSeats of one lane. `resize` looks at the rows twice a second at most and writes only what changes."""

    def __init__(self, profile: str, limit: int, holder: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._profile, self._limit, self._holder, self._clock = profile, limit, holder, clock
        self._held = self._wanted = self._allowed = 0
        self._looked = self._renewed = float("-inf")

    def resize(self, *, in_flight: int, wanted: int) -> int:
        """Return how many calls may be in flight now: at most the fair share and what others leave free."""
        wanted = max(in_flight, min(wanted, self._limit))
        now = self._clock()
        fresh = now - self._looked < LOOK_S
        if not (fresh and wanted <= self._wanted and in_flight <= self._held):
            self._looked = now
            if now - self._renewed >= RENEW_S or not self._unchanged(in_flight, wanted):
                self._settle(in_flight, wanted)
        return min(self._allowed, wanted)

    def keep_alive(self) -> None:
        """Renew the seats while nothing new is asked for: the lane's last calls are still in flight."""
        if self._held and self._clock() - self._renewed >= RENEW_S:
            until = timezone.now() + LEASE
            if CallSeat.objects.filter(profile=self._profile, holder=self._holder).update(lease_until=until):
                self._renewed = self._clock()

    def release(self) -> None:
        """Give everything back."""
        if self._renewed != float("-inf"):
            CallSeat.objects.filter(profile=self._profile, holder=self._holder).delete()
        self._held = self._wanted = self._allowed = 0
        self._looked = self._renewed = float("-inf")

    def _unchanged(self, in_flight: int, wanted: int) -> bool:
        """Look, without a lock, whether settling anew would change nothing."""
        due = self._due(self._seats(), in_flight, wanted)
        return (*due, wanted) == (self._held, self._allowed, self._wanted)

    def _settle(self, in_flight: int, wanted: int) -> None:
        with transaction.atomic():
            self._lock()
            CallSeat.objects.filter(profile=self._profile).exclude(lease_until__range=_live()).delete()
            CallSeat.objects.bulk_create(
                [CallSeat(profile=self._profile, holder=self._holder, lease_until=timezone.now() + LEASE)],
                ignore_conflicts=True,
            )
            held, allowed = self._due(self._seats(), in_flight, wanted)
            CallSeat.objects.filter(profile=self._profile, holder=self._holder).update(
                held=held, wanted=wanted, lease_until=timezone.now() + LEASE
            )
        self._held, self._allowed, self._wanted = held, allowed, wanted
        self._renewed = self._clock()

    def _due(self, seats: Sequence[Seat], in_flight: int, wanted: int) -> tuple[int, int]:
        """Return what the row should hold and how many calls may be in flight."""
        hungry = [Seat(seat.holder, 0, wanted) if seat.holder == self._holder else seat for seat in seats]
        free = max(0, self._limit - sum(seat.held for seat in seats if seat.holder != self._holder))
        allowed = min(fair_shares(hungry, self._limit).get(self._holder, 0), free)
        return max(in_flight, allowed), allowed

    def _seats(self) -> list[Seat]:
        rows = CallSeat.objects.filter(profile=self._profile, lease_until__range=_live()).order_by("pk")
        return [Seat(*row) for row in rows.values_list("holder", "held", "wanted")]

    def _lock(self) -> None:
        """Let the transactions of one profile follow each other.

        SQLite's are immediate and do so anyway. On PostgreSQL a row lock would not do: the first lane has no row.
        """
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"notarius.seats.{self._profile}"])
