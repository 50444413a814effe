from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from extraction.codes import Code
from extraction.dnd.npcs.extract import NpcsReply
from extraction.errors import InvalidCompletion, PromptError
from extraction.lanes.calls import PreparedCall, parse, prepare, prompt_identity
from extraction.lanes.job import LaneJob
from extraction.lanes.ports import drop_exchange
from extraction.llm.profiles import Profile, ProviderKind, SchemaLayout
from extraction.llm.schema import lint_strict
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.catalog import Catalog, Prompt
from extraction.registry import CHUNK_REPLIES, LANES
from tests.extraction import story
from tests.extraction.story import EXTRACT, RECONCILE, make_job
from tests.leaks import Leaks

GOOD = story.npcs_reply({"Wick": [(50, 52)]})
MATERIALS: dict[str, Any] = {
    "gm": {},
    "party": [],
    "glossary": [],
    "context": {"before": [], "after": []},
    "transcript": [],
}


class OtherReply(BaseModel):
    model_config = ConfigDict(extra="forbid")

    others: list[str]


OTHER = Prompt("dnd/other.extract", "other", (), "0" * 64)
TWO_TASKS = Catalog({EXTRACT: story.CATALOG[EXTRACT], RECONCILE: story.CATALOG[RECONCILE], OTHER.id: OTHER})
TOGETHER = SchemaLayout.ENVELOPE


def two_tasks(client: ScriptedClient, **options: Any) -> LaneJob:
    """A job whose envelope has places for two tasks, under a profile with these options."""
    profile = Profile(provider=ProviderKind.OPENAI, base_url="https://one.example/v1", model="m", **options)
    envelope: dict[str, type[BaseModel]] = {EXTRACT: NpcsReply, OTHER.id: OtherReply}
    return make_job(client, catalog=TWO_TASKS, profile=profile, envelope=envelope)


def test_parse_returns_the_private_reply() -> None:
    reply = parse(NpcsReply, GOOD)

    assert [(given.name, given.source_refs[0].start_unit_id) for given in reply.npcs] == [("Wick", 50)]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(None, id="null"),
        pytest.param([], id="list"),
        pytest.param({}, id="empty"),
        pytest.param({**GOOD, "note": "Wick is nice"}, id="extra-field"),
        pytest.param({"npcs": [{"name": "Wick"}]}, id="field-missing"),
        pytest.param({"npcs": [{"name": 7, "source_refs": []}]}, id="no-coercion-to-text"),
        pytest.param(
            {"npcs": [{"name": "Wick", "source_refs": [{"start_unit_id": "50", "end_unit_id": 52}]}]}, id="text"
        ),
        pytest.param(
            {"npcs": [{"name": "Wick", "source_refs": [{"start_unit_id": 50.0, "end_unit_id": 52}]}]}, id="float"
        ),
        pytest.param(
            {"npcs": [{"name": "Wick", "source_refs": [{"start_unit_id": True, "end_unit_id": 52}]}]}, id="bool"
        ),
    ],
)
def test_parse_refuses_another_shape_without_quoting_it(data: Any, leaks: Leaks) -> None:
    with pytest.raises(InvalidCompletion) as raised:
        parse(NpcsReply, data)

    assert raised.value.code is Code.LLM_SCHEMA_MISMATCH
    assert raised.value.__cause__ is None
    assert leaks.found_in([raised.value]) == []


def prepared(**options: Any) -> PreparedCall:
    """Prepare a call for two units, with what the profile says of schemas."""
    return prepare(two_tasks(ScriptedClient(), **options), EXTRACT, NpcsReply, MATERIALS, [41, 7])


def test_prepare_leaves_the_schema_open_unless_the_profile_narrows_it() -> None:
    plain, tight = prepared().request, prepared(unit_id_enum=True, max_records=3).request

    assert "enum" not in str(plain.schema)
    assert "'enum': [41, 7]" in str(tight.schema)
    assert plain.messages == tight.messages
    assert (plain.prompt_id, plain.schema_name, plain.materials) == (EXTRACT, "npcs", MATERIALS)


def test_prepare_of_an_envelope_gives_every_task_a_place_that_may_be_null() -> None:
    call = prepared(schema_layout=TOGETHER)
    schema: Any = call.request.schema

    assert schema["required"] == list(schema["properties"]) == ["npcs", "other"]
    assert lint_strict(schema) == []
    assert call.place == "npcs"
    assert call.request.messages == prepared().request.messages


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param({"npcs": None, "other": {"others": []}}, id="answer-to-another-task"),
        pytest.param({"npcs": None, "other": None}, id="nothing"),
    ],
)
def test_complete_refuses_an_envelope_without_an_answer_to_this_task(reply: Any) -> None:
    client = ScriptedClient()
    client.enqueue(EXTRACT, reply)
    job = two_tasks(client, schema_layout=TOGETHER)
    call = prepare(job, EXTRACT, NpcsReply, MATERIALS)
    with pytest.raises(InvalidCompletion) as raised:
        call.complete(job, drop_exchange)

    assert raised.value.code is Code.LLM_SCHEMA_MISMATCH


def test_complete_takes_the_answer_out_of_its_place() -> None:
    client = ScriptedClient()
    client.enqueue(EXTRACT, {"npcs": GOOD, "other": None})
    job = two_tasks(client, schema_layout=TOGETHER)

    assert prepare(job, EXTRACT, NpcsReply, MATERIALS).complete(job, drop_exchange) == GOOD


ALL_TASKS = [pytest.param(prompt_id, reply, id=prompt_id) for prompt_id, reply in CHUNK_REPLIES.items()]
PLACES = {story.CATALOG[prompt_id].response: reply for prompt_id, reply in CHUNK_REPLIES.items()}


def nothing_found(reply: type[BaseModel]) -> dict[str, Any]:
    return {name: [] for name in reply.model_fields}


def prepared_together(client: ScriptedClient, prompt_id: str) -> tuple[LaneJob, PreparedCall]:
    """Prepare a call of one real task under the envelope of all of them, with everything the profile can narrow."""
    profile = Profile(
        provider=ProviderKind.OPENAI,
        base_url="https://one.example/v1",
        model="m",
        schema_layout=TOGETHER,
        unit_id_enum=True,
        max_records=9,
    )
    job = make_job(client, profile=profile, envelope=CHUNK_REPLIES)
    nothing: Any = {"before": [], "after": []}
    materials = {
        name: MATERIALS.get(name, nothing if name == "lead_in" else []) for name in job.catalog[prompt_id].materials
    }
    return job, prepare(job, prompt_id, CHUNK_REPLIES[prompt_id], materials, [41, 7])


def test_envelope_has_a_place_of_its_own_for_each_lane_that_shares_chunks() -> None:
    sharing = [lane for lane in LANES.values() if lane.shares_chunks]

    assert len(PLACES) == len(CHUNK_REPLIES) == len(sharing) == 9


@pytest.mark.parametrize(("prompt_id", "reply"), ALL_TASKS)
def test_envelope_of_all_lanes_is_one_strict_schema_whichever_lane_asks(prompt_id: str, reply: type[BaseModel]) -> None:
    _, call = prepared_together(ScriptedClient(), prompt_id)
    schema: Any = call.request.schema

    assert lint_strict(schema) == []
    assert schema == prepared_together(ScriptedClient(), EXTRACT)[1].request.schema
    assert call.request.schema_name == "answers"
    assert PLACES[str(call.place)] is reply


@pytest.mark.parametrize(("prompt_id", "reply"), ALL_TASKS)
def test_complete_reads_each_lanes_answer_from_its_place_alone(prompt_id: str, reply: type[BaseModel]) -> None:
    client = ScriptedClient()
    job, call = prepared_together(client, prompt_id)
    alone: Any = {place: nothing_found(reply) if place == call.place else None for place in PLACES}
    beside: Any = {place: None if place == call.place else nothing_found(other) for place, other in PLACES.items()}
    client.enqueue(prompt_id, alone, beside)

    assert call.complete(job, drop_exchange) == nothing_found(reply)
    with pytest.raises(InvalidCompletion) as raised:
        call.complete(job, drop_exchange)

    assert raised.value.code is Code.LLM_SCHEMA_MISMATCH


def test_prompt_identity_follows_the_schema_that_is_sent() -> None:
    flat = two_tasks(ScriptedClient())
    one = two_tasks(ScriptedClient(), schema_layout=TOGETHER)

    assert prompt_identity(flat, EXTRACT, NpcsReply) != prompt_identity(one, EXTRACT, NpcsReply)
    assert prompt_identity(flat, RECONCILE, NpcsReply) == prompt_identity(one, RECONCILE, NpcsReply)


@pytest.mark.parametrize(
    ("materials", "code"),
    [
        pytest.param({}, Code.PROMPT_MATERIAL_MISSING, id="missing"),
        pytest.param({**MATERIALS, "weather": []}, Code.PROMPT_MATERIAL_UNKNOWN, id="unknown"),
    ],
)
def test_prepare_refuses_materials_that_do_not_fit(materials: dict[str, Any], code: Code) -> None:
    with pytest.raises(PromptError) as raised:
        prepare(make_job(ScriptedClient()), EXTRACT, NpcsReply, materials)

    assert raised.value.code is code


def test_prompt_identity_is_digests_alone() -> None:
    identity = prompt_identity(make_job(ScriptedClient()), RECONCILE, NpcsReply)

    assert identity.keys() == {"id", "digest", "render", "reply"}
    assert identity["digest"] == story.CATALOG[RECONCILE].digest
