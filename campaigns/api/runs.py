from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router

from campaigns.access import Need, campaign_for, run_for
from campaigns.actions import plans, runs
from campaigns.api.answers import json_answer
from campaigns.api.auth import actor_of
from campaigns.api.schemas import RowId, RunIn, RunOut, SessionNumber
from campaigns.api.sessions import session_of
from campaigns.models import Run

start_router = Router(tags=["runs"])
router = Router(tags=["runs"])
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


@start_router.post("/{slug}/sessions/{number}/runs", response={202: RunOut})
def start_run(request: HttpRequest, slug: str, number: SessionNumber, wanted: RunIn) -> HttpResponse:
    """Start a pipeline, or some of its lanes, over the session's newest transcript."""
    actor = actor_of(request)
    session = session_of(actor, campaign_for(actor, slug, Need.EDIT), number)
    pipeline = plans.named_pipeline(wanted.pipeline) if wanted.pipeline else plans.default_pipeline()
    run = runs.start(session=session, pipeline=pipeline, lanes=wanted.lanes, by=actor.user)
    return json_answer(_shown(run), status=202, location=reverse("notarius-api:get_run", args=[run.pk]))


@router.get("/{run_id}", response=RunOut)
def get_run(request: HttpRequest, run_id: RowId) -> HttpResponse:
    """A run's state, progress and usage."""
    return json_answer(_shown(run_for(actor_of(request), run_id)))


@router.post("/{run_id}/cancel", response=RunOut)
def cancel_run(request: HttpRequest, run_id: RowId) -> HttpResponse:
    actor = actor_of(request)
    run = run_for(actor, run_id, Need.EDIT)
    runs.cancel(run=run, by=actor.user)
    return json_answer(_shown(run_for(actor, run_id)))


def _shown(run: Run) -> dict[str, object]:
    lanes = [
        {"lane": lane.key}
        | {name: getattr(lane, name) for name in LANE_COLUMNS}
        | {"error_code": lane.error_code or None, "error_message": lane.error_message or None}
        for lane in run.lanes.order_by("step", "key")
    ]
    return {
        "id": run.pk,
        "campaign": run.session.campaign.slug,
        "session": run.session.number,
        "pipeline": run.pipeline,
        "state": run.state,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
        "lanes": lanes,
    }
