"""Start a run after seeing what it would take, watch it, and pause, resume or cancel it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns import costs
from campaigns.access import Need, run_for
from campaigns.actions import pausing, plans, runs
from campaigns.errors import ActionError
from campaigns.forecasts import forecast
from campaigns.models import GameSession, LaneRun, Run
from campaigns.remedies import remedy_for
from campaigns.views.frame import managed_session
from campaigns.wording import LANE_NAMES, lane_name
from extraction.errors import NotariusError
from extraction.pipelines.config import Pipeline

if TYPE_CHECKING:
    from django.forms.boundfield import BoundField

PIPELINES = ("complete", "combat", "npcs-only")


class RunForm(forms.Form):
    pipeline = forms.ChoiceField(choices=[(name, name) for name in PIPELINES])
    lanes = forms.MultipleChoiceField(
        required=False,
        choices=list(LANE_NAMES.items()),
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen: all lanes of the pipeline.",
    )
    token_cap = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1, label="Pause after so many tokens")
    cost_cap = forms.DecimalField(
        required=False, min_value=Decimal("0.0001"), max_digits=12, decimal_places=4, label="Pause at this cost"
    )

    def chosen(self) -> Pipeline:
        """Return the pipeline with the chosen lanes; PipelineError where it has not all of them."""
        pipeline = plans.named_pipeline(self.cleaned_data["pipeline"])
        return pipeline.only(self.cleaned_data["lanes"]) if self.cleaned_data["lanes"] else pipeline

    @property
    def caps(self) -> list[BoundField]:
        return [self["token_cap"], self["cost_cap"]]


@require_http_methods(["GET", "HEAD", "POST"])
def new_run(request: HttpRequest, session_id: int) -> HttpResponse:
    """Show what a run would take, for what was chosen so far, and start it when asked to."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    session = managed_session(request, session_id)
    form = RunForm(request.POST or request.GET or {"pipeline": plans.DEFAULT_PIPELINE})
    context: dict[str, Any] = {"session": session, "campaign": session.campaign, "form": form}
    try:
        if form.is_valid() and request.method == "POST" and "start" in request.POST:
            return HttpResponseRedirect(reverse("run", args=[_start(session, form, request.user).pk]))
        if form.is_valid():
            context |= _forecast(session, form)
    except NotariusError as error:
        context["refused"] = str(error)
    status = 400 if form.errors or "refused" in context else 200
    return render(request, "runs/new.html", context, status=status)


def _start(session: GameSession, form: RunForm, by: User) -> Run:
    chosen = form.cleaned_data
    return runs.start(
        session=session,
        pipeline=plans.named_pipeline(chosen["pipeline"]),
        lanes=chosen["lanes"] or None,
        by=by,
        token_cap=chosen["token_cap"],
        cost_cap=chosen["cost_cap"],
    )


def _forecast(session: GameSession, form: RunForm) -> dict[str, Any]:
    transcript = session.transcripts.order_by("-revision").first()
    if transcript is None:
        return {"refused": f"Session {session.number} has no transcript yet: upload one first."}
    found = forecast(session, transcript, form.chosen())
    lanes = [(lane_name(lane.lane), lane) for lane in found.lanes]
    return {"forecast": found, "lanes": lanes, "assumed": any(lane.assumed for lane in found.lanes)}


@require_safe
def run_page(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show a run: its lanes, what it has used, and what can be done with it; `?part=state` is the part that changes."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    run = _seen(request, run_id)
    lanes = list(run.lanes.all())
    context = {
        "run": run,
        "session": run.session,
        "campaign": run.session.campaign,
        "lanes": [
            (lane_name(lane.key), lane, remedy_for(lane.error_code) if lane.error_code else "") for lane in lanes
        ],
        "done": sum(lane.state not in LaneRun.UNFINISHED for lane in lanes),
        "used": costs.used_by(run.lanes.all()),
        "active": run.state in Run.ACTIVE,
        "stoppable": run.state in Run.UNENDED,
    }
    part = request.GET.get("part") == "state"
    return render(request, "runs/run_state.html" if part else "runs/run.html", context)


@require_POST
def change_run(request: HttpRequest, run_id: int, act: str) -> HttpResponse:
    """Pause, resume or cancel the run, and say what came of it."""
    if not isinstance(request.user, User):
        return redirect_to_login(reverse("run", args=[run_id]), login_url=reverse("login"))
    run, by = _seen(request, run_id), request.user
    acts: dict[str, Callable[[], Run]] = {
        "pause": lambda: pausing.pause(run=run, by=by),
        "resume": lambda: pausing.resume(run=run, by=by, **_new_caps(request)),
        "cancel": lambda: runs.cancel(run=run, by=by),
    }
    if act not in acts:
        raise Http404
    try:
        acts[act]()
    except ActionError as error:
        messages.error(request, str(error))
    return HttpResponseRedirect(reverse("run", args=[run_id]))


def _new_caps(request: HttpRequest) -> dict[str, Any]:
    form = RunForm({**request.POST.dict(), "pipeline": plans.DEFAULT_PIPELINE})
    if not form.is_valid():
        raise ActionError("A cap is a number above zero.")
    return {name: form.cleaned_data[name] for name in ("token_cap", "cost_cap")}


def _seen(request: HttpRequest, run_id: int) -> Run:
    try:
        return run_for(request.user, run_id, Need.EDIT)
    except ActionError as error:
        raise Http404 from error
