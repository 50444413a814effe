"""A run as a person at a terminal follows it: worked on here or elsewhere, with a progress bar."""

from __future__ import annotations

import time
from typing import TextIO

from django.utils import timezone
from tqdm import tqdm

from campaigns.actions import pulses, runs
from campaigns.actions.work import work
from campaigns.models import LaneRun, Run
from campaigns.remedies import remedy_for

LOOK_S = 0.5
State = LaneRun.State


class Bar:
    """Calls done of all calls of a run's lanes, as far as they are known yet."""

    def __init__(self, label: str, stream: TextIO) -> None:
        # No monitor thread: a command that forks or is stopped by a signal must not wait for it.
        tqdm.monitor_interval = 0
        self._bar = tqdm(desc=label, file=stream, unit=" calls", total=0, dynamic_ncols=True)

    def show(self, done: int, total: int) -> None:
        self._bar.total = total
        self._bar.n = done
        self._bar.refresh()

    def show_run(self, run: Run) -> None:
        counts = list(run.lanes.values_list("chunks_done", "chunks_total"))
        self.show(sum(done for done, _ in counts), sum(total for _, total in counts))

    def close(self) -> None:
        self._bar.close()


def work_inline(run: Run, *, label: str, stream: TextIO) -> None:
    """Do the run's lanes in this process until the run has ended; lanes that a worker took are waited for."""
    while unfinished(run):
        queued = list(run.lanes.filter(state=State.QUEUED).values_list("pk", "key"))
        for lane_id, key in queued:
            bar = Bar(f"{label}, {key}", stream)
            try:
                work(lane_id=lane_id, watch=bar.show)
            finally:
                bar.close()
        if not queued:
            time.sleep(LOOK_S)
            _take_back_dead(run)


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
        if lane.state == State.FAILED:
            lines.append(f"{lane.key}: {lane.error_code}: {lane.error_message} {remedy_for(lane.error_code)}")
        elif lane.state == State.BLOCKED:
            lines.append(f"{lane.key}: blocked, because a lane it needs failed.")
        else:
            lines.append(f"{lane.key}: {lane.state}.")
    return lines


def _take_back_dead(run: Run) -> None:
    """Without a supervisor nobody else would notice that the worker of one of our lanes died."""
    now = timezone.now()
    if run.lanes.filter(state=State.RUNNING, lease_until__lt=now).exists():
        runs.sweep(at=now)
