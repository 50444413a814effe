"""What makes a checkpoint stale, and what does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from extraction.canonical import JsonValue
from extraction.checkpoints.fingerprint import checkpoint_key, component_fingerprint
from extraction.lanes.extract import extract_fingerprint
from extraction.lanes.job import BoundReference, LaneJob, Retries
from extraction.lanes.lane import AnyLane, Proposal
from extraction.lanes.normalize import normalize_fingerprint
from extraction.llm.profiles import OutputMode, Profile, ProviderKind
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.catalog import Catalog
from extraction.registry import LANES
from tests.extraction import story

LANE = LANES["dnd/npcs"]
OPENAI = Profile(provider=ProviderKind.OPENAI, base_url="https://one.example/v1", model="m")
JOB = story.make_job(ScriptedClient(), profile=OPENAI)
Change = Callable[[AnyLane, LaneJob], tuple[AnyLane, LaneJob]]


class OtherReply(BaseModel):
    other: list[str]


def validate_more(records: Any, scope: Any) -> list[Any]:
    return []


def both(lane: AnyLane, job: LaneJob) -> tuple[str, str]:
    assert lane.proposal is not None
    return extract_fingerprint(lane, job), normalize_fingerprint(lane, lane.proposal, job)


def profile(**changes: Any) -> Change:
    return lambda lane, job: (lane, replace(job, profile=job.profile.model_copy(update=changes)))


def catalog_with(tmp: Path, fragment: str, data: bytes) -> Catalog:
    root = tmp / "dnd"
    for file in (story.ASSETS / "dnd").rglob("*"):
        if file.is_file():
            target = root / file.relative_to(story.ASSETS / "dnd")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    (root / fragment).write_bytes((root / fragment).read_bytes() + data)
    return Catalog.load(root)


def proposal(lane: AnyLane) -> Proposal[Any]:
    assert lane.proposal is not None
    return lane.proposal


MEANING: Mapping[str, Change] = {
    "model": profile(model="n"),
    "mode": profile(structured_output=OutputMode.PROMPT),
    "temperature": profile(temperature=0.5),
    "seed": profile(seed=3),
    "max_tokens": profile(max_tokens=900),
    "input_budget": profile(input_budget=5000),
    "chunk_units": profile(chunk_units=7),
    "chunk_words": profile(chunk_words=90),
    "unit_id_enum": profile(unit_id_enum=True),
    "max_records": profile(max_records=9),
    "lane_version": lambda lane, job: (replace(lane, version=lane.version + 1), job),
    "policy": lambda lane, job: (replace(lane, policies=(*lane.policies[:-1], "reconcile.windows.radius-3")), job),
    "provider": lambda lane, job: (lane, replace(job, client=ScriptedClient(mode=OutputMode.PROMPT))),
}
NO_MEANING: Mapping[str, Change] = {
    "nothing": lambda lane, job: (lane, job),
    "concurrency": profile(concurrency=99),
    "timeout": profile(timeout_s=3.0),
    "tries": profile(tries=1),
    "url": profile(base_url="https://other.example/v1"),
    "key": profile(api_key=SecretStr("sk-other")),
    "profile_name": profile(name="other"),
    "start": lambda lane, job: (lane, replace(job, start_at=0.5)),
    "retries": lambda lane, job: (lane, replace(job, retries=Retries(4, 5))),
}


@pytest.mark.parametrize("change", MEANING.values(), ids=MEANING.keys())
def test_fingerprints_differ_where_meaning_changed(change: Change) -> None:
    lane, job = change(LANE, JOB)
    before, after = both(LANE, JOB), both(lane, job)

    assert before[0] != after[0]
    assert before[1] != after[1]


@pytest.mark.parametrize("change", NO_MEANING.values(), ids=NO_MEANING.keys())
def test_fingerprints_stay_where_only_the_way_to_the_model_changed(change: Change) -> None:
    lane, job = change(LANE, JOB)

    assert both(lane, job) == both(LANE, JOB)


@pytest.mark.parametrize(
    ("fragment", "stages"),
    [
        pytest.param("npcs/instructions.md", [True, False], id="extract-prompt"),
        pytest.param("shared/evidence.md", [True, False], id="shared-evidence"),
        pytest.param("npcs/reconcile.md", [False, True], id="reconcile-prompt"),
        pytest.param("shared/reconcile.md", [False, True], id="shared-reconcile"),
    ],
)
@pytest.mark.parametrize("data", [b"\n", b" Be brief."], ids=["one-byte", "words"])
def test_fingerprints_differ_for_the_stage_whose_fragment_changed(
    tmp_path: Path, fragment: str, stages: list[bool], data: bytes
) -> None:
    after = both(LANE, replace(JOB, catalog=catalog_with(tmp_path, fragment, data)))

    assert [old != new for old, new in zip(both(LANE, JOB), after, strict=True)] == stages


def test_fingerprints_differ_for_the_stage_whose_schema_changed() -> None:
    extract = replace(LANE, extract=replace(LANE.extract, reply=OtherReply))
    reconcile = replace(LANE, proposal=replace(proposal(LANE), reply=OtherReply))
    before = both(LANE, JOB)

    assert [a != b for a, b in zip(before, both(extract, JOB), strict=True)] == [True, False]
    assert [a != b for a, b in zip(before, both(reconcile, JOB), strict=True)] == [False, True]


def test_extract_fingerprint_covers_the_validator_chain_in_order() -> None:
    chain = LANE.extract.validators
    chains = [chain, chain[::-1], (*chain, validate_more), chain[:-1]]
    found = {extract_fingerprint(replace(LANE, extract=replace(LANE.extract, validators=one)), JOB) for one in chains}

    assert len(found) == 4


def bound(payload: Mapping[str, JsonValue], members: Mapping[str, list[str]], version: int = 1) -> LaneJob:
    reference = BoundReference("dnd/npcs", payload, members, version, "approved" if version == 1 else "latest")
    return replace(JOB, references={"npcs": reference})


def test_extract_fingerprint_covers_a_bound_registry_by_content_and_not_by_version() -> None:
    base = extract_fingerprint(LANE, bound({"npcs": [1]}, {"a": ["x"]}))

    assert extract_fingerprint(LANE, bound({"npcs": [1]}, {"a": ["x"]}, version=7)) == base
    assert extract_fingerprint(LANE, bound({"npcs": [2]}, {"a": ["x"]})) != base
    assert extract_fingerprint(LANE, bound({"npcs": [1]}, {"a": ["y"]})) != base
    assert extract_fingerprint(LANE, JOB) != base


def test_checkpoint_key_tells_fingerprints_and_inputs_apart() -> None:
    one, other = component_fingerprint({"a": 1}), component_fingerprint({"a": 2})
    keys = {
        checkpoint_key(one, "d", 1),
        checkpoint_key(other, "d", 1),
        checkpoint_key(one, "e", 1),
        checkpoint_key(one),
    }

    assert len(keys) == 4
    assert all(len(key) == 64 for key in keys)
