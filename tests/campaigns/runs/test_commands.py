from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from campaigns.actions import leases, pulses, runs
from campaigns.management import following
from campaigns.models import AuditEntry, Campaign, Exchange, LaneRun, Run, Transcript
from campaigns.remedies import REMEDIES, remedy_for
from extraction.codes import Code
from tests import factories
from tests.loopback import ScriptedServer, failure

State = LaneRun.State
OWN_PIPELINE = 'name = "mine"\n[[steps]]\n[[steps.lanes]]\nlane = "dnd/npcs"\n'


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign, 3))


def run_pipeline(*arguments: str, campaign: str = "salt-ferry", session: str = "3") -> None:
    call_command("run_pipeline", "--campaign", campaign, "--session", session, *arguments)


def test_run_pipeline_alone_only_queues(transcript: Transcript, capsys: pytest.CaptureFixture[str]) -> None:
    run_pipeline()

    assert Run.objects.get().state == Run.State.QUEUED
    assert transcript.source_id in capsys.readouterr().out


def test_run_pipeline_inline_does_the_work(transcript: Transcript, capsys: pytest.CaptureFixture[str]) -> None:
    run_pipeline("--inline")

    shown = capsys.readouterr()
    assert Run.objects.get().state == Run.State.SUCCEEDED
    assert "succeeded" in shown.out
    assert "10 of 10 lanes" in shown.err


def test_run_pipeline_takes_a_file_and_short_lane_names(transcript: Transcript, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(OWN_PIPELINE, encoding="utf-8")

    run_pipeline("--pipeline", str(file), "--lanes", "npcs", "--inline")

    run = Run.objects.get()
    assert (run.pipeline, run.state) == ("mine", Run.State.SUCCEEDED)


def test_run_pipeline_of_a_file_in_the_wrong_order_is_one_sentence(transcript: Transcript, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(OWN_PIPELINE + '[[steps.lanes]]\nlane = "dnd/spells"\n', encoding="utf-8")

    with pytest.raises(CommandError, match=r"^mine\.toml: steps\.0\.lanes\.1\.lane: .*earlier step\.$"):
        run_pipeline("--pipeline", str(file))

    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        pytest.param({"campaign": "nowhere"}, "nowhere", id="campaign"),
        pytest.param({"session": "9"}, "9", id="session"),
        pytest.param({"pipeline": "nothing"}, "npcs-only", id="pipeline"),
        pytest.param({"pipeline": "no/such.toml"}, "no/such.toml", id="file"),
        pytest.param({"lanes": "npcs,dragons"}, "dnd/dragons", id="lane"),
        pytest.param({"lanes": " , "}, "lane", id="no-lane"),
    ],
)
def test_run_pipeline_with_a_mistake_is_one_sentence(
    transcript: Transcript, arguments: dict[str, str], named: str
) -> None:
    given = {"campaign": "salt-ferry", "session": "3", **arguments}

    with pytest.raises(CommandError, match=named):
        call_command("run_pipeline", *[part for name, value in given.items() for part in (f"--{name}", value)])

    assert not Run.objects.exists()


def test_run_pipeline_over_a_binary_file_is_one_sentence(transcript: Transcript, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(CommandError, match="UTF-8"):
        run_pipeline("--pipeline", str(file))


def test_run_pipeline_that_fails_shows_code_and_remedy(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(failure(401, message="no")) as server:
        monkeypatch.setenv("NOTARIUS_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("NOTARIUS_LLM_MODEL", "test-model")
        with pytest.raises(CommandError) as caught:
            run_pipeline("--inline")

    assert Code.LLM_AUTHENTICATION in str(caught.value)
    assert remedy_for(Code.LLM_AUTHENTICATION) in str(caught.value)


def test_ctrl_c_inline_leaves_the_lane_in_the_queue(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("campaigns.actions.work.run_lane", interrupt)

    with pytest.raises(CommandError, match="back in the queue"):
        run_pipeline("--pipeline", "npcs-only", "--inline")

    lane = LaneRun.objects.get()
    assert (lane.state, lane.attempts) == (State.QUEUED, 0)


def test_ctrl_c_while_waiting_leaves_the_run_going(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("campaigns.management.following.time.sleep", interrupt)

    with pytest.raises(CommandError, match="goes on"):
        run_pipeline("--wait")

    assert Run.objects.get().state == Run.State.QUEUED


@pytest.mark.parametrize("alive", [False, True])
def test_waiting_says_when_no_worker_is_running(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], alive: bool
) -> None:
    if alive:
        pulses.stamp(kind=pulses.SUPERVISOR, name="here:1", at=timezone.now())

    def cancel(_: float) -> None:
        runs.cancel(run=Run.objects.get(), by=None)

    monkeypatch.setattr("campaigns.management.following.time.sleep", cancel)

    with pytest.raises(CommandError, match="cancelled"):
        run_pipeline("--wait")

    assert ("No worker is running" in capsys.readouterr().err) is not alive


def test_inline_takes_over_from_a_worker_that_died(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    run = factories.make_run(transcript, state=Run.State.RUNNING)
    run.plan = {
        "lanes": [{"lane": "dnd/npcs", "step": 0, "profile": "default", "retries": {"extract": 0}, "needs": []}]
    }
    run.save()
    LaneRun.objects.update(token="0" * 32, attempts=1, lease_until=timezone.now() - timedelta(seconds=1))
    monkeypatch.setattr("campaigns.management.following.LOOK_S", 0.01)

    with Path("/dev/null").open("w", encoding="utf-8") as nowhere:
        following.work_inline(run, label="x", stream=nowhere)

    lane = LaneRun.objects.get()
    assert (lane.state, lane.attempts) == (State.SUCCEEDED, 2)
    assert leases.MAX_ATTEMPTS > 2


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "told"), [(io.StringIO(), True), (Terminal(), False)], ids=["log", "terminal"])
def test_log_lines_of_lanes_do_not_run_through_a_progress_bar(
    transcript: Transcript, caplog: pytest.LogCaptureFixture, stream: io.StringIO, told: bool
) -> None:
    run_pipeline("--pipeline", "npcs-only")
    following.work_inline(Run.objects.get(), label="x", stream=stream)

    assert Run.objects.get().state == Run.State.SUCCEEDED
    assert ("lane claimed" in caplog.text) is told


def test_a_log_counts_a_lane_once_it_has_ended_and_not_at_its_last_chunk(transcript: Transcript) -> None:
    run = factories.make_run(transcript, lanes=("dnd/npcs", "dnd/locations"), state=Run.State.RUNNING)
    run.lanes.filter(key="dnd/npcs").update(state=State.SUCCEEDED)
    run.lanes.filter(key="dnd/locations").update(state=State.RUNNING, chunks_done=3, chunks_total=3)
    log = io.StringIO()
    bar = following.Bar("x", log)

    bar.show_run(run)
    bar.watching(run, "dnd/locations")(3, 3)
    before = log.getvalue()
    run.lanes.update(state=State.SUCCEEDED)
    bar.show_run(run)

    assert before == "x: 1 of 2 lanes\n"
    assert log.getvalue() == before + "x: 2 of 2 lanes\n"


def test_remedies_name_codes_that_exist() -> None:
    assert set(REMEDIES) <= set(Code)


def kept_exchanges(transcript: Transcript) -> None:
    lane = factories.make_lane_run(transcript)
    for days in (0, 10):
        row = Exchange.objects.create(lane=lane, prompt_id="p", request=b"", reply=b"", outcome="ok", provider="rules")
        Exchange.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=days))


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        pytest.param((), 0, id="all"),
        pytest.param(("--older-than", "5"), 2, id="old"),
        pytest.param(("--campaign", "salt-ferry"), 2, id="campaign"),
        pytest.param(("--campaign", "salt-ferry", "--older-than", "5"), 3, id="old-of-campaign"),
        pytest.param(("--dry-run",), 4, id="dry-run"),
    ],
)
def test_purge_removes_what_is_named(
    transcript: Transcript, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], left: int
) -> None:
    kept_exchanges(transcript)
    kept_exchanges(factories.make_transcript())

    call_command("purge", "--exchanges", *arguments)

    counted = 4 if "--dry-run" in arguments else 4 - left
    assert Exchange.objects.count() == left
    assert capsys.readouterr().out.startswith(f"{counted} exchanges")
    assert AuditEntry.objects.filter(act="exchanges.purge").exists() is ("--dry-run" not in arguments)


@pytest.mark.parametrize(
    "arguments",
    [("--older-than", "1"), ("--exchanges", "--older-than", "-1"), ("--exchanges", "--campaign", "nowhere")],
    ids=["age-of-nothing-named", "negative-age", "unknown-campaign"],
)
def test_purge_with_a_mistake_is_one_sentence(transcript: Transcript, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        call_command("purge", *arguments)
