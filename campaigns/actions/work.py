"""Do one lane: claim it, run it, end it. The same for a queue worker and for a command that works inline."""

from __future__ import annotations

import logging
import time

from django import db
from django.utils import timezone

from campaigns.actions import bindings, decisions, plans, runs
from campaigns.actions.leases import LEASE, claim, give_back
from campaigns.adapters.checkpoints import SessionCheckpoints
from campaigns.adapters.documents import load_document
from campaigns.adapters.exchanges import COUNTED, ExchangeLog
from campaigns.adapters.holding import RunHold
from campaigns.adapters.progress import LaneRecord
from campaigns.adapters.providers import catalog, profiles
from campaigns.adapters.seats import ProfileSeats
from campaigns.adapters.table import table_of
from campaigns.models import LaneRun
from campaigns.tracing import tracing
from extraction.codes import Code
from extraction.errors import InternalError, LeaseLost, NotariusError, RequestRefused, RunPaused
from extraction.lanes.job import LaneJob, LaneResult
from extraction.lanes.ports import LanePorts, Progress
from extraction.lanes.run import run_lane
from extraction.llm.profiles import Profile
from extraction.llm.providers import client_for
from extraction.registry import CHUNK_REPLIES, LANES

logger = logging.getLogger(__name__)

SUCCEEDED = "succeeded"
NOT_CLAIMED = "not_claimed"
DATABASE_LOST = "database_lost"
INTERRUPTED = "interrupted"
TIMED_OUT = "timed_out"
KNOCK_S = 1.0
# Ends that somebody wanted; all others are worth a look.
WANTED = frozenset({SUCCEEDED, INTERRUPTED, Code.RUN_PAUSED.value, Code.RUN_CANCELLED.value})


def work(*, lane_id: int, watch: Progress | None = None) -> str:
    """Do the lane if it is free and return how it ended: `succeeded`, `not_claimed`, `database_lost` or a code.

    No exception that could carry content leaves this function. Ctrl-C puts the lane back into the queue; a time
    limit of the task queue leaves it to its lease, so that the attempt counts.
    """
    token = None
    with tracing(lane=lane_id):
        try:
            token = claim(lane_id=lane_id, at=timezone.now())
            return NOT_CLAIMED if token is None else _traced(lane_id, token, watch)
        except KeyboardInterrupt:
            if token is not None:
                give_back(lane_id=lane_id, token=token)
            raise
        except db.Error as error:
            return _database_failed(lane_id, error)


def _traced(lane_id: int, token: str, watch: Progress | None) -> str:
    """Do the claimed lane between two lines of the log, with the ids that lead back to who started its run."""
    lane = LaneRun.objects.select_related("run").only("key", "attempts", "run__request_id").get(pk=lane_id)
    log = ExchangeLog(lane_id)
    record = LaneRecord(lane_id, token, log, watch=watch)
    began = time.monotonic()
    with tracing(request=lane.run.request_id, run=lane.run_id):
        logger.info("lane claimed: key=%s attempt=%d", lane.key, lane.attempts)
        outcome = Code.RUN_INTERNAL.value
        try:
            outcome = _claimed(lane_id, token, record, log)
        except db.Error as error:
            outcome = _database_failed(lane_id, error)
        except KeyboardInterrupt:
            outcome = INTERRUPTED
            raise
        except SystemExit:
            # How the task queue ends what took longer than its limit.
            outcome = TIMED_OUT
            raise
        finally:
            level = logging.INFO if outcome in WANTED else logging.WARNING
            used = " ".join(f"{name}={record.used[name]}" for name in COUNTED)
            seconds = time.monotonic() - began
            logger.log(level, "lane ended: key=%s outcome=%s %s seconds=%.1f", lane.key, outcome, used, seconds)
    return outcome


def _database_failed(lane_id: int, error: db.Error) -> str:
    logger.error("lane %s: the database failed with %s", lane_id, type(error).__name__)
    db.connections.close_all()
    return DATABASE_LOST


def _claimed(lane_id: int, token: str, record: LaneRecord, log: ExchangeLog) -> str:
    try:
        result = _run(lane_id, token, record, log)
        record.write()
        runs.finish(lane_id=lane_id, token=token, result=result)
    except LeaseLost as error:
        return error.code.value
    except RunPaused as error:
        return _paused(lane_id, token, record, error)
    except NotariusError as error:
        return _failed(lane_id, token, record, error)
    except db.Error as error:
        if db.connection.is_usable():
            # The database is there and refuses: it is full, say. The lease runs out, and the attempt counts.
            raise
        logger.error("lane %s: the database went away with %s", lane_id, type(error).__name__)
        _give_back_after_outage(lane_id, token, record)
        return DATABASE_LOST
    except Exception as error:  # noqa: BLE001 - the one boundary: whatever a bug raises may quote a transcript
        return _failed(lane_id, token, record, _bug(lane_id, error))
    return SUCCEEDED


def _paused(lane_id: int, token: str, record: LaneRecord, error: RunPaused) -> str:
    """Write what was paid for, and put the lane back for when the run goes on."""
    try:
        record.write()
    except LeaseLost as lost:
        return lost.code.value
    give_back(lane_id=lane_id, token=token)
    return error.code.value


def _give_back_after_outage(lane_id: int, token: str, record: LaneRecord) -> None:
    """Knock until the database is back, write what was paid for, and put the lane back, its attempt not counted.

    Once the lease has run out it is too late for that, and the sweep has the lane tried again.
    """
    end = time.monotonic() + LEASE.total_seconds()
    while time.monotonic() < end:
        db.connections.close_all()
        try:
            record.write()
            give_back(lane_id=lane_id, token=token)
        except LeaseLost:
            return
        except db.Error:
            time.sleep(KNOCK_S)
        else:
            return


def _run(lane_id: int, token: str, record: LaneRecord, log: ExchangeLog) -> LaneResult:
    lane = LaneRun.objects.select_related("run__transcript", "run__session__campaign").get(pk=lane_id)
    plan = plans.from_json(lane.run.plan)
    planned = plan[lane.key]
    profile = _profile(planned.profile)
    job = LaneJob(
        document=load_document(lane.run.transcript),
        catalog=catalog(),
        client=client_for(profile),
        profile=profile,
        table=table_of(lane.run.session.campaign),
        references=bindings.bind(lane=lane.key, transcript=lane.run.transcript, run=lane.run),
        retries=planned.retries,
        envelope=CHUNK_REPLIES,
        start_at=plans.start_at(plan, lane.key),
        verdicts=decisions.verdicts_for(lane.run.session, lane.key),
    )
    seats = ProfileSeats(profile.name, profile.concurrency, token)

    def pulse() -> None:
        seats.keep_alive()
        record.pulse()

    ports = LanePorts(
        checkpoints=SessionCheckpoints(lane.run.session_id, record),
        seats=seats,
        progress=record.progress,
        pulse=pulse,
        hold=RunHold(lane.run_id, before=record.write_exchanges),
        record=log,
    )
    return run_lane(LANES[lane.key], job, ports)


def _profile(name: str) -> Profile:
    known = profiles()
    if name not in known:
        raise RequestRefused(
            "The run's profile is not configured for this worker: check NOTARIUS_LLM_PROFILES.",
            code=Code.LLM_CONFIGURATION,
        )
    return known[name]


def _failed(lane_id: int, token: str, record: LaneRecord, error: NotariusError) -> str:
    try:
        record.write()
        return runs.fail(lane_id=lane_id, token=token, error=error)
    except LeaseLost as lost:
        return lost.code.value
    except db.Error:
        raise
    except Exception as unwritten:  # noqa: BLE001 - as above; what cannot be written must not keep the lane running
        return runs.fail(lane_id=lane_id, token=token, error=_bug(lane_id, unwritten))


def _bug(lane_id: int, error: Exception) -> InternalError:
    """Log what kind of bug it was and where, without its words, and return what the lane ends with."""
    logger.error("lane %s: an unexpected %s at %s", lane_id, type(error).__name__, _place(error))
    return InternalError("An unexpected error stopped the lane; the log names its kind.", code=Code.RUN_INTERNAL)


def _place(error: BaseException) -> str:
    """Return module and line where the error was raised: enough to find a bug, without its text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "?"
    return f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
