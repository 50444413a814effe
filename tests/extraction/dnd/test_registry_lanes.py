"""What the lanes of items and places promise alike."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.dnd.artifacts.schemas import ARTIFACTS, schema_file
from extraction.errors import LaneFailed
from extraction.lanes.extract import extract_fingerprint
from extraction.lanes.job import BoundReference, LaneResult, Retries
from extraction.lanes.normalize import normalize_fingerprint
from extraction.lanes.ports import LanePorts, MemoryCheckpoints
from extraction.lanes.run import chunks_of, document_scope
from extraction.llm.profiles import Profile
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.catalog import Catalog
from extraction.registry import LANES
from tests.extraction import story
from tests.extraction.dnd.registries import Said, client, ids, records, reply, run
from tests.leaks import Leaks

FAMILIES = pytest.mark.parametrize("family", ["items", "locations"])
# Two names a kind, the first one also in the last page and with its endpoints the wrong way round.
SAID: dict[str, dict[int, list[Said]]] = {
    "items": {41: [("bronze tongue", [(46, 44)])], 7: [("Bell of Voss", [(18, 18)])], 203: [("bell", [(204, 203)])]},
    "locations": {41: [("Saltwick", [(42, 41)])], 7: [("Chapel", [(9, 9)])], 203: [("the bar", [(201, 203)])]},
}
FORWARD = {
    "items": [("bronze tongue", [(44, 46)]), ("Bell of Voss", [(18, 18)]), ("bell", [(203, 204)])],
    "locations": [("Saltwick", [(41, 42)]), ("Chapel", [(9, 9)]), ("the bar", [(203, 201)])],
}


def scenes(*spans: tuple[int, int]) -> BoundReference:
    found: list[JsonValue] = [
        {"title": "A scene", "primary_mode": "social", "start_unit_id": start, "end_unit_id": end}
        for start, end in spans
    ]
    return BoundReference("dnd/scenes", {"scenes": found})


def reply_type(family: str) -> type[BaseModel]:
    return LANES[f"dnd/{family}"].extract.reply


def proposals(result: LaneResult) -> list[str]:
    found: Any = result.consolidations["proposals"]
    return [proposal["verdict"] for proposal in found]


@FAMILIES
def test_reversed_endpoints_reach_the_artifact_in_document_order_without_a_retry(family: str) -> None:
    scripted = client(family, SAID[family], story.groups())
    result = run(family, scripted, retries=Retries(extract=2))

    assert records(result, family) == FORWARD[family]
    assert len(story.asked(scripted, f"dnd/{family}.extract")) == 3


@FAMILIES
@pytest.mark.parametrize(
    ("start", "end", "code"),
    [
        pytest.param(41, 7, Code.EVIDENCE_OUTSIDE_CHUNK, id="outside-the-chunk"),
        pytest.param(41, 9999, Code.EVIDENCE_UNKNOWN_UNIT, id="unknown-unit"),
    ],
)
def test_evidence_that_cannot_be_cited_fails_the_chunk_after_its_budget(
    family: str, start: int, end: int, code: Code
) -> None:
    scripted = client(family, {41: [("Saltwick", [(start, end)])]})
    with pytest.raises(LaneFailed) as failed:
        run(family, scripted, retries=Retries(extract=2))

    assert failed.value.code is Code.EXTRACT_INVALID
    assert code in {finding.code for finding in failed.value.findings}
    assert len(story.asked(scripted, f"dnd/{family}.extract")) == 5


@FAMILIES
def test_failed_chunk_is_the_only_one_asked_for_again(family: str) -> None:
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    broken = client(family, SAID[family] | {7: [("", [(9, 9)])]})
    with pytest.raises(LaneFailed):
        run(family, broken, ports)
    mended = client(family, SAID[family], story.groups())
    run(family, mended, ports)

    assert [story.first_unit(one) for one in story.asked(mended, f"dnd/{family}.extract")] == [7]


@FAMILIES
def test_empty_replies_make_an_empty_artifact_and_no_question(family: str) -> None:
    scripted = client(family, {})
    result = run(family, scripted)

    assert (records(result, family), result.findings) == ([], ())
    assert story.asked(scripted, f"dnd/{family}.reconcile") == []


@FAMILIES
@pytest.mark.parametrize("field", ["id", "item_id", "location_id", "npc_id", "source_id", "digest"])
def test_private_reply_refuses_ids(family: str, field: str) -> None:
    intended = reply(family, [("Saltwick", [(41, 41)])])
    (record,) = json.loads(json.dumps(intended))[family]

    assert reply_type(family).model_validate(intended, strict=True).model_dump() == intended
    for spoilt in (
        {family: [record | {field: "x"}]},
        {family: [record], field: "x"},
        {family: [record | {"source_refs": [record["source_refs"][0] | {field: "x"}]}]},
    ):
        with pytest.raises(ValidationError):
            reply_type(family).model_validate(spoilt, strict=True)


@FAMILIES
def test_requests_hold_names_and_no_durable_id(family: str) -> None:
    scripted = client(family, SAID[family], story.groups())
    run(family, scripted)
    (question,) = story.asked(scripted, f"dnd/{family}.reconcile")
    texts = [story.sent_text(request) for request in scripted.requests]
    candidates: Any = question.materials["candidates"]

    assert [candidate["name"] for candidate in candidates] == [name for name, _ in FORWARD[family]]
    assert all(candidate.keys() == {"name", "source_refs"} for candidate in candidates)
    assert not [text for text in texts if re.search(r"sha256|[0-9a-f]{64}|candidate-|item:|location:|salt-ferry", text)]


@FAMILIES
def test_artifact_validates_against_its_schema_and_model(family: str) -> None:
    result = run(family, client(family, SAID[family], story.groups()))
    path = story.ASSETS / "dnd" / family / "artifact.schema.json"
    schema = json.loads(path.read_bytes())

    assert path.read_bytes() == schema_file(ARTIFACTS[family])
    assert list(Draft202012Validator(schema).iter_errors(result.payload)) == []
    assert ARTIFACTS[family].model_validate(result.payload)
    assert result.payload["schema"] == f"notarius.dnd.{family}.v1"


@FAMILIES
def test_people_at_the_table_are_left_out_with_one_warning(family: str, leaks: Leaks) -> None:
    said: list[Said] = [("PIKE", [(41, 41)]), ("Ottilie", [(42, 42)]), ("Pike's coat", [(44, 44)])]
    result = run(family, client(family, {41: said}))

    assert [name for name, _ in records(result, family)] == ["Pike's coat"]
    assert [(finding.code, finding.counts) for finding in result.findings if finding.code is Code.IDENTITY_ROSTER] == [
        (Code.IDENTITY_ROSTER, {"names": 2})
    ]
    assert leaks.found_in(result.findings) == []


@FAMILIES
def test_chunks_follow_the_scenes_where_they_are_bound(family: str) -> None:
    lane = LANES[f"dnd/{family}"]
    bound = {"scenes": scenes((41, 55), (7, 21), (203, 206), (205, 211))}
    job = story.make_job(ScriptedClient(), references=bound, profile=Profile(chunk_units=15, chunk_words=10_000))
    chunks = chunks_of(lane, job, document_scope(job))

    assert [(chunk.start, chunk.end, chunk.title) for chunk in chunks] == [
        (0, 11, "A scene"),
        (12, 23, "A scene"),
        (24, 35, None),
    ]
    assert {name: (slot.lane, slot.required) for name, slot in lane.slots.items()} == {"scenes": ("dnd/scenes", False)}
    assert lane.slots == LANES["dnd/npcs"].slots


def reworded(folder: Path, *fragments: str) -> Catalog:
    """Return the bundled prompts with other words in some fragments."""
    copied = Path(shutil.copytree(story.ASSETS / "dnd", folder / "-".join(fragments).replace("/", "-") / "dnd"))
    for fragment in fragments:
        path = copied / fragment
        path.write_text(path.read_text(encoding="utf-8") + "\nOne more rule.\n", encoding="utf-8")
    return Catalog.load(copied)


@FAMILIES
def test_fingerprints_change_with_what_gives_a_lane_its_meaning(family: str, tmp_path: Path) -> None:
    lane = LANES[f"dnd/{family}"]
    job = story.make_job(ScriptedClient())
    task = replace(job, catalog=reworded(tmp_path, f"{family}/instructions.md"))
    policy = replace(lane, policies=(*lane.policies, "another.v1"))
    schema = replace(lane, extract=replace(lane.extract, reply=reply_type("npcs")))
    fingerprints = [
        extract_fingerprint(lane, job),
        extract_fingerprint(lane, task),
        extract_fingerprint(policy, job),
        extract_fingerprint(schema, job),
    ]
    with_scenes = replace(job, references={"scenes": scenes((41, 211))})

    assert len(set(fingerprints)) == len(fingerprints)
    # Scenes only say where chunks begin, and each answer's key has its chunk's range.
    assert extract_fingerprint(lane, with_scenes) == fingerprints[0]
    assert extract_fingerprint(lane, story.make_job(ScriptedClient())) == fingerprints[0]


@FAMILIES
def test_reconcile_fingerprint_changes_with_its_own_prompt_and_policies_alone(family: str, tmp_path: Path) -> None:
    lane = LANES[f"dnd/{family}"]
    proposal = lane.proposal
    assert proposal is not None
    job = story.make_job(ScriptedClient())
    before = normalize_fingerprint(lane, proposal, job)
    own = replace(job, catalog=reworded(tmp_path, f"{family}/reconcile.md"))
    shared = replace(job, catalog=reworded(tmp_path, "shared/reconcile.md"))
    others = replace(job, catalog=reworded(tmp_path, f"{family}/instructions.md", "npcs/reconcile.md"))
    context = replace(proposal, policies=("reconcile.windows.radius-9",))

    assert normalize_fingerprint(lane, proposal, others) == before
    assert len({before, *(normalize_fingerprint(lane, proposal, changed) for changed in (own, shared))}) == 3
    assert normalize_fingerprint(lane, context, job) != before


@FAMILIES
def test_run_again_with_nothing_changed_makes_no_call(family: str) -> None:
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    first = run(family, client(family, SAID[family], story.groups()), ports)
    silent = client(family, {})
    second = run(family, silent, ports)

    assert silent.requests == []
    assert (first.payload, first.digest) == (second.payload, second.digest)


@FAMILIES
def test_safe_group_is_applied_and_an_unsafe_one_left_out(family: str) -> None:
    (one, _), (two, _), (three, _) = FORWARD[family]
    reply = story.groups(story.group(one, two), story.group(three, "Nothing Like It"))
    result = run(family, client(family, SAID[family], reply))

    assert [name for name, _ in records(result, family)] == [one, three]
    assert proposals(result) == ["applied", Code.RECONCILE_UNKNOWN_MEMBER.value]
    assert len(set(ids(result, family))) == 2
    assert [finding.code for finding in result.findings[:2]] == [Code.RECONCILE_OMITTED, Code.RECONCILE_APPLIED]
