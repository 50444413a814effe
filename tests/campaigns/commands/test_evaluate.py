from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from campaigns.actions import versions
from campaigns.models import ArtifactVersion, Campaign, Exchange, LaneRun, Run, Transcript
from tests import factories
from tests.campaigns.commands.conftest import Refused
from tests.campaigns.commands.conftest import Run as RunCommand
from tests.standard import NPCS, UNITS

SESSION = ("--campaign", "salt-ferry", "--session", "1")
Ranges = Mapping[str, Sequence[tuple[int, int]]]


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Labels of the standard document's four people."""
    return gold_file(tmp_path / "gold.json", NPCS)


def gold_file(file: Path, npcs: Ranges, **lanes: object) -> Path:
    records = [
        {"name": name, "source_refs": [{"start_unit_id": start, "end_unit_id": end} for start, end in ranges]}
        for name, ranges in npcs.items()
    ]
    labels = {"schema": "notarius.gold.v1", "lanes": {"dnd/npcs": {"records": records}, **lanes}}
    file.write_text(json.dumps(labels), encoding="utf-8")
    return file


def evaluated(run: RunCommand, gold: Path, tmp_path: Path, *arguments: object) -> Any:
    """Return what the command writes as JSON about the NPCs."""
    out = tmp_path / "out.json"
    run("evaluate", gold, *SESSION, "--json", out, *arguments)
    return json.loads(out.read_bytes())["lanes"]["dnd/npcs"]


def test_evaluate_prints_a_row_for_each_lane(run: RunCommand, transcript: Transcript, gold: Path) -> None:
    factories.make_version(transcript)
    rows = [line.split() for line in run("evaluate", gold, *SESSION).splitlines() if line.startswith("dnd/npcs ")]

    assert rows[0] == ["dnd/npcs", "4", "4", "1.000", "1.000", "1.000", "1.000", "1.000", "-", "0", "0"]
    assert rows[1][-2:] == ["v1", "pending"]


def test_evaluate_scores_the_latest_unless_told_otherwise(
    run: RunCommand, transcript: Transcript, gold: Path, tmp_path: Path
) -> None:
    factories.make_version(transcript, state="approved")
    factories.make_version(transcript, {"Wick": [(50, 52)]})

    assert evaluated(run, gold, tmp_path)["recall"] == 0.25
    assert evaluated(run, gold, tmp_path, "--status", "approved")["recall"] == 1.0
    assert evaluated(run, gold, tmp_path, "--version", "2")["artifact"] == "v2 pending"


def test_evaluate_knows_the_names_that_a_version_united(
    run: RunCommand, transcript: Transcript, gold: Path, tmp_path: Path
) -> None:
    record = factories.npcs_payload(transcript, {"Wick": [(50, 52)]})["npcs"]
    assert isinstance(record, list)
    members = [{"name": "Wick"}, {"name": "Mother Quillon"}]
    applied = {"applied": [{"id": record[0]["id"], "members": members}]}
    factories.make_version(transcript, {"Wick": [(50, 52)]}, consolidations=applied)

    assert evaluated(run, gold, tmp_path)["false_merges"] == 1


def test_evaluate_scores_exported_files(run: RunCommand, transcript: Transcript, gold: Path, tmp_path: Path) -> None:
    file = tmp_path / "npcs.json"
    file.write_text(json.dumps(factories.npcs_payload(transcript, {"Wick": [(50, 52)]})), encoding="utf-8")
    score = evaluated(run, gold, tmp_path, "--artifact", file)

    assert (score["artifact"], score["recall"], score["usage"]["calls"]) == ("npcs.json", 0.25, None)


def test_evaluate_reports_what_the_lane_run_cost(
    run: RunCommand, transcript: Transcript, gold: Path, tmp_path: Path
) -> None:
    began = timezone.now()
    of_run = factories.make_run(transcript, state=Run.State.SUCCEEDED)
    LaneRun.objects.filter(run=of_run).update(
        calls=2,
        prompt_tokens=200,
        cached_tokens=50,
        completion_tokens=20,
        started_at=began,
        finished_at=began + timedelta(seconds=3),
    )
    lane = of_run.lanes.get()
    for latency in (100, 300):
        Exchange.objects.create(
            lane=lane,
            prompt_id="p",
            request=b"",
            reply=b"",
            outcome="ok",
            provider="openai",
            model="m",
            latency_ms=latency,
        )
    versions.publish(lane_run=lane, result=factories.make_result(transcript))

    assert evaluated(run, gold, tmp_path)["usage"] == {
        "models": ["openai m"],
        "calls": 2,
        "prompt_tokens": 200,
        "completion_tokens": 20,
        "cached_share": 0.25,
        "latency_ms": 200.0,
        "seconds": 3.0,
    }


def test_evaluate_charges_a_reviews_version_to_the_run_it_goes_back_to(
    run: RunCommand, transcript: Transcript, gold: Path, tmp_path: Path
) -> None:
    lane = factories.make_run(transcript, state=Run.State.SUCCEEDED).lanes.get()
    LaneRun.objects.filter(pk=lane.pk).update(calls=5)
    extracted = versions.publish(lane_run=lane, result=factories.make_result(transcript))
    ArtifactVersion.objects.create(
        artifact=extracted.artifact,
        number=2,
        state=ArtifactVersion.State.APPROVED,
        origin=ArtifactVersion.Origin.REVIEW,
        parent=extracted,
        transcript=transcript,
        payload=extracted.payload,
        digest=extracted.digest,
        record_count=extracted.record_count,
    )
    score = evaluated(run, gold, tmp_path, "--status", "approved")

    assert (score["artifact"], score["usage"]["calls"]) == ("v2 approved", 5)


def test_evaluate_run_makes_what_it_scores(run: RunCommand, transcript: Transcript, gold: Path, tmp_path: Path) -> None:
    score = evaluated(run, gold, tmp_path, "--run", "--pipeline", "npcs-only")

    assert Run.objects.get().state == Run.State.SUCCEEDED
    assert score["artifact"] == "v1 pending"
    assert score["usage"]["models"][0].startswith("rules")
    assert score["usage"]["calls"] > 0


def test_evaluate_compares_with_an_evaluation_written_before(
    run: RunCommand, transcript: Transcript, gold: Path, tmp_path: Path
) -> None:
    before = tmp_path / "before.json"
    factories.make_version(transcript, {"Wick": [(50, 52)]}, state="approved")
    run("evaluate", gold, *SESSION, "--json", before)
    factories.make_version(transcript)
    rows = [line.split() for line in run("evaluate", gold, *SESSION, "--compare", before).splitlines()]

    assert ["dnd/npcs", "recall", "1.000", "0.250", "+0.750"] in rows


def test_evaluate_details_list_what_was_missed(run: RunCommand, transcript: Transcript, gold: Path) -> None:
    factories.make_version(transcript, {"Wick": [(50, 52)], "Marigold": [(18, 18)]})
    lines = run("evaluate", gold, *SESSION, "--details").splitlines()

    assert "dnd/npcs: missed 3: Harbourmaster Dell; Mother Quillon; Aurelio Voss" in lines
    assert "dnd/npcs: unexpected 1: Marigold" in lines


def test_evaluate_leaves_out_lanes_that_have_no_version(
    run: RunCommand, transcript: Transcript, tmp_path: Path
) -> None:
    gold = gold_file(tmp_path / "gold.json", NPCS, **{"dnd/spells": {"records": []}})
    factories.make_version(transcript)

    assert "dnd/spells" not in run("evaluate", gold, *SESSION)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        pytest.param(("--lanes", "spells"), "no labels of dnd/spells", id="lane-not-labelled"),
        pytest.param(("--lanes", ","), "no labels of no lane", id="no-lane"),
        pytest.param(("--status", "approved"), "nothing to score", id="nothing-approved"),
        pytest.param(("--version", "7"), "nothing to score", id="no-such-version"),
        pytest.param(("--version", str(10**30)), "nothing to score", id="huge-version"),
        pytest.param(("--version", "1", "--run"), "not allowed with", id="version-and-run"),
        pytest.param(("--pipeline", "npcs-only"), "--run", id="pipeline-without-run"),
        pytest.param(("--run", "--pipeline", "dragons"), "no pipeline 'dragons'", id="no-such-pipeline"),
        pytest.param(("--compare", "nowhere.json"), "no file", id="nothing-to-compare"),
        pytest.param(("--json", "no/such/folder/out.json"), "cannot be written", id="folder-missing"),
        pytest.param(("--artifact", "nowhere.json"), "no file", id="no-artifact"),
    ],
)
def test_evaluate_refuses_in_one_sentence(
    refused: Refused, transcript: Transcript, gold: Path, arguments: tuple[str, ...], named: str
) -> None:
    factories.make_version(transcript)

    assert named in refused("evaluate", gold, *SESSION, *arguments)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        pytest.param(b"{", "valid JSON", id="cut"),
        pytest.param(b'{"schema": "notarius.dnd.npcs.v2", "source": {"digest": ""}}', "schema", id="other-schema"),
        pytest.param(
            b'{"schema": "notarius.dnd.npcs.v1", "source": {"digest": ""}, "npcs": []}', "other units", id="digest"
        ),
    ],
)
def test_evaluate_refuses_a_file_that_is_no_artifact(
    refused: Refused, transcript: Transcript, gold: Path, tmp_path: Path, content: bytes, named: str
) -> None:
    file = tmp_path / "artifact.json"
    file.write_bytes(content)

    assert named in refused("evaluate", gold, *SESSION, "--artifact", file)


def test_evaluate_refuses_two_files_of_one_lane(
    refused: Refused, transcript: Transcript, gold: Path, tmp_path: Path
) -> None:
    file = tmp_path / "npcs.json"
    file.write_text(json.dumps(factories.npcs_payload(transcript)), encoding="utf-8")

    assert "second artifact" in refused("evaluate", gold, *SESSION, "--artifact", file, "--artifact", file)


def test_evaluate_refuses_a_file_of_a_lane_without_labels(
    refused: Refused, transcript: Transcript, gold: Path, tmp_path: Path
) -> None:
    file = tmp_path / "spells.json"
    source = factories.npcs_payload(transcript)["source"]
    file.write_text(json.dumps({"schema": "notarius.dnd.spells.v1", "source": source, "spells": []}), encoding="utf-8")

    assert "dnd/spells, which is not labelled" in refused("evaluate", gold, *SESSION, "--artifact", file)


def test_evaluate_refuses_labels_of_units_that_do_not_exist(
    refused: Refused, transcript: Transcript, tmp_path: Path
) -> None:
    gold = gold_file(tmp_path / "gold.json", {"Wick": [(50, 999)]})

    assert "no unit 999" in refused("evaluate", gold, *SESSION)


def test_evaluate_refuses_a_version_of_an_older_transcript(
    refused: Refused, transcript: Transcript, gold: Path
) -> None:
    factories.make_version(transcript)
    factories.make_transcript(transcript.session, UNITS[:-1])

    assert "revision 1" in refused("evaluate", gold, *SESSION)


def test_evaluate_refuses_a_session_without_transcript(refused: Refused, campaign: Campaign, gold: Path) -> None:
    factories.make_session(campaign)

    assert "no transcript" in refused("evaluate", gold, *SESSION)


def test_evaluate_refuses_to_run_a_lane_that_the_pipeline_lacks(
    refused: Refused, transcript: Transcript, tmp_path: Path
) -> None:
    gold = gold_file(tmp_path / "gold.json", NPCS, **{"dnd/spells": {"records": []}})

    assert "dnd/spells" in refused("evaluate", gold, *SESSION, "--run", "--pipeline", "npcs-only", "--lanes", "spells")
    assert not Run.objects.exists()
