"""What binds to a slot, from a run or from the archive, and what is refused where nothing does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from campaigns.actions import bindings, plans, runs, versions
from campaigns.actions.plans import PlannedLane
from campaigns.actions.work import work
from campaigns.models import ArtifactVersion, LaneRun, Run, Transcript
from extraction.codes import Code
from extraction.errors import PipelineError
from tests import factories, standard
from tests.loopback import ScriptedServer

LANE = "dnd/combat-turns"
STRICT = "dnd/npc-occurrences"
PENDING, APPROVED, REJECTED, SUPERSEDED = "pending", "approved", "rejected", "superseded"
OLD, NEW = 0, 1

ARCHIVED = [
    pytest.param("npcs", [], None, id="none"),
    pytest.param("npcs", [(NEW, PENDING)], (1, "latest"), id="pending"),
    pytest.param("npcs", [(NEW, APPROVED)], (1, "approved"), id="approved"),
    pytest.param("npcs", [(NEW, APPROVED), (NEW, PENDING)], (1, "approved"), id="approved-before-a-newer-one"),
    pytest.param("npcs", [(NEW, REJECTED)], None, id="rejected"),
    pytest.param("npcs", [(NEW, SUPERSEDED)], None, id="superseded"),
    pytest.param("npcs", [(NEW, SUPERSEDED), (NEW, REJECTED), (NEW, PENDING)], (3, "latest"), id="newest-usable"),
    pytest.param("npcs", [(NEW, APPROVED), (NEW, REJECTED)], (1, "approved"), id="approved-before-a-rejected-one"),
    pytest.param("npcs", [(OLD, PENDING)], None, id="pending-of-another-revision"),
    pytest.param("npcs", [(OLD, APPROVED)], (1, "approved"), id="approved-of-another-revision"),
    pytest.param("npcs", [(OLD, APPROVED), (NEW, PENDING)], (1, "approved"), id="approved-of-another-before-pending"),
    pytest.param("scenes", [(NEW, PENDING)], (1, "latest"), id="scenes"),
    pytest.param("scenes", [(NEW, APPROVED)], (1, "approved"), id="scenes-approved"),
    pytest.param("scenes", [(OLD, APPROVED)], None, id="scenes-of-another-revision"),
    pytest.param("scenes", [(OLD, APPROVED), (NEW, PENDING)], (2, "latest"), id="scenes-of-this-revision"),
]


@pytest.fixture
def revisions(db: None) -> tuple[Transcript, Transcript]:
    old = factories.make_transcript()
    return old, factories.make_transcript(old.session, standard.UNITS[:30])


@pytest.mark.parametrize(("slot", "archive", "expected"), ARCHIVED)
def test_bind_takes_from_the_archive(
    revisions: tuple[Transcript, Transcript],
    slot: str,
    archive: Sequence[tuple[int, str]],
    expected: tuple[int, str] | None,
) -> None:
    for revision, state in archive:
        factories.make_version(revisions[revision], lane=f"dnd/{slot}", state=state)

    bound = bindings.bind(lane=LANE, transcript=revisions[NEW])

    found = {name: (reference.version, reference.why) for name, reference in bound.items()}
    assert found == ({} if expected is None else {slot: expected})


def test_bind_does_not_look_into_another_session(revisions: tuple[Transcript, Transcript]) -> None:
    factories.make_version(factories.make_transcript(), state=APPROVED)

    assert bindings.bind(lane=LANE, transcript=revisions[NEW]) == {}


def test_bind_of_required_slot_with_nothing_is_unbound(revisions: tuple[Transcript, Transcript]) -> None:
    factories.make_version(revisions[NEW], state=REJECTED)

    with pytest.raises(PipelineError, match=r"Run dnd/npcs first") as caught:
        bindings.bind(lane=STRICT, transcript=revisions[NEW])

    assert caught.value.code is Code.PIPELINE_UNBOUND


def run_of(transcript: Transcript, *keys: str, outputs: dict[str, int] | None = None) -> Run:
    plan: dict[str, Any] = plans.to_json([PlannedLane(key, at, "default") for at, key in enumerate(keys)])
    for lane, version in (outputs or {}).items():
        plan = plans.with_output(plan, lane, version)
    return factories.make_run(transcript, lanes=keys, plan=plan)


@pytest.mark.parametrize("state", [PENDING, REJECTED, SUPERSEDED])
def test_bind_in_a_run_takes_that_lanes_output_alone(revisions: tuple[Transcript, Transcript], state: str) -> None:
    own = factories.make_version(revisions[NEW], state=state)
    factories.make_version(revisions[NEW], state=APPROVED)
    run = run_of(revisions[NEW], "dnd/npcs", LANE, outputs={"dnd/npcs": own.pk})

    bound = bindings.bind(lane=LANE, transcript=revisions[NEW], run=run)

    assert (bound["npcs"].version, bound["npcs"].why) == (own.number, "run")


@pytest.mark.parametrize("lane", [LANE, STRICT])
def test_bind_in_a_run_whose_lane_gave_nothing_is_unbound(revisions: tuple[Transcript, Transcript], lane: str) -> None:
    """Even for an optional slot: an older registry must not stand in for the one that this run was to make."""
    factories.make_version(revisions[NEW], state=APPROVED)

    with pytest.raises(PipelineError) as caught:
        bindings.bind(lane=lane, transcript=revisions[NEW], run=run_of(revisions[NEW], "dnd/npcs", lane))

    assert caught.value.code is Code.PIPELINE_UNBOUND


def test_bound_reference_has_payload_and_member_names(revisions: tuple[Transcript, Transcript]) -> None:
    payload = factories.npcs_payload(revisions[NEW])
    records: Any = payload["npcs"]
    voss = records[-1]
    applied = {"id": voss["id"], "members": [{"name": "Aurelio Voss"}, {"name": "Captain Voss"}]}
    factories.make_version(revisions[NEW], consolidations={"applied": [applied]})

    bound = bindings.bind(lane=LANE, transcript=revisions[NEW])["npcs"]

    assert bound.payload == payload
    assert bound.members == {voss["id"]: ["Aurelio Voss", "Captain Voss"]}


def test_start_without_a_bindable_registry_is_refused(revisions: tuple[Transcript, Transcript]) -> None:
    lanes = ["npc-occurrences", "item-occurrences", "combat-turns"]

    with pytest.raises(PipelineError) as caught:
        runs.start(session=revisions[NEW].session, pipeline=plans.default_pipeline(), lanes=lanes, by=None)

    sentence = str(caught.value)
    assert caught.value.code is Code.PIPELINE_UNBOUND
    assert [key for key in ("dnd/npcs", "dnd/items", *map("dnd/{}".format, lanes[:2])) if key not in sentence] == []
    assert "combat" not in sentence
    assert not Run.objects.exists()


def test_start_with_the_producing_lane_in_the_run_is_accepted(revisions: tuple[Transcript, Transcript]) -> None:
    lanes = ["npcs", "npc-occurrences"]
    run = runs.start(session=revisions[NEW].session, pipeline=plans.default_pipeline(), lanes=lanes, by=None)

    planned = plans.from_json(run.plan)
    assert planned["dnd/npc-occurrences"].needs == ("dnd/npcs",)
    assert planned["dnd/npcs"].needs == ()


def test_unbound_run_over_the_api_is_a_problem_with_its_code(client: Client, transcript: Transcript, gm: User) -> None:
    client.force_login(gm)
    wanted = {"pipeline": "complete", "lanes": ["npc-occurrences"]}

    response = client.post("/api/v1/campaigns/salt-ferry/sessions/3/runs", wanted, content_type="application/json")

    assert (response.status_code, response.json()["code"]) == (422, Code.PIPELINE_UNBOUND)
    assert "dnd/npcs" in response.json()["detail"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> ScriptedServer:
    """An endpoint that counts; the test enters it."""
    server = ScriptedServer()
    monkeypatch.setenv("NOTARIUS_LLM_BASE_URL", server.base_url)
    monkeypatch.setenv("NOTARIUS_LLM_MODEL", "test-model")
    return server


def test_unbound_run_makes_no_call(server: ScriptedServer, transcript: Transcript) -> None:
    where = ("--campaign", "salt-ferry", "--session", "3", "--lanes", "npc-occurrences", "--inline")
    with server, pytest.raises(CommandError, match="Run dnd/npcs first"):
        call_command("run_pipeline", *where)

    assert len(server.requests) == 0
    assert not Run.objects.exists()


def test_registry_rejected_after_the_start_fails_the_lane_before_any_call(
    server: ScriptedServer, transcript: Transcript, gm: User
) -> None:
    version = factories.make_version(transcript)
    runs.start(session=transcript.session, pipeline=plans.default_pipeline(), lanes=["npc-occurrences"], by=None)
    versions.reject(version_id=version.pk, note="", by=gm)
    lane = LaneRun.objects.get()

    with server:
        outcome = work(lane_id=lane.pk)

    lane.refresh_from_db()
    assert (outcome, lane.state, lane.error_code) == (Code.PIPELINE_UNBOUND, LaneRun.State.FAILED, outcome)
    assert len(server.requests) == 0
    assert ArtifactVersion.objects.count() == 1
