"""What a run is said to take is what it takes."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from campaigns.actions import plans, runs
from campaigns.actions.work import work
from campaigns.forecasts import forecast
from campaigns.models import Checkpoint, Exchange, LaneRun, Membership, Run
from tests.factories import make_membership, make_transcript, make_user

pytestmark = pytest.mark.django_db


def work_on(run: Run) -> None:
    while queued := run.lanes.filter(state=LaneRun.State.QUEUED).first():
        work(lane_id=queued.pk)


@pytest.fixture
def chunks_of_twelve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTARIUS_LLM_CHUNK_UNITS", "12")


@pytest.mark.usefixtures("chunks_of_twelve")
def test_the_calls_foreseen_are_the_calls_made() -> None:
    transcript = make_transcript()
    pipeline = plans.named_pipeline("npcs-only")
    foreseen = forecast(transcript.session, transcript, pipeline)
    work_on(runs.start(session=transcript.session, pipeline=pipeline, lanes=None, by=None))

    assert foreseen.calls == Exchange.objects.count() > 1
    assert foreseen.lanes[0].expected.chunks == 3


@pytest.mark.usefixtures("chunks_of_twelve")
def test_what_is_kept_is_not_foreseen_again_and_nothing_is_written() -> None:
    transcript = make_transcript()
    pipeline = plans.named_pipeline("npcs-only")
    work_on(runs.start(session=transcript.session, pipeline=pipeline, lanes=None, by=None))
    before = Checkpoint.objects.count(), Run.objects.count()
    foreseen = forecast(transcript.session, transcript, pipeline)

    assert (foreseen.calls, foreseen.prompt_tokens) == (0, 0)
    assert foreseen.lanes[0].expected.kept == 3
    assert (Checkpoint.objects.count(), Run.objects.count()) == before


def test_the_price_table_makes_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = make_transcript()
    monkeypatch.setenv("NOTARIUS_LLM_PRICE_PROMPT", "1000000")
    monkeypatch.setenv("NOTARIUS_LLM_PRICE_COMPLETION", "0")
    monkeypatch.setenv("NOTARIUS_LLM_CURRENCY", "EUR")
    foreseen = forecast(transcript.session, transcript, plans.default_pipeline())

    assert foreseen.costs == {"EUR": pytest.approx(foreseen.prompt_tokens)}


def test_the_command_tells_and_starts_nothing() -> None:
    transcript = make_transcript()
    out = StringIO()
    call_command(
        "run_pipeline",
        campaign=transcript.session.campaign.slug,
        session=transcript.session.number,
        forecast=True,
        stdout=out,
    )

    assert "In all: " in out.getvalue()
    assert not Run.objects.exists()


def test_a_game_master_sees_the_forecast_and_starts_with_a_cap(client: Client) -> None:
    transcript = make_transcript()
    gm = make_user()
    make_membership(transcript.session.campaign, gm, Membership.Role.GM)
    client.force_login(gm)
    address = f"/review/sessions/{transcript.session_id}/run/"
    seen = client.get(address)
    started = client.post(address, {"pipeline": "npcs-only", "token_cap": "5000", "start": "1"}, follow=True)
    run = Run.objects.get()

    assert (seen.status_code, seen.context["forecast"].calls > 0) == (200, True)
    assert started.redirect_chain == [(f"/review/runs/{run.pk}/", 302)]
    assert (run.token_cap, run.created_by) == (5_000, gm)
    client.post(f"/review/runs/{run.pk}/pause")
    run.refresh_from_db()
    assert run.state == Run.State.PAUSED
    client.post(f"/review/runs/{run.pk}/resume", {"token_cap": "9000"})
    run.refresh_from_db()
    assert (run.state, run.token_cap) == (Run.State.RUNNING, 9_000)


@pytest.mark.parametrize(
    "posted",
    [
        {"pipeline": "npcs-only", "lanes": ["dnd/spells"]},
        {"pipeline": "npcs-only", "token_cap": "-1"},
        {"pipeline": "?"},
    ],
    ids=["lane of another pipeline", "cap", "pipeline"],
)
def test_a_run_that_cannot_be_is_refused_beside_the_form(client: Client, posted: dict[str, object]) -> None:
    client.force_login(make_user(superuser=True))
    answer = client.post(f"/review/sessions/{make_transcript().session_id}/run/", {**posted, "start": "1"})

    assert answer.status_code == 400
    assert not Run.objects.exists()


def test_players_find_no_runs(client: Client) -> None:
    transcript = make_transcript()
    run = runs.start(session=transcript.session, pipeline=plans.default_pipeline(), lanes=None, by=None)
    player = make_user()
    make_membership(transcript.session.campaign, player, Membership.Role.PLAYER)
    client.force_login(player)

    assert client.get(f"/review/runs/{run.pk}/").status_code == 404
    assert client.post(f"/review/runs/{run.pk}/cancel").status_code == 404
    assert client.get(f"/review/sessions/{transcript.session_id}/run/").status_code == 404
