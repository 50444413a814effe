"""The prompts that ship: they load, fit their lanes, and their reply schemas suit strict structured output."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from extraction.lanes.lane import AnyLane
from extraction.llm.boundary import Role
from extraction.llm.schema import lint_strict, narrow, response_schema
from extraction.registry import LANES
from tests.extraction import story

EVIDENCE = "shared/evidence.md"


def calls() -> Iterator[tuple[str, type[BaseModel]]]:
    for lane in LANES.values():
        yield lane.extract.prompt, lane.extract.reply
        if lane.proposal is not None:
            yield lane.proposal.prompt, lane.proposal.reply


CALLS = [pytest.param(prompt, reply, id=prompt) for prompt, reply in calls()]


@pytest.mark.parametrize(("prompt_id", "reply"), CALLS)
def test_every_lanes_prompt_exists(prompt_id: str, reply: type[BaseModel]) -> None:
    prompt = story.CATALOG[prompt_id]

    assert re.fullmatch(r"[a-z_]+", prompt.response)
    assert reply.model_fields
    assert any(part.text for part in prompt.parts)


def test_every_bundled_prompt_belongs_to_a_lane() -> None:
    assert {prompt.id for prompt in story.CATALOG} == {prompt for prompt, _ in calls()}


@pytest.mark.parametrize(("prompt_id", "reply"), CALLS)
def test_reply_schema_suits_strict_structured_output(prompt_id: str, reply: type[BaseModel]) -> None:
    schema = response_schema(reply)

    assert lint_strict(schema) == []
    assert lint_strict(narrow(schema, unit_ids=[3, 40, 7], max_records=5)) == []


@pytest.mark.parametrize(("prompt_id", "reply"), CALLS)
def test_reply_schema_has_no_id_but_those_of_units(prompt_id: str, reply: type[BaseModel]) -> None:
    ids = [
        name for name in field_names(response_schema(reply)) if name == "id" or name.endswith(("_id", "_ids", "_key"))
    ]

    assert set(ids) <= {"start_unit_id", "end_unit_id"}


CHUNK_LANES = [pytest.param(lane, id=key) for key, lane in LANES.items() if lane.shares_chunks]


@pytest.mark.parametrize("lane", CHUNK_LANES)
def test_chunk_prompts_put_the_chunk_before_the_cache_boundary_and_the_task_last(lane: AnyLane) -> None:
    parts = story.CATALOG[lane.extract.prompt].parts
    at = [part.role for part in parts].index(None)

    assert [part.material for part in parts[:at]] == [None, None, "gm", "party", "glossary", "context", "transcript"]
    assert [part.text is not None for part in parts[at + 1 :]] == [False] * (len(parts) - at - 2) + [True]
    assert {part.role for part in parts[at + 1 :]} == {Role.USER}


@pytest.mark.parametrize("lane", CHUNK_LANES)
def test_chunk_prompts_are_equal_up_to_the_cache_boundary_in_every_lane(lane: AnyLane) -> None:
    """What makes a provider's prefix cache serve one lane's chunk to the next lane."""

    def stable(prompt_id: str) -> list[tuple[object, ...]]:
        parts = story.CATALOG[prompt_id].parts
        at = [part.role for part in parts].index(None)
        return [(part.role, part.text, part.material, part.heading, part.style) for part in parts[:at]]

    assert stable(lane.extract.prompt) == stable("dnd/npcs.extract")


@pytest.mark.parametrize("prompt_id", [lane.proposal.prompt for lane in LANES.values() if lane.proposal is not None])
def test_reconcile_prompts_have_the_roster_before_the_cache_boundary_and_candidates_after_it(prompt_id: str) -> None:
    parts = story.CATALOG[prompt_id].parts
    at = [part.role for part in parts].index(None)

    assert {part.material for part in parts[:at]} - {None} == {"party", "glossary"}
    assert {part.material for part in parts[at:]} - {None} == {"candidates", "left_out", "windows"}
    assert all(part.text is None for part in parts[at:])


def test_every_evidence_prompt_uses_the_one_shared_fragment_and_its_exact_text() -> None:
    """A prompt whose reply cites evidence holds the shared instruction, byte for byte, once."""
    text = (story.ASSETS / "dnd" / EVIDENCE).read_bytes().decode().strip("\n")
    for lane in LANES.values():
        if "source_refs" not in field_names(response_schema(lane.extract.reply)):
            continue
        prompt = story.CATALOG[lane.extract.prompt]
        manifest = tomllib.loads((story.ASSETS / "dnd" / folder(lane) / "manifest.toml").read_text(encoding="utf-8"))
        fragments = [part.get("fragment") for part in manifest["prompts"]["extract"]["parts"]]

        assert [part.text for part in prompt.parts].count(text) == 1, lane.key
        assert fragments.count(EVIDENCE) == 1, lane.key


def folder(lane: AnyLane) -> str:
    return lane.family.replace("-", "_")


def field_names(schema: Any) -> Iterator[str]:
    """Return the names of all fields anywhere in the schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in (*schema.get("properties", {}).values(), schema.get("items"), *schema.get("anyOf", [])):
            yield from field_names(part)
