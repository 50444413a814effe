"""What spells and enemy events promise alike: what is asked, what may be answered, order, retries, fingerprints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.dnd.artifacts.schemas import ARTIFACTS, schema_file
from extraction.errors import LaneFailed, ProviderUnavailable
from extraction.findings import MAX_FINDINGS
from extraction.lanes.extract import extract_fingerprint
from extraction.lanes.job import Retries
from extraction.lanes.ports import LanePorts, MemoryCheckpoints
from extraction.lanes.run import prepare_chunk_request
from extraction.llm.boundary import Role
from extraction.llm.schema import response_schema
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.catalog import Catalog, Prompt
from extraction.registry import LANES
from tests.extraction import story
from tests.extraction.dnd.one_chunk_lanes import answering, codes, npcs, pairs, records, run, scenes
from tests.leaks import Leaks

KEYS = ("dnd/spells", "dnd/enemy-events")
BOTH = pytest.mark.parametrize("key", KEYS)
# A valid record of each lane, without its evidence. The lanes' own text fields come first.
GIVEN: dict[str, dict[str, JsonValue]] = {
    "dnd/spells": {"caster": "Pike", "spell": "light", "level": None, "targets": ["Wick"], "outcome": None},
    "dnd/enemy-events": {"enemy": "Voss", "kind": "appears", "detail": "stands in a boat", "actor": None},
}
NAMES = {"dnd/spells": "caster", "dnd/enemy-events": "enemy"}
REGISTRY = npcs("Harbourmaster Dell", "Wick", members={"Harbourmaster Dell": ["Dell", "Harbourmaster Dell"]})


def record(key: str, *refs: tuple[int, int], **changes: JsonValue) -> dict[str, JsonValue]:
    return GIVEN[key] | {"source_refs": story.ranges(refs or ((204, 204),))} | changes


def reply_of(key: str) -> type[BaseModel]:
    return LANES[key].extract.reply


@BOTH
def test_prompt_begins_like_every_chunk_prompt_and_goes_on_with_the_registry(key: str, catalog: Catalog) -> None:
    prompt, first = catalog[f"{key}.extract"], catalog[story.EXTRACT]
    boundary = next(at for at, part in enumerate(prompt.parts) if part.role is None)

    assert prompt.parts[: boundary + 1] == first.parts[: boundary + 1]
    after = ["lead_in"] if key == "dnd/enemy-events" else []
    assert [part.material for part in prompt.parts[boundary + 1 :]] == ["npcs", *after, None]
    assert {part.role for part in prompt.parts[boundary + 1 :]} == {Role.USER}


@BOTH
def test_request_shows_names_and_member_names_and_no_durable_id(key: str) -> None:
    request = prepare_chunk_request(LANES[key], story.make_job(ScriptedClient(), references=REGISTRY), 0)
    text = story.sent_text(request)

    assert request.materials["npcs"] == [
        {"name": "Harbourmaster Dell", "other_names": ["Dell"]},
        {"name": "Wick", "other_names": []},
    ]
    assert not re.findall(r"sha256|[0-9a-f]{64}|candidate-|npc:|salt-ferry", text)
    assert '"id"' not in text


@BOTH
@pytest.mark.parametrize("name", ["id", "npc_id", "caster_id", "source_id", "digest", "key", "anything"])
@pytest.mark.parametrize("place", ["reply", "record", "range"])
def test_reply_rejects_ids_and_every_other_key(key: str, place: str, name: str) -> None:
    given: dict[str, Any] = {LANES[key].records_key: [record(key)]}
    (first,) = given[LANES[key].records_key]
    reply_of(key).model_validate(given, strict=True)
    {"reply": given, "record": first, "range": first["source_refs"][0]}[place][name] = "x"

    with pytest.raises(ValidationError):
        reply_of(key).model_validate(given, strict=True)


@BOTH
def test_reply_requires_every_field(key: str) -> None:
    for field in record(key):
        given = record(key)
        del given[field]

        with pytest.raises(ValidationError):
            reply_of(key).model_validate({LANES[key].records_key: [given]}, strict=True)


@BOTH
def test_response_schema_asks_for_no_id(key: str) -> None:
    fields = {name for node in _objects(response_schema(reply_of(key))) for name in node["properties"]}

    assert {name for name in fields if name == "id" or name.endswith("_id")} == {"start_unit_id", "end_unit_id"}
    assert not fields & {"source_id", "digest", "key"}


@BOTH
@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"version": 2}, id="version"),
        pytest.param({"policies": ("another.policy.v1",)}, id="policy"),
    ],
)
def test_fingerprint_changes_with_the_lane(key: str, changes: dict[str, Any]) -> None:
    job = story.make_job(ScriptedClient())

    assert extract_fingerprint(replace(LANES[key], **changes), job) != extract_fingerprint(LANES[key], job)


@BOTH
def test_fingerprint_changes_with_prompt_schema_and_registry_content_and_no_version_number(key: str) -> None:
    lane, job = LANES[key], story.make_job(ScriptedClient(), references=REGISTRY)
    members = npcs("Harbourmaster Dell", "Wick", members={"Wick": ["The eel man"]})
    other_version = {"npcs": replace(REGISTRY["npcs"], version=9, why="another reason")}
    other_reply = replace(lane.extract, reply=reply_of(next(one for one in KEYS if one != key)))
    jobs = [
        replace(job, references={}),
        replace(job, references=npcs("Harbourmaster Dell", "Wick")),
        replace(job, references=members),
        replace(job, catalog=_edited(job.catalog, lane.extract.prompt)),
    ]
    found = [extract_fingerprint(lane, one) for one in (job, *jobs)]
    found.append(extract_fingerprint(replace(lane, extract=other_reply), job))

    assert len(set(found)) == len(found)
    assert extract_fingerprint(lane, replace(job, references=other_version)) == found[0]


@BOTH
def test_lane_makes_a_typed_artifact_that_its_schema_accepts(key: str) -> None:
    result = run(key, answering(key, {203: [record(key)]}), references=REGISTRY)
    folder = LANES[key].family.replace("-", "_")
    schema = json.loads((story.ASSETS / "dnd" / folder / "artifact.schema.json").read_text(encoding="utf-8"))

    assert result.payload["schema"] == f"notarius.dnd.{LANES[key].family}.v1"
    assert list(Draft202012Validator(schema).iter_errors(result.payload)) == []
    assert records(result) == [GIVEN[key] | {"source_refs": [story.ref(204, 204).as_json()]}]
    assert ARTIFACTS[folder].model_validate_json(json.dumps(result.payload))


@BOTH
def test_schema_file_is_made_from_the_model(key: str) -> None:
    folder = LANES[key].family.replace("-", "_")

    assert (story.ASSETS / "dnd" / folder / "artifact.schema.json").read_bytes() == schema_file(ARTIFACTS[folder])


@BOTH
def test_reversed_endpoints_reach_validation_in_document_order_without_a_retry(key: str) -> None:
    client = answering(key, {203: [record(key, (209, 204), (203, 203))]})
    (found,) = records(run(key, client))

    assert pairs(found) == [(203, 203), (204, 209)]
    assert len(client.requests) == 3


@BOTH
def test_records_stand_by_earliest_range_then_in_chunk_order_and_reply_order(key: str) -> None:
    name = NAMES[key]
    pages = {
        41: [record(key, (53, 53), **{name: "b"}), record(key, (41, 41), **{name: "a"})],
        203: [record(key, (203, 203), **{name: "c"}), record(key, (203, 203), **{name: "d"})],
    }

    assert [one[name] for one in records(run(key, answering(key, pages)))] == ["a", "b", "c", "d"]


@BOTH
@pytest.mark.parametrize(
    ("refs", "code"),
    [
        pytest.param((), Code.EVIDENCE_MISSING, id="none"),
        pytest.param(((204, 999),), Code.EVIDENCE_UNKNOWN_UNIT, id="unknown"),
        pytest.param(((41, 41),), Code.EVIDENCE_OUTSIDE_CHUNK, id="another-page"),
    ],
)
def test_invalid_evidence_is_retried_and_then_fails_the_lane(
    key: str, refs: tuple[tuple[int, int], ...], code: Code
) -> None:
    bad = GIVEN[key] | {"source_refs": story.ranges(refs)}
    client = answering(key, {203: [bad]})
    with pytest.raises(LaneFailed) as failed:
        run(key, client, retries=Retries(extract=1))

    assert code in codes(failed.value.findings)
    assert len(client.requests) == 4


@BOTH
def test_a_retry_starts_anew_and_finished_chunks_are_not_asked_again(key: str) -> None:
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    with pytest.raises(LaneFailed):
        run(key, answering(key, {203: [record(key, (41, 41))]}), ports)
    again = answering(key, {203: [record(key)]})
    result = run(key, again, ports)
    idle = answering(key, {})
    same = run(key, idle, ports)

    assert len(again.requests) == 1
    assert (idle.requests, same.digest) == ([], result.digest)


@BOTH
def test_an_operational_error_is_no_empty_list(key: str) -> None:
    client = ScriptedClient()
    client.enqueue(f"{key}.extract", ProviderUnavailable("no answer", code=Code.LLM_TIMEOUT))

    with pytest.raises(ProviderUnavailable):
        run(key, client, document=replace(story.DOCUMENT, units=story.DOCUMENT.units[:12]))


@BOTH
def test_a_session_without_any_has_an_empty_list(key: str) -> None:
    result = run(key, answering(key, {}), references=REGISTRY)

    assert (records(result), result.findings) == ([], ())


@BOTH
@pytest.mark.parametrize("mode", ["combat", "social", "exploration", "downtime", "table_talk", "other"])
def test_no_mode_of_a_scene_suppresses_a_call(key: str, mode: str) -> None:
    bound = scenes((mode, 41, 55), (mode, 7, 21), (mode, 203, 211))
    client = answering(key, {})
    run(key, client, references=bound)

    assert sorted(story.first_unit(request) for request in client.requests) == [7, 41, 203]


@BOTH
def test_relatedness_only_warns_and_the_report_is_bounded(key: str) -> None:
    field = "spell" if key == "dnd/spells" else "enemy"
    many = [record(key, (203, 203), **{field: f"Zzyzx {number}"}) for number in range(MAX_FINDINGS + 5)]
    result = run(key, answering(key, {203: many}))

    assert len(records(result)) == len(many)
    assert set(codes(result.findings)) == {Code.EVIDENCE_UNRELATED}
    assert len(result.findings) == MAX_FINDINGS


@BOTH
def test_related_text_gives_no_warning(key: str) -> None:
    place = (204, 204) if key == "dnd/enemy-events" else (208, 208)
    related = record(key, place, **({"spell": "the lantern"} if key == "dnd/spells" else {}))

    assert run(key, answering(key, {203: [related]})).findings == ()


@BOTH
def test_findings_and_manifest_carry_no_content(key: str, leaks: Leaks) -> None:
    unsound = record(key, (203, 203), **{NAMES[key]: "  DELL "})
    result = run(key, answering(key, {203: [unsound, unsound]}), references=REGISTRY)
    report = json.dumps([[found.as_json() for found in result.findings], result.manifest])

    assert result.findings
    assert leaks.found_in([report]) == []


def _objects(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            yield node
        for part in node.values():
            yield from _objects(part)
    elif isinstance(node, list):
        for part in node:
            yield from _objects(part)


def _edited(catalog: Catalog, prompt_id: str) -> Catalog:
    prompt: Prompt = catalog[prompt_id]
    edited = replace(prompt, digest="0" * 64)
    return Catalog({one.id: edited if one.id == prompt_id else one for one in catalog})
