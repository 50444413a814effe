"""Whether a lane may start another call: not while its run is paused, and not beyond its caps."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from django.utils import timezone

from campaigns import costs
from campaigns.actions.pausing import pause
from campaigns.errors import Conflict
from campaigns.models import Run
from extraction.codes import Code

LOOK_S = 0.5


class RunHold:
    """A Hold. Without caps the run's row is looked at twice a second at most; with caps before every call.

    `before` writes down what was used and is not in the rows yet. What reaches a cap first pauses the run for all its
    lanes: only calls that are in flight by then go beyond it.
    """

    def __init__(
        self, run_id: int, *, before: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._run_id, self._before, self._clock = run_id, before, clock
        self._looked = float("-inf")
        self._capped = self._held = False
        self._tally = costs.Tally()

    def __call__(self) -> bool:
        now = self._clock()
        if self._capped or now - self._looked >= LOOK_S:
            self._looked = now
            self._held = self._look()
        return self._held

    def _look(self) -> bool:
        run = Run.objects.select_related("session__campaign").get(pk=self._run_id)
        if run.state == Run.State.PAUSED:
            return True
        self._capped = costs.has_caps(run)
        if self._capped:
            self._before()
        if not self._capped or not costs.cap_reached(run, timezone.now(), self._tally):
            return False
        # Refused where another lane was faster, or the run has ended meanwhile, which the next pulse will tell.
        with suppress(Conflict):
            pause(run=run, by=None, code=Code.RUN_CAP_REACHED)
        return True
