"""Whether a lane may start another call: not while its run is paused or after it was cancelled, nor beyond its caps."""

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
from extraction.errors import RunCancelled

LOOK_S = 0.5


class RunHold:
    """A Hold. Looks whether the run was paused or cancelled before every call, and at what was used where it has caps.

    Whether it has got any meanwhile is looked up twice a second at most. Raises RunCancelled where it was cancelled.
    `before` writes down what was used and is not in the rows yet. What reaches a cap first pauses the run for all its
    lanes: only calls that are in flight by then go beyond it.
    """

    def __init__(
        self, run_id: int, *, before: Callable[[], None] = lambda: None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._run_id, self._before, self._clock = run_id, before, clock
        self._looked = float("-inf")
        self._capped = False
        self._tally = costs.Tally()

    def __call__(self) -> bool:
        state = Run.objects.values_list("state", flat=True).get(pk=self._run_id)
        if state == Run.State.CANCELLED:
            raise RunCancelled("The run was cancelled.")
        return state == Run.State.PAUSED or self._at_cap()

    def _at_cap(self) -> bool:
        now = self._clock()
        if not self._capped and now - self._looked < LOOK_S:
            return False
        self._looked = now
        run = Run.objects.select_related("session__campaign").get(pk=self._run_id)
        self._capped = costs.has_caps(run)
        if not self._capped:
            return False
        self._before()
        if not costs.cap_reached(run, timezone.now(), self._tally):
            return False
        # Refused where another lane was faster, or the run has ended meanwhile, which the next look will tell.
        with suppress(Conflict):
            pause(run=run, by=None, code=Code.RUN_CAP_REACHED)
        return True
