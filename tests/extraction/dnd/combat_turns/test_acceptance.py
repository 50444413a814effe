"""Every line of the combat note that a deterministic test can show, over the lane as it is assembled."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from extraction.codes import Code
from extraction.dnd.artifacts.combat_turns import CombatTurnsArtifact
from extraction.dnd.artifacts.schemas import ARTIFACTS, schema_file
from extraction.errors import LaneFailed, ProviderUnavailable
from extraction.findings import MAX_FINDINGS, Severity
from extraction.lanes.job import BoundReference, Retries
from extraction.lanes.ports import LanePorts, MemoryCheckpoints
from extraction.lanes.run import run_lane
from extraction.registry import LANES
from tests.extraction import story
from tests.extraction.dnd.combat_turns.fight import (
    EXTRACT,
    action,
    answering,
    codes,
    pairs,
    registry,
    run,
    turn,
    turns,
)
from tests.leaks import Leaks

SCHEMA = story.ASSETS / "dnd" / "combat_turns" / "artifact.schema.json"
BRAWL = {
    41: [
        turn(
            "Dell", [(46, 44), (50, 50)], action(targets=["Wick"], resolution="14, misses"), action(category="movement")
        ),
        turn("Pike", [(47, 47)], turn_kind="reaction"),
    ],
    203: [turn("Pike", [(206, 205), (207, 207)], action(category="item", targets=["Wick"]), round=2)],
}


def test_lane_makes_a_typed_artifact_that_its_schema_accepts() -> None:
    result = run(answering(BRAWL), references={"npcs": registry("Wick")})
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(result.payload)
    artifact = CombatTurnsArtifact.model_validate(result.payload)

    assert [(one.actor, one.turn_kind, one.round) for one in artifact.turns] == [
        ("Dell", "turn", None),
        ("Pike", "reaction", None),
        ("Pike", "turn", 2),
    ]
    assert artifact.turns[0].actions[0].model_dump() == {
        "category": "attack",
        "declaration": "swings the lantern",
        "targets": ["Wick"],
        "resolution": "14, misses",
    }


def test_schema_file_is_made_from_the_model() -> None:
    assert SCHEMA.read_bytes() == schema_file(ARTIFACTS["combat_turns"])


def test_a_turn_keeps_several_ranges_apart_with_endpoints_in_document_order() -> None:
    given = [(55, 50), (47, 47), (44, 46), (47, 47)]
    result = run(answering({41: [turn("Dell", given)]}))

    assert [pairs(one) for one in turns(result)] == [[(44, 46), (47, 47), (50, 55)]]


def test_records_stand_in_transcript_order_whatever_their_numbers_and_their_place_in_the_reply() -> None:
    page = [turn("Wick", [(208, 208)]), turn("Voss", [(209, 209)]), turn("Pike", [(203, 201)])]
    result = run(answering({203: page, 41: [turn("Dell", [(55, 55)])]}))

    assert [one["actor"] for one in turns(result)] == ["Dell", "Pike", "Voss", "Wick"]


def test_records_of_one_place_keep_the_order_of_the_reply() -> None:
    page = [turn("Wick", [(46, 47)]), turn("Dell", [(46, 47)]), turn("Pike", [(46, 46)])]
    result = run(answering({41: page}))

    assert [one["actor"] for one in turns(result)] == ["Pike", "Wick", "Dell"]


@pytest.mark.parametrize("kind", ["reaction", "legendary_action", "lair_action", "other"])
def test_an_interruption_stays_where_it_happened_and_is_not_moved_to_its_actors_turn(kind: str) -> None:
    page = [turn("Dell", [(44, 44), (50, 50)]), turn("Pike", [(46, 46)], turn_kind=kind), turn("Pike", [(51, 51)])]
    result = run(answering({41: page}))

    assert [(one["actor"], one["turn_kind"]) for one in turns(result)] == [
        ("Dell", "turn"),
        ("Pike", kind),
        ("Pike", "turn"),
    ]


def test_a_declaration_without_an_outcome_has_none() -> None:
    result = run(answering({41: [turn("Dell", [(44, 44)], action(resolution=None))]}))

    assert turns(result)[0]["actions"][0]["resolution"] is None


def test_a_session_without_a_fight_has_an_empty_list() -> None:
    client = answering({})
    result = run(client)

    assert (turns(result), result.findings, len(client.requests)) == ([], (), 3)


MALFORMED = [
    pytest.param(turn("", [(44, 44)]), Code.RECORD_NAME_EMPTY, id="no-actor"),
    pytest.param(turn("Dell", [(44, 44)], round=0), Code.RECORD_SHAPE, id="round-0"),
    pytest.param(turn("Dell", [(44, 44)], actions=[]), Code.RECORD_SHAPE, id="no-action"),
    pytest.param(turn("Dell", [(44, 44)], summary=" "), Code.RECORD_SHAPE, id="no-summary"),
    pytest.param(turn("Dell", [(44, 44)], action(declaration="")), Code.RECORD_SHAPE, id="no-declaration"),
    pytest.param(turn("Dell", [(44, 44)], action(resolution="")), Code.RECORD_SHAPE, id="empty-resolution"),
    pytest.param(turn("Dell", [(44, 44)], action(targets=["\u00a0"])), Code.RECORD_NAME_EMPTY, id="empty-target"),
    pytest.param(turn("Dell", []), Code.EVIDENCE_MISSING, id="no-evidence"),
    pytest.param(turn("Dell", [(44, 999)]), Code.EVIDENCE_UNKNOWN_UNIT, id="unknown-unit"),
    pytest.param(turn("Dell", [(44, 11)]), Code.EVIDENCE_OUTSIDE_CHUNK, id="outside-the-chunk"),
    pytest.param(turn("Dell", [(44, 44)], turn_kind="bonus"), Code.LLM_SCHEMA_MISMATCH, id="unknown-kind"),
    pytest.param(turn("Dell", [(44, 44)], action(category="magic")), Code.LLM_SCHEMA_MISMATCH, id="unknown-category"),
    pytest.param(turn("Dell", [(44, 44)], round="two"), Code.LLM_SCHEMA_MISMATCH, id="round-in-words"),
]


@pytest.mark.parametrize(("candidate", "code"), MALFORMED)
def test_a_malformed_candidate_is_retried_and_then_fails_the_lane(candidate: dict[str, Any], code: Code) -> None:
    client = answering({41: [candidate]})
    with pytest.raises(LaneFailed) as failed:
        run(client, retries=Retries(extract=1))

    assert codes(failed.value.findings) == [code]
    assert len(client.requests) == 4
    assert not Leaks.of_standard().found_in([failed.value, *failed.value.findings])


def test_a_retry_starts_anew_and_the_good_answer_stands() -> None:
    client = answering({})
    client.enqueue(EXTRACT, {"turns": [turn("", [(44, 44)])]}, {"turns": [turn("Dell", [(44, 44)])]})
    document = replace(story.DOCUMENT, units=story.DOCUMENT.units[:12])
    result = run(client, document=document, retries=Retries(extract=1))

    assert [one["actor"] for one in turns(result)] == ["Dell"]
    assert Code.RECORD_NAME_EMPTY not in codes(result.findings)


def test_finished_chunks_are_kept_when_another_fails_and_only_it_is_asked_again() -> None:
    ports = LanePorts(checkpoints=MemoryCheckpoints())
    with pytest.raises(LaneFailed):
        run(answering(BRAWL | {7: [turn("Dell", [])]}), ports)
    again = answering(BRAWL)
    result = run(again, ports)

    assert [story.first_unit(request) for request in again.requests] == [7]
    assert len(turns(result)) == 3


def test_an_operational_error_is_no_empty_fight() -> None:
    client = answering(BRAWL)
    client.enqueue(EXTRACT, ProviderUnavailable("No answer.", code=Code.LLM_TIMEOUT))
    with pytest.raises(ProviderUnavailable):
        run(client)


def test_exact_registry_names_and_members_become_the_canonical_name_with_a_warning() -> None:
    given = [turn("old wick", [(50, 50)], action(targets=["DELL", "the net", "Wick"])), turn("Wick", [(52, 52)])]
    bound = registry("Wick", "Harbourmaster Dell", members={"Wick": ["Old Wick"], "Harbourmaster Dell": ["Dell"]})
    result = run(answering({41: given}), references={"npcs": bound})

    assert [one["actor"] for one in turns(result)] == ["Wick", "Wick"]
    assert turns(result)[0]["actions"][0]["targets"] == ["Harbourmaster Dell", "the net", "Wick"]
    assert [(one.severity, one.where) for one in result.findings if one.code is Code.NAME_REWRITTEN] == [
        (Severity.WARNING, "record[0].actor"),
        (Severity.WARNING, "record[0].actions[0].targets[0]"),
    ]


def test_ambiguous_and_unmatched_names_stay() -> None:
    bound = registry("Wick", "Aurelio Voss", members={"Wick": ["the old man"], "Aurelio Voss": ["The Old Man"]})
    given = [turn("the old man", [(50, 50)]), turn("Wicks", [(51, 51)]), turn("a gull", [(52, 52)])]
    result = run(answering({41: given}), references={"npcs": bound})

    assert [one["actor"] for one in turns(result)] == ["the old man", "Wicks", "a gull"]
    assert Code.NAME_REWRITTEN not in codes(result.findings)


def test_exact_duplicates_collapse_to_the_first_and_no_prose_is_merged() -> None:
    first = turn("Wick", [(50, 50), (52, 52)], action(declaration="throws the net"), summary="Throws a net.")
    given = [
        first,
        turn("WICK", [(52, 52), (50, 50)], action(declaration="throws it again"), summary="Again."),
        turn("Wick", [(50, 50)]),
        turn("Wick", [(50, 50), (52, 52)], round=1),
        turn("Wick", [(50, 50), (52, 52)], turn_kind="reaction"),
    ]
    result = run(answering({41: given}))
    kept = [(one["turn_kind"], one["round"], pairs(one)) for one in turns(result)]

    assert kept == [
        ("turn", None, [(50, 50), (52, 52)]),
        ("turn", None, [(50, 50)]),
        ("turn", 1, [(50, 50), (52, 52)]),
        ("reaction", None, [(50, 50), (52, 52)]),
    ]
    assert {**turns(result)[0], "source_refs": story.ranges([(50, 50), (52, 52)])} == first
    assert codes(result.findings).count(Code.DUPLICATE_COLLAPSED) == 1


def test_duplicates_that_only_the_registry_makes_equal_collapse() -> None:
    given = [turn("Old Wick", [(50, 50)]), turn("Wick", [(50, 50)])]
    bound = registry("Wick", members={"Wick": ["Old Wick"]})
    result = run(answering({41: given}), references={"npcs": bound})

    assert [one["actor"] for one in turns(result)] == ["Wick"]


def test_registry_is_shown_and_used_and_never_becomes_evidence() -> None:
    bound = registry("Aurelio Voss", members={"Aurelio Voss": ["Voss"]}, unit=18)
    client = answering({41: [turn("Voss", [(53, 53)])]})
    result = run(client, references={"npcs": bound})
    shown = [request.materials["npcs"] for request in client.requests]

    assert shown == [[{"name": "Aurelio Voss", "other_names": ["Voss"]}]] * 3
    assert [(one["actor"], pairs(one)) for one in turns(result)] == [("Aurelio Voss", [(53, 53)])]
    # Unit 18 proves the name in the registry; for the turn it shows nothing.
    assert ("record[0].actor", Code.EVIDENCE_UNRELATED) in [(one.where, one.code) for one in result.findings]


def test_a_registry_alone_makes_no_record() -> None:
    result = run(answering({}), references={"npcs": registry("Wick", "Aurelio Voss")})

    assert turns(result) == []


def test_independent_runs_over_one_transcript_bind_the_published_registry() -> None:
    asking = story.asking(story.groups(story.group("Harbourmaster Dell", "Dell")))
    npcs = run_lane(LANES["dnd/npcs"], story.make_job(asking), LanePorts())
    applied: Any = npcs.consolidations["applied"]
    members = {one["id"]: [member["name"] for member in one["members"]] for one in applied}
    bound = BoundReference("dnd/npcs", npcs.payload, members)
    result = run(answering({203: [turn("Dell", [(208, 208)])]}), references={"npcs": bound})

    assert [one["actor"] for one in turns(result)] == ["Harbourmaster Dell"]


@pytest.mark.parametrize("mode", ["combat", "social", "table_talk", "downtime", "exploration", "other"])
def test_no_mode_of_a_scene_suppresses_a_call(mode: str) -> None:
    scenes: Any = [
        {"title": "The pier", "primary_mode": mode, "start_unit_id": 41, "end_unit_id": 21},
        {"title": "The bell", "primary_mode": mode, "start_unit_id": 203, "end_unit_id": 211},
    ]
    client = answering({203: [turn("Pike", [(206, 206)])]})
    result = run(client, references={"scenes": BoundReference("dnd/scenes", {"scenes": scenes})})

    assert {story.first_unit(request) for request in client.requests} >= {41, 203}
    assert [one["actor"] for one in turns(result)] == ["Pike"]


def test_relatedness_only_warns_and_the_report_is_bounded() -> None:
    given = [turn("Nobody", [(unit, unit)], action(declaration="sings")) for unit in (44, 45, 46, 47)] * 60
    different = [{**one, "round": number} for number, one in enumerate(given, start=1)]
    result = run(answering({41: different}))

    assert len(turns(result)) == 240
    assert len(result.findings) == MAX_FINDINGS
    assert set(codes(result.findings)) == {Code.EVIDENCE_UNRELATED}
    assert {finding.severity for finding in result.findings} == {Severity.WARNING}


def test_findings_and_manifest_carry_no_content() -> None:
    bound = registry("Harbourmaster Dell", "Wick", members={"Harbourmaster Dell": ["Dell"]})
    result = run(answering(BRAWL), references={"npcs": bound})
    said = [*result.findings, result.manifest]

    assert not Leaks.of_standard().found_in(said)
    assert "lantern" not in str(said)
    assert "Wick" in str(result.payload)
