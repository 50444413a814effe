"""What the log says of a lane whose run was cancelled while it was about to end otherwise."""

from __future__ import annotations

import logging

import pytest

from campaigns.actions import runs
from campaigns.actions.work import work
from campaigns.models import LaneRun
from extraction.codes import Code
from extraction.errors import LaneFailed
from extraction.lanes.job import LaneJob, LaneResult
from extraction.lanes.ports import LanePorts


def test_a_lane_that_fails_just_after_a_cancel_ends_as_cancelled(
    lane: LaneRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def overtaken(of: object, job: LaneJob, ports: LanePorts) -> LaneResult:
        runs.cancel(run=lane.run, by=None)
        raise LaneFailed("The answers could not be used.")

    caplog.set_level(logging.INFO)
    monkeypatch.setattr("campaigns.actions.work.run_lane", overtaken)
    outcome = work(lane_id=lane.pk)

    [ended] = [record for record in caplog.records if record.message.startswith("lane ended")]
    lane.refresh_from_db()
    assert (lane.state, lane.error_code, outcome) == (LaneRun.State.CANCELLED, Code.RUN_CANCELLED, Code.RUN_CANCELLED)
    assert (f"outcome={Code.RUN_CANCELLED} " in ended.message, ended.levelno) == (True, logging.INFO)
