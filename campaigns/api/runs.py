from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Query, Router

from campaigns import costs
from campaigns.access import Need, run_for
from campaigns.actions import pausing, plans, runs
from campaigns.api.answers import Keyset, json_answer, listing
from campaigns.api.auth import actor_of
from campaigns.api.once import once
from campaigns.api.schemas import CapsIn, ForecastQuery, ListQuery, RowId, RunIn, SessionNumber, Slug
from campaigns.api.sessions import editable
from campaigns.api.shown import ForecastOut, RunList, RunOut
from campaigns.errors import NotFound
from campaigns.forecasts import forecast
from campaigns.models import LaneRun, Run
from extraction.codes import Code
from extraction.pipelines.config import Pipeline

start_router = Router(tags=["runs"])
router = Router(tags=["runs"])
BEFORE = Keyset({"id": int})
NO_WISHES, NO_CAPS = RunIn.model_validate({}), CapsIn.model_validate({})
LANE_COLUMNS = (
    "state",
    "attempts",
    "chunks_done",
    "chunks_total",
    "calls",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
)


@start_router.get("/{slug}/sessions/{number}/runs", response=RunList)
def list_runs(request: HttpRequest, slug: Slug, number: SessionNumber, query: Query[ListQuery]) -> HttpResponse:
    """The session's runs, the newest first; for game masters."""
    session, before = editable(request, slug, number), BEFORE.after(query.cursor)
    rows = session.runs.select_related("session__campaign").prefetch_related("lanes").order_by("-pk")
    if before is not None:
        rows = rows.filter(pk__lt=before[0])
    shown = [_shown(run) for run in rows[: query.limit + 1]]
    return json_answer(listing(*BEFORE.page(shown, query.limit)))


@start_router.get("/{slug}/sessions/{number}/forecast", response=ForecastOut)
def get_forecast(request: HttpRequest, slug: Slug, number: SessionNumber, query: Query[ForecastQuery]) -> HttpResponse:
    """What a run would take now: calls, tokens, minutes and cost. No model is asked."""
    session = editable(request, slug, number)
    transcript = session.transcripts.order_by("-revision").first()
    if transcript is None:
        raise NotFound("This session has no transcript yet.", code=Code.TRANSCRIPT_NONE)
    lanes = None if query.lanes is None else plans.lanes_in(query.lanes)
    found = forecast(session, transcript, plans.chosen(_pipeline(query.pipeline), lanes))
    rows = [
        {
            "lane": lane.lane,
            "profile": lane.profile,
            "chunks": lane.expected.chunks,
            "kept_chunks": lane.expected.kept,
            "calls": lane.expected.calls,
            "prompt_tokens": lane.expected.prompt_tokens,
            "completion_tokens": lane.completion_tokens,
        }
        for lane in found.lanes
    ]
    totals = {name: getattr(found, name) for name in ("calls", "prompt_tokens", "completion_tokens", "minutes")}
    return json_answer({**totals, "costs": dict(found.costs), "lanes": rows})


@start_router.post("/{slug}/sessions/{number}/runs", response={202: RunOut})
@once
def start_run(request: HttpRequest, slug: Slug, number: SessionNumber, wanted: RunIn = NO_WISHES) -> HttpResponse:
    """Start a pipeline, or some of its lanes, over the session's newest transcript."""
    run = runs.start(
        session=editable(request, slug, number),
        pipeline=_pipeline(wanted.pipeline),
        lanes=wanted.lanes,
        by=actor_of(request).user,
        token_cap=wanted.token_cap,
        cost_cap=wanted.cost_cap,
    )
    return json_answer(_shown(run), status=202, location=reverse("notarius-api:get_run", args=[run.pk]))


@router.get("/{run_id}", response=RunOut)
def get_run(request: HttpRequest, run_id: RowId) -> HttpResponse:
    """A run's state, progress and usage."""
    return json_answer(_shown(run_for(actor_of(request), run_id)))


@router.post("/{run_id}/cancel", response=RunOut)
@once
def cancel_run(request: HttpRequest, run_id: RowId) -> HttpResponse:
    actor = actor_of(request)
    run = run_for(actor, run_id, Need.EDIT)
    runs.cancel(run=run, by=actor.user)
    return json_answer(_shown(run_for(actor, run_id)))


@router.post("/{run_id}/pause", response=RunOut)
@once
def pause_run(request: HttpRequest, run_id: RowId) -> HttpResponse:
    """Let no further call start; answers in flight are kept."""
    actor = actor_of(request)
    pausing.pause(run=run_for(actor, run_id, Need.EDIT), by=actor.user)
    return json_answer(_shown(run_for(actor, run_id)))


@router.post("/{run_id}/resume", response=RunOut)
@once
def resume_run(request: HttpRequest, run_id: RowId, caps: CapsIn = NO_CAPS) -> HttpResponse:
    """Let a paused run go on where it stopped, with higher caps where some are given."""
    actor = actor_of(request)
    run = run_for(actor, run_id, Need.EDIT)
    pausing.resume(run=run, by=actor.user, token_cap=caps.token_cap, cost_cap=caps.cost_cap)
    return json_answer(_shown(run_for(actor, run_id)))


def _pipeline(name: str | None) -> Pipeline:
    return plans.named_pipeline(name) if name else plans.default_pipeline()


def _shown(run: Run) -> dict[str, object]:
    rows = sorted(run.lanes.all(), key=lambda lane: (lane.step, lane.key))
    return {
        "id": run.pk,
        "campaign": run.session.campaign.slug,
        "session": run.session.number,
        "pipeline": run.pipeline,
        "state": run.state,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
        "pause_code": run.pause_code or None,
        "token_cap": run.token_cap,
        "cost_cap": None if run.cost_cap is None else float(run.cost_cap),
        "costs": costs.of_lanes(run.plan, rows),
        "lanes": [_lane(lane) for lane in rows],
    }


def _lane(lane: LaneRun) -> dict[str, object]:
    numbers = {name: getattr(lane, name) for name in LANE_COLUMNS}
    errors = {"error_code": lane.error_code or None, "error_message": lane.error_message or None}
    return {"lane": lane.key, **numbers, **errors}
