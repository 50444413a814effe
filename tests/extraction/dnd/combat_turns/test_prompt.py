"""What is asked, what may be answered, and what makes a checkpoint another one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from extraction.dnd.combat_turns.extract import CombatTurnsReply, read
from extraction.lanes.extract import extract_fingerprint
from extraction.lanes.lane import AnyLane
from extraction.lanes.run import prepare_chunk_request
from extraction.llm.boundary import Role
from extraction.llm.schema import response_schema
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.catalog import Catalog, Prompt
from extraction.prompts.render import render
from tests.extraction import story
from tests.extraction.dnd.combat_turns.fight import EXTRACT, LANE, action, registry, turn

REGISTRY = registry("Harbourmaster Dell", "Wick", members={"Harbourmaster Dell": ["Dell", "Harbourmaster Dell"]})
JOB = story.make_job(ScriptedClient(), references={"npcs": REGISTRY})


def test_prompt_begins_like_every_chunk_prompt_and_goes_on_with_the_registry(catalog: Catalog) -> None:
    prompt, npcs = catalog[EXTRACT], catalog[story.EXTRACT]
    boundary = next(at for at, part in enumerate(prompt.parts) if part.role is None)

    assert prompt.parts[: boundary + 1] == npcs.parts[: boundary + 1]
    assert [part.material for part in prompt.parts[boundary + 1 :]] == ["npcs", "lead_in", None]
    assert {part.role for part in prompt.parts[boundary + 1 :]} == {Role.USER}


def test_request_shows_names_and_member_names_and_no_durable_id() -> None:
    request = prepare_chunk_request(LANE, JOB, 0)
    text = story.sent_text(request)

    assert request.materials["npcs"] == [
        {"name": "Harbourmaster Dell", "other_names": ["Dell"]},
        {"name": "Wick", "other_names": []},
    ]
    assert not re.findall(r"sha256|[0-9a-f]{64}|candidate-|npc:|salt-ferry", text)
    assert '"id"' not in text


def test_prompt_is_the_same_up_to_the_boundary_whatever_registry_is_bound(catalog: Catalog) -> None:
    with_registry, without = (
        render(catalog[EXTRACT], prepare_chunk_request(LANE, job, 1).materials)
        for job in (JOB, replace(JOB, references={}))
    )
    boundary = with_registry.boundary
    assert boundary is not None and boundary == without.boundary
    shared = [one.messages[boundary.message].content[: boundary.offset] for one in (with_registry, without)]

    assert shared[0] == shared[1]
    assert with_registry.messages != without.messages


def test_reply_accepts_the_intended_shape_and_keeps_malformed_texts() -> None:
    malformed = action(declaration="", targets=[""], resolution="")
    given = {"turns": [turn("", [], malformed, round=0, summary="")]}
    (found,) = read(CombatTurnsReply.model_validate(given, strict=True), story.make_scope())

    assert (found.actor, found.round, found.summary, found.source_refs) == ("", 0, "", ())
    assert found.actions[0].as_json() == malformed


@pytest.mark.parametrize("key", ["id", "npc_id", "actor_id", "source_id", "digest", "key", "anything"])
@pytest.mark.parametrize("place", ["reply", "turn", "action", "range"])
def test_reply_rejects_ids_and_every_other_key(place: str, key: str) -> None:
    given: dict[str, Any] = {"turns": [turn("Dell", [(44, 44)])]}
    record = given["turns"][0]
    spots = {"reply": given, "turn": record, "action": record["actions"][0], "range": record["source_refs"][0]}
    spots[place][key] = "npc:sha256:00"
    with pytest.raises(ValidationError):
        CombatTurnsReply.model_validate(given, strict=True)


@pytest.mark.parametrize("field", ["actor", "turn_kind", "round", "actions", "summary", "source_refs"])
def test_reply_requires_every_field(field: str) -> None:
    given = turn("Dell", [(44, 44)])
    del given[field]
    with pytest.raises(ValidationError):
        CombatTurnsReply.model_validate({"turns": [given]}, strict=True)


def objects_in(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for part in node.values():
            yield from objects_in(part)
    elif isinstance(node, list):
        for part in node:
            yield from objects_in(part)


def test_response_schema_has_no_optional_key_and_no_id() -> None:
    objects = list(objects_in(response_schema(CombatTurnsReply)))
    keys = {key for one in objects for key in one["properties"]}

    assert len(objects) == 4
    assert all(set(one["required"]) == set(one["properties"]) for one in objects)
    assert keys.isdisjoint({"id", "npc_id", "actor_id", "source_id", "digest"})


FINGERPRINTS = [
    pytest.param(LANE, {"references": {}}, id="no-registry"),
    pytest.param(LANE, {"references": {"npcs": registry("Harbourmaster Dell")}}, id="registry-content"),
    pytest.param(
        LANE, {"references": {"npcs": registry("Harbourmaster Dell", "Wick", members={"Wick": ["Old"]})}}, id="members"
    ),
    pytest.param(replace(LANE, policies=(*LANE.policies[:-1], "other.v2")), {}, id="policy"),
    pytest.param(replace(LANE, version=LANE.version + 1), {}, id="version"),
    pytest.param(replace(LANE, extract=replace(LANE.extract, validators=())), {}, id="validators"),
]


@pytest.mark.parametrize(("lane", "changes"), FINGERPRINTS)
def test_fingerprint_changes_with(lane: AnyLane, changes: dict[str, Any]) -> None:
    assert extract_fingerprint(lane, replace(JOB, **changes)) != extract_fingerprint(LANE, JOB)


def test_fingerprint_changes_with_the_private_schema() -> None:
    class Narrower(CombatTurnsReply):
        note: str

    other = replace(LANE, extract=replace(LANE.extract, reply=Narrower))

    assert extract_fingerprint(other, JOB) != extract_fingerprint(LANE, JOB)


def test_fingerprint_changes_with_the_prompt(catalog: Catalog) -> None:
    changed = {prompt.id: prompt for prompt in catalog}
    changed[EXTRACT] = _edited(changed[EXTRACT])

    assert extract_fingerprint(LANE, replace(JOB, catalog=Catalog(changed))) != extract_fingerprint(LANE, JOB)


def test_fingerprint_is_the_same_for_another_version_number_of_equal_content() -> None:
    same = replace(REGISTRY, version=99, why="another reason")

    assert extract_fingerprint(LANE, replace(JOB, references={"npcs": same})) == extract_fingerprint(LANE, JOB)


def _edited(prompt: Prompt) -> Prompt:
    return replace(prompt, digest="0" * 64)
