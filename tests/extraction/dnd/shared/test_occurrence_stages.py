"""NPC, item and location occurrences after the answer: made records, validators, checkpoints, what a re-run asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from extraction.canonical import JsonValue, canonical_json
from extraction.codes import Code
from extraction.dnd.artifacts.schemas import ARTIFACTS
from extraction.errors import PipelineError, ProviderUnavailable
from extraction.findings import Severity
from extraction.lanes.extract import extract_fingerprint
from extraction.lanes.job import BoundReference
from extraction.lanes.ports import LanePorts, MemoryCheckpoints
from extraction.lanes.run import document_scope
from extraction.llm.profiles import Profile
from extraction.llm.scripted import ScriptedClient
from extraction.prompts.catalog import Catalog
from tests.extraction import story
from tests.extraction.dnd.occurrence_cast import FAMILIES, Family, bound, pages, pairs_of, records_of
from tests.leaks import Leaks

pytestmark = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.key)


# Normalization and validators


def test_exact_repeats_collapse_with_a_warning_and_others_stay(family: Family) -> None:
    one, other = family.met(family.name, (42, 42), (50, 50)), family.met(family.name, (50, 50), (42, 42))
    kind = family.met(family.name, (42, 42), (50, 50), kind=family.other_kind)
    result = family.run(pages([one, kind, other, family.met(family.name, (42, 42))]))

    assert [(record["kind"], pairs_of(record)) for record in records_of(result)] == [
        (family.kind, [(42, 42), (50, 50)]),
        (family.other_kind, [(42, 42), (50, 50)]),
        (family.kind, [(42, 42)]),
    ]
    assert [f.code for f in result.findings if f.code is not Code.EVIDENCE_UNRELATED] == [Code.DUPLICATE_COLLAPSED]


def test_records_stand_by_earliest_evidence_then_as_they_came(family: Family) -> None:
    other = family.second
    result = family.run(
        pages(
            [family.met(other, (50, 50)), family.met(family.name, (44, 44)), family.met(other, (44, 44))],
            [family.met(family.name, (21, 21))],
            [family.met(other, (203, 203))],
        )
    )

    assert [(record["name"], pairs_of(record)[0][0]) for record in records_of(result)] == [
        (family.name, 44),
        (other, 44),
        (other, 50),
        (family.name, 21),
        (other, 203),
    ]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        pytest.param({"ID": "npc:sha256:" + "0" * 64}, Code.IDENTITY_MISMATCH, id="another-id"),
        pytest.param({"ID": "SECOND"}, Code.IDENTITY_MISMATCH, id="id-of-another-entry"),
        pytest.param({"name": "lantern"}, Code.IDENTITY_MISMATCH, id="name-not-as-the-registry-has-it"),
        pytest.param({"ID": ""}, Code.IDENTITY_UNRESOLVED, id="no-id"),
        pytest.param({"kind": "rumour"}, Code.RECORD_SHAPE, id="kind"),
        pytest.param({"source_refs": ()}, Code.EVIDENCE_MISSING, id="no-evidence"),
        pytest.param({"source_refs": (story.ref(46, 44),)}, Code.EVIDENCE_RANGE_REVERSED, id="reversed"),
        pytest.param({"source_refs": (story.ref(41, 41, "far.s1.t1"),)}, Code.EVIDENCE_WRONG_SOURCE, id="source"),
        pytest.param(
            {"source_refs": (story.ref(44, 44), story.ref(41, 41))}, Code.EVIDENCE_NOT_CANONICAL, id="not-in-order"
        ),
    ],
)
def test_validators_refuse_what_enters_from_elsewhere(family: Family, change: dict[str, Any], code: Code) -> None:
    scope = document_scope(family.job(pages()))
    said = family.met(family.name, (family.home, family.home))
    reply = family.lane.extract.reply.model_validate({"occurrences": [said]})
    (record,) = family.lane.extract.read(reply, scope)
    fields = {family.id_field if key == "ID" else key: value for key, value in change.items()}
    fields = {key: family.id_of(family.second) if value == "SECOND" else value for key, value in fields.items()}
    spoilt = replace(record, **fields)
    found = [finding for validate in family.lane.validators for finding in validate([spoilt], scope)]

    assert [finding for validate in family.lane.validators for finding in validate([record], scope)] == []
    assert code in {finding.code for finding in found if finding.severity is Severity.REJECT}


def test_validators_refuse_records_out_of_order(family: Family) -> None:
    scope = document_scope(family.job(pages()))
    said = [family.met(family.name, (44, 44)), family.met(family.name, (41, 41))]
    records = family.lane.extract.read(family.lane.extract.reply.model_validate({"occurrences": said}), scope)
    found = [finding for validate in family.lane.validators for finding in validate(records, scope)]

    assert Code.RECORD_ORDER in {finding.code for finding in found}


def test_relatedness_warns_and_knows_the_names_a_consolidation_joined(family: Family) -> None:
    related = bound(family.slot, *family.entries, members={family.name: ["old man", family.name]})
    client = pages([family.met(family.name, (50, 50))])
    plain = family.run(pages([family.met(family.name, (47, 47))]))
    joined = family.run(client, references={family.slot: related})

    assert [(f.code, f.severity) for f in plain.findings] == [(Code.EVIDENCE_UNRELATED, Severity.WARNING)]
    assert joined.findings == ()


# Stages around the call


def test_empty_registry_makes_no_call_and_an_empty_artifact(family: Family) -> None:
    client = ScriptedClient()
    result = family.run(client, references={family.slot: bound(family.slot)})

    assert client.requests == []
    assert (records_of(result), result.record_count, result.findings) == ([], 0, ())


def test_unbound_registry_is_an_error_before_any_call(family: Family) -> None:
    client = ScriptedClient()
    with pytest.raises(PipelineError) as caught:
        family.run(client, references={})

    assert caught.value.code == Code.PIPELINE_UNBOUND
    assert client.requests == []


def test_no_occurrence_is_a_valid_answer(family: Family) -> None:
    result = family.run(pages())

    assert records_of(result) == []


def test_outage_is_no_fallback_and_finished_chunks_are_kept(family: Family) -> None:
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    broken = ScriptedClient()
    broken.enqueue(family.prompt, {"occurrences": []}, ProviderUnavailable("Down.", code=Code.LLM_CONNECTION))
    profile = Profile(chunk_units=12, concurrency=1)
    with pytest.raises(ProviderUnavailable):
        family.run(broken, ports, profile=profile)
    again = pages()
    family.run(again, ports, profile=profile)

    assert len(again.requests) == 2


def test_chunks_follow_bound_scenes(family: Family) -> None:
    scenes: JsonValue = [
        {"title": "Pier", "primary_mode": "social", "start_unit_id": 41, "end_unit_id": 8},
        {"title": "Bell", "primary_mode": "combat", "start_unit_id": 9, "end_unit_id": 211},
    ]
    client = ScriptedClient(lambda request: {"occurrences": []})
    references = {family.slot: family.registry, "scenes": BoundReference("dnd/scenes", {"scenes": scenes})}
    family.run(client, references=references, profile=Profile(chunk_units=30))

    assert sorted(story.first_unit(request) for request in client.requests) == [9, 41]


def test_made_artifact_satisfies_schema_and_model(family: Family) -> None:
    result = family.run(pages([family.met(family.name, (41, 41))], third=[family.met(family.second, (203, 203))]))
    payload = orjson.loads(canonical_json(result.payload))
    folder = family.lane.family.replace("-", "_")
    schema = orjson.loads((story.ASSETS / "dnd" / folder / "artifact.schema.json").read_bytes())
    Draft202012Validator(schema).validate(payload)
    model = ARTIFACTS[folder].model_validate_json(canonical_json(payload))

    assert model.model_dump(by_alias=True, mode="json") == payload
    assert payload["schema"] == f"notarius.{family.key.replace('/', '.')}.v1"
    assert len(payload["occurrences"]) == 2


def test_findings_and_manifest_hold_no_content(family: Family, leaks: Leaks) -> None:
    result = family.run(pages([family.met(family.name, (47, 47)), family.met(family.name, (47, 47))]))
    names = Leaks(tuple(name for name, _ in family.entries))
    written = [canonical_json(result.manifest).decode(), *result.findings]

    assert result.findings
    assert leaks.found_in(written) + names.found_in(written) == []


# Fingerprints and checkpoints


def fingerprint(family: Family, **changes: Any) -> str:
    return extract_fingerprint(family.lane, family.job(pages(), **changes))


def test_fingerprint_follows_registry_and_member_names_but_not_the_version(family: Family) -> None:
    def registry(*entries: Any, **changes: Any) -> dict[str, BoundReference]:
        return {family.slot: bound(family.slot, *(entries or family.entries), **changes)}

    base = fingerprint(family)
    other_name = fingerprint(family, references=registry(("Somebody Else", [(41, 41)])))
    other_evidence = fingerprint(family, references=registry((family.name, [(41, 42)])))
    members = fingerprint(family, references=registry(members={family.name: ["Joined"]}))
    version = fingerprint(family, references={family.slot: replace(family.registry, version=9, why="approved")})

    assert len({base, other_name, other_evidence, members}) == 4
    assert version == base


def test_fingerprint_follows_prompt_reply_schema_and_policies(family: Family) -> None:
    lane, job = family.lane, family.job(pages())
    changed = {prompt.id: prompt for prompt in story.CATALOG}
    changed[family.prompt] = replace(changed[family.prompt], digest="0" * 64)
    other = next(one for one in FAMILIES if one is not family).lane.extract.reply
    prints = {
        extract_fingerprint(lane, job),
        extract_fingerprint(lane, replace(job, catalog=Catalog(changed))),
        extract_fingerprint(replace(lane, extract=replace(lane.extract, reply=other)), job),
        *(
            extract_fingerprint(replace(lane, policies=lane.policies[:at] + lane.policies[at + 1 :]), job)
            for at in range(len(lane.policies))
        ),
    }

    assert len(prints) == 3 + len(lane.policies)


def test_rerun_asks_nothing_and_a_changed_registry_asks_again(family: Family) -> None:
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    first = family.run(pages([family.met(family.name, (41, 41))]), ports)
    silent = ScriptedClient()
    second = family.run(silent, ports)
    longer = bound(family.slot, *family.entries, ("Newcomer", [(42, 42)]))
    asked = pages()
    family.run(asked, ports, references={family.slot: longer})

    assert silent.requests == []
    assert second.payload == first.payload
    assert len(asked.requests) == 3
