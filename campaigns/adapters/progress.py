"""Progress and heartbeat of a running lane, written to its row together and seldom."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import transaction

from campaigns.actions.leases import BEAT_S, beat, fence
from campaigns.adapters.exchanges import ExchangeLog, counted, raised_counters
from campaigns.models import Exchange
from extraction.lanes.ports import Progress

# A person who watches sees every second of it; the database is not asked for more.
SHOW_S = 1.0


class LaneRecord:
    """What a lane writes about itself while it runs. Used from the lane's own thread.

    Every write checks the token and extends the lease. Exchanges that came in are written along with whatever comes
    first: a checkpoint, a beat, visible progress or the end. `used` counts what was written of them.
    """

    def __init__(
        self,
        lane_id: int,
        token: str,
        log: ExchangeLog,
        *,
        watch: Progress | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lane_id, self._token, self._log, self._watch, self._clock = lane_id, token, log, watch, clock
        self._beaten = self._written = clock()
        self._progress: dict[str, int] = {}
        self.used: Counter[str] = Counter()

    def write(self) -> None:
        """Write what is pending. Raises LeaseLost, with nothing written, when the lane is no longer ours."""
        with self.writing():
            pass

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write what is pending, and the body's writes, in one transaction. Raises LeaseLost before the body.

        Where the transaction fails, what was pending is pending again.
        """
        exchanges = self._log.take()
        try:
            with transaction.atomic():
                fence(lane_id=self._lane_id, token=self._token, **self._progress, **raised_counters(exchanges))
                if exchanges:
                    Exchange.objects.bulk_create(self._log.rows(exchanges))
                yield
        except BaseException:
            self._log.put_back(exchanges)
            raise
        self.used.update(counted(exchanges))
        self._progress = {}
        self._written = self._clock()

    def write_exchanges(self) -> None:
        """Write what came in and is not written yet, if anything is. Raises LeaseLost as `write` does."""
        if self._log:
            self.write()

    def pulse(self) -> bool:
        """Beat, if it is time to; returns whether it was. Raises LeaseLost or RunCancelled when the lane must stop."""
        if self._clock() - self._beaten < BEAT_S:
            return False
        if self._log:
            self.write()
        beat(lane_id=self._lane_id, token=self._token, **self._progress)
        self._progress = {}
        self._beaten = self._written = self._clock()
        return True

    def progress(self, done: int, total: int) -> None:
        """Take the number of finished calls; the row shows it a second later at most while calls come back."""
        if self._watch is not None:
            self._watch(done, total)
        self._progress = {"chunks_done": done, "chunks_total": total}
        if self._clock() - self._written >= SHOW_S or done == total:
            self.write()
