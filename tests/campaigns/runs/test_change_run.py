"""The command that changes a run does and refuses what its page and the API do."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from campaigns.actions import pausing, plans
from campaigns.models import AuditEntry, LaneRun, Run
from extraction.llm.prices import Prices
from tests.campaigns.runs.conftest import planned_run
from tests.factories import make_transcript

PRICED = Prices(prompt=1_000.0, cached=1_000.0, completion=1_000.0, currency="EUR")


def change(*arguments: object) -> str:
    """Return what the command prints."""
    out = StringIO()
    call_command("change_run", *map(str, arguments), stdout=out)
    return out.getvalue()


def refused(*arguments: object) -> str:
    """Return the one sentence of a command that must refuse."""
    with pytest.raises(CommandError) as error:
        change(*arguments)
    assert error.value.returncode == 1
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_run_is_paused_resumed_and_cancelled(lane: LaneRun) -> None:
    told = [change(lane.run_id, act) for act in ("pause", "resume", "cancel")]

    assert told == [f"Run {lane.run_id} is {state}.\n" for state in ("paused", "running", "cancelled")]
    assert Run.objects.get().state == Run.State.CANCELLED
    assert [entry.act for entry in AuditEntry.objects.order_by("pk")][-3:] == ["run.pause", "run.resume", "run.cancel"]


def test_a_run_at_its_caps_resumes_with_higher_ones(db: None) -> None:
    run = planned_run(plans.PlannedLane("dnd/npcs", 0, "default", prices=PRICED))
    run.lanes.update(prompt_tokens=500)
    Run.objects.update(token_cap=500, cost_cap=Decimal("0.5"))
    pausing.pause(run=run, by=None)

    assert "raise the cap" in refused(run.pk, "resume")
    assert "raise the cap" in refused(run.pk, "resume", "--token-cap", 501)
    change(run.pk, "resume", "--token-cap", 501, "--cost-cap", "0.5001")

    run.refresh_from_db()
    assert (run.state, run.token_cap, run.cost_cap) == (Run.State.RUNNING, 501, Decimal("0.5001"))


@pytest.mark.parametrize(
    ("state", "act", "said"),
    [
        (Run.State.SUCCEEDED, "cancel", "This run is succeeded already."),
        (Run.State.CANCELLED, "pause", "This run is cancelled already."),
        (Run.State.QUEUED, "resume", "This run is queued, not paused."),
    ],
)
def test_an_act_that_is_not_possible_is_refused_as_on_the_page(lane: LaneRun, state: str, act: str, said: str) -> None:
    Run.objects.update(state=state)

    assert refused(lane.run_id, act) == said
    assert Run.objects.get().state == state


@pytest.mark.parametrize("number", [0, 999, -1, 2**63, 10**30], ids=str)
def test_a_run_that_is_not_there_is_one_sentence(db: None, number: int) -> None:
    assert refused("--", number, "cancel") == f"There is no run {number}."


@pytest.mark.parametrize(
    "caps",
    [("--token-cap", "0"), ("--token-cap", str(2**63)), ("--cost-cap", "0"), ("--cost-cap", "1.50")],
    ids=["no tokens", "beyond the database", "free", "without prices"],
)
def test_a_cap_that_makes_no_sense_leaves_the_run_paused(lane: LaneRun, caps: tuple[str, ...]) -> None:
    pausing.pause(run=lane.run, by=None)

    assert refused(lane.run_id, "resume", *caps).startswith("A cap on ")
    assert Run.objects.get().state == Run.State.PAUSED


def test_a_cap_goes_with_resume_alone(lane: LaneRun) -> None:
    assert "resume" in refused(lane.run_id, "cancel", "--token-cap", 5)
    assert Run.objects.get().state != Run.State.CANCELLED


@pytest.mark.parametrize("given", ["abc", "", "NaN", "Infinity", "1.00001", "123456789", "1e-9"])
@pytest.mark.parametrize("command", ["change_run", "run_pipeline"])
def test_an_amount_that_is_none_is_told_and_changes_nothing(lane: LaneRun, command: str, given: str) -> None:
    session = make_transcript().session
    before = Run.objects.count()
    start = ("--campaign", session.campaign.slug, "--session", str(session.number))
    arguments = start if command == "run_pipeline" else (str(lane.run_id), "resume")
    with pytest.raises(CommandError, match="an amount is a number"):
        call_command(command, *arguments, f"--cost-cap={given}")

    assert Run.objects.count() == before
