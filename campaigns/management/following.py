"""A run as a person at a terminal follows it: worked on here or elsewhere, with a progress bar."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from django.utils import timezone
from tqdm import tqdm

from campaigns.actions import pulses, runs
from campaigns.actions.work import work
from campaigns.models import LaneRun, Run
from campaigns.remedies import remedy_for
from extraction.lanes.ports import Progress

LOOK_S = 0.5
State = LaneRun.State


class Bar:
    """How far a run's lanes have come, all lanes weighing the same: how many calls the later ones make is not known."""

    def __init__(self, label: str, stream: TextIO) -> None:
        # No monitor thread: a command that forks or is stopped by a signal must not wait for it.
        tqdm.monitor_interval = 0
        self._label = label
        shape = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
        self._told = -1
        # A log has no use for a bar that is drawn again and again: it gets a line where a lane has ended.
        self._log = None if stream.isatty() else stream
        self._bar = tqdm(
            desc=label, file=stream, total=1, dynamic_ncols=True, bar_format=shape, disable=self._log is not None
        )

    def show_run(self, run: Run) -> None:
        lanes = list(run.lanes.values_list("key", "state", "chunks_done", "chunks_total"))
        running = [key for key, state, _, _ in lanes if state == State.RUNNING]
        self._show(running, [(state, _share(state, done, total)) for _, state, done, total in lanes])

    def watching(self, run: Run, key: str) -> Progress:
        """Return what takes the progress of a lane that is done in this process, without asking the database."""
        others = run.lanes.exclude(key=key).values_list("state", "chunks_done", "chunks_total")
        shares = [(state, _share(state, done, total)) for state, done, total in others]

        def show(done: int, total: int) -> None:
            self._show([key], [*shares, (State.RUNNING, _share(State.RUNNING, done, total))])

        return show

    def close(self) -> None:
        self._bar.close()

    def _show(self, running: Sequence[str], lanes: Sequence[tuple[str, float]]) -> None:
        # By state: a lane whose chunks are all done may still reconcile, and fail.
        ended = sum(state not in LaneRun.UNFINISHED for state, _ in lanes)
        if self._log is not None:
            if ended != self._told:
                self._log.write(f"{self._label}: {ended} of {len(lanes)} lanes\n")
            self._told = ended
            return
        names = ", ".join(running)
        self._bar.set_description_str(f"{self._label}, {names}" if names else self._label, refresh=False)
        self._bar.set_postfix_str(f"{ended} of {len(lanes)} lanes", refresh=False)
        self._bar.total = len(lanes)
        self._bar.n = sum(share for _, share in lanes)
        self._bar.refresh()


def _share(state: str, done: int, total: int) -> float:
    if state not in LaneRun.UNFINISHED:
        return 1.0
    return done / total if total else 0.0


def work_inline(run: Run, *, label: str, stream: TextIO) -> None:
    """Do the run's lanes in this process until the run has ended; lanes that a worker took are waited for."""
    bar = Bar(label, stream)
    try:
        with _no_lines_through_the_bar(stream):
            while unfinished(run):
                queued = list(run.lanes.filter(state=State.QUEUED).values_list("pk", "key"))
                for lane_id, key in queued:
                    work(lane_id=lane_id, watch=bar.watching(run, key))
                if not queued:
                    time.sleep(LOOK_S)
                    _take_back_dead(run)
                bar.show_run(run)
    finally:
        bar.close()


@contextmanager
def _no_lines_through_the_bar(stream: TextIO) -> Iterator[None]:
    """At a terminal, leave out of the log what the bar shows: that lanes begin and end as they should."""
    lines = logging.getLogger("campaigns.actions")
    before = lines.level
    if stream.isatty():
        lines.setLevel(logging.WARNING)
    try:
        yield
    finally:
        lines.setLevel(before)


def wait_for(run: Run, *, label: str, stream: TextIO) -> None:
    """Show the run's progress until it has ended; says once when there is nobody to work on it."""
    if not pulses.any_supervisor(at=timezone.now()):
        stream.write("No worker is running: start `python manage.py work`, or use --inline.\n")
    bar = Bar(label, stream)
    try:
        while unfinished(run):
            bar.show_run(run)
            time.sleep(LOOK_S)
        bar.show_run(run)
    finally:
        bar.close()


def unfinished(run: Run) -> bool:
    """Return whether the run goes on, as its row says now."""
    return Run.objects.unfinished().filter(pk=run.pk).exists() or (
        run.lanes.filter(state=State.RUNNING, lease_until__gte=timezone.now()).exists()
    )


def failures(run: Run) -> list[str]:
    """Return a line for each lane that ended without an artifact: code, sentence and remedy."""
    lines = []
    for lane in run.lanes.exclude(state=State.SUCCEEDED):
        if lane.state in (State.FAILED, State.BLOCKED):
            lines.append(f"{lane.key}: {lane.error_code}: {lane.error_message} {remedy_for(lane.error_code)}")
        else:
            lines.append(f"{lane.key}: {lane.state}.")
    return lines


def _take_back_dead(run: Run) -> None:
    """Without a supervisor nobody else would notice that the worker of one of our lanes died."""
    now = timezone.now()
    if run.lanes.filter(state=State.RUNNING, lease_until__lt=now).exists():
        runs.sweep(at=now)
