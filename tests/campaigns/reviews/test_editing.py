"""Edits of the records of any lane: what is derived, what is refused and beside which field."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.actions import editing, history
from campaigns.errors import ActionError, Invalid, NotFound
from campaigns.models import ArtifactVersion, Transcript
from extraction.canonical import JsonValue
from extraction.codes import Code
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import DELL, PEOPLE, QUILLON, VOSS, WICK, cited, head, id_of, on, ranges, records

SAID: Any = {"fields": {"summary": "He shoves."}, "kept_summary": "He swings."}


@pytest.fixture
def fight(transcript: Transcript) -> ArtifactVersion:
    """Turn 0 has two actions over two ranges, turn 1 one; the registry knows whom they name."""
    factories.make_version(transcript, PEOPLE, state="approved")
    swing, shove = families.action("He swings.", "It hits.", ["Wick"]), families.action("He shoves.", None, ["Dell"])
    turns = [
        families.turn(transcript, "Aurelio Voss", [swing, shove], "He swings and shoves.", ((204, 202), (209, 209))),
        families.turn(transcript, "Wick", [families.action("He ducks.")], "He ducks.", ((206, 205),), number=1),
    ]
    return families.make_version(transcript, "combat-turns", turns)


@pytest.fixture
def sightings(transcript: Transcript) -> ArtifactVersion:
    factories.make_version(transcript, PEOPLE, state="approved")
    record: dict[str, JsonValue] = {
        "npc_id": id_of("Wick"),
        "name": "Wick",
        "kind": "mention",
        "source_refs": families.refs(transcript, ((51, 51),)),
    }
    return families.make_version(transcript, "npc-occurrences", [record])


@pytest.fixture
def plan(transcript: Transcript) -> ArtifactVersion:
    scenes = [
        families.scene("The pier", 41, 55),
        families.scene("The chapel", 7, 21),
        families.scene("The boat", 203, 211),
    ]
    return families.make_version(transcript, "scenes", scenes)


def test_edit_record_tidies_and_takes_the_registrys_spelling(fight: ArtifactVersion, gm: User) -> None:
    made = editing.edit_record(**on(fight), record=0, fields={"actor": "  MOTHER  quillon", "round": 2}, by=gm)
    (turn, _) = records(made.version)

    assert (turn["actor"], turn["round"]) == ("Mother Quillon", 2)
    assert made.decision.data["before"][0]["record"]["actor"] == "Aurelio Voss"
    assert made.decision.data["after"] == [{"record": turn}]
    assert [key["key"] for key in made.decision.keys] == ["aurelio voss", "mother quillon"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({"round": 0}, "round", id="round"),
        pytest.param({"round": 1.5}, "round", id="float"),
        pytest.param({"turn_kind": "nap"}, "turn_kind", id="kind"),
        pytest.param({"actor": ""}, "actor", id="empty"),
        pytest.param({"round": 10**30}, "round", id="too-large"),
        pytest.param({"actor": "\x00"}, "actor", id="control"),
        pytest.param({"actor": "\ud800"}, "actor", id="half-a-sign"),
        pytest.param({"summary": "x" * 20_001}, "summary", id="long"),
        pytest.param({"actions": []}, "actions", id="no-action"),
        pytest.param({"mood": "grim"}, "mood", id="unknown-field"),
        pytest.param(
            {"actions": [{"category": "nap", "declaration": "d", "targets": [], "resolution": None}]},
            "actions[0].category",
            id="inside-an-action",
        ),
    ],
)
def test_edit_record_says_what_is_wrong_beside_the_field(
    fight: ArtifactVersion, gm: User, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        editing.edit_record(**on(fight), record=1, fields=fields, by=gm)

    assert (1, field, Code.RECORD_SHAPE) in {(one.record, one.field, one.code) for one in refused.value.problems}
    assert head(fight) == fight


@pytest.mark.parametrize("field", ["id", "source_refs", "end_unit_id"])
def test_edit_record_writes_nothing_that_code_derives(fight: ArtifactVersion, gm: User, field: str) -> None:
    with pytest.raises(ActionError):
        editing.edit_record(**on(fight), record=1, fields={field: "x"}, by=gm)


@pytest.mark.parametrize(
    "fields", [{"name": "mother quillon"}, {"npc_id": id_of("Mother Quillon")}], ids=["by-name", "by-entry"]
)
def test_occurrence_is_led_to_another_entry(sightings: ArtifactVersion, gm: User, fields: dict[str, Any]) -> None:
    made = editing.edit_record(**on(sightings), record=0, fields=fields, by=gm).version

    assert (records(made)[0]["npc_id"], records(made)[0]["name"]) == (id_of("Mother Quillon"), "Mother Quillon")


@pytest.mark.parametrize("fields", [{"name": "Nobody"}, {"npc_id": id_of("Nobody")}])
def test_occurrence_of_no_entry_is_refused(sightings: ArtifactVersion, gm: User, fields: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        editing.edit_record(**on(sightings), record=0, fields=fields, by=gm)

    (problem,) = refused.value.problems
    assert (problem.field, problem.code) == ("name", Code.IDENTITY_UNRESOLVED)


def test_set_evidence_puts_endpoints_and_records_in_document_order(fight: ArtifactVersion, gm: User) -> None:
    made = editing.set_evidence(**on(fight), record=1, ranges=[(202, 204), (11, 9), (11, 9)], by=gm).version

    assert [ranges(record) for record in records(made)] == [[(9, 11), (204, 202)], [(204, 202), (209, 209)]]
    assert records(made)[0]["actor"] == "Wick"


@pytest.mark.parametrize(
    ("given", "code"), [([], Code.EVIDENCE_MISSING), ([(41, 999)], Code.EVIDENCE_UNKNOWN_UNIT)], ids=["none", "unknown"]
)
def test_set_evidence_refuses_what_cannot_be_cited(
    fight: ArtifactVersion, gm: User, given: list[tuple[int, int]], code: Code
) -> None:
    with pytest.raises(Invalid) as refused:
        editing.set_evidence(**on(fight), record=1, ranges=given, by=gm)

    assert [one.code for one in refused.value.problems] == [code]


def test_set_evidence_of_a_consolidation_goes_to_its_members(registry: ArtifactVersion, gm: User) -> None:
    given = [(18, 18), (18, 20), (210, 208)]
    made = editing.set_evidence(**on(registry), record=VOSS, ranges=given, by=gm).version
    (group,) = made.consolidations["applied"]

    assert cited(made)["Aurelio Voss"] == given
    assert [ranges(member) for member in group["members"]] == [[(18, 18), (210, 208)], [(18, 20)]]


@pytest.mark.parametrize(
    ("given", "voss", "captain"),
    [
        pytest.param([(18, 18), (17, 20), (204, 209)], [(18, 18), (204, 209)], [(17, 20)], id="holds-the-old-one"),
        pytest.param([(18, 18), (20, 21), (204, 209)], [(18, 18), (204, 209)], [(20, 21)], id="overlaps-it"),
        pytest.param([(18, 18), (204, 209), (20, 20)], [(18, 18), (204, 209)], [(20, 20)], id="lies-within-it"),
        pytest.param([(41, 211)], [(41, 211)], [(41, 211)], id="holds-everything"),
    ],
)
def test_set_evidence_of_a_consolidation_gives_members_what_takes_the_place_of_theirs(
    registry: ArtifactVersion,
    gm: User,
    given: list[tuple[int, int]],
    voss: list[tuple[int, int]],
    captain: list[tuple[int, int]],
) -> None:
    made = editing.set_evidence(**on(registry), record=VOSS, ranges=given, by=gm).version
    (group,) = made.consolidations["applied"]

    assert [ranges(member) for member in group["members"]] == [voss, captain]
    assert set(cited(made)["Aurelio Voss"]) == set(given)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        pytest.param([(18, 18)], Code.REVIEW_MEMBER_UNPROVEN, id="member-without"),
        pytest.param([(999, 999), (18, 18)], Code.EVIDENCE_UNKNOWN_UNIT, id="unknown-among-others"),
        pytest.param([(99999, 99999)], Code.EVIDENCE_UNKNOWN_UNIT, id="unknown"),
    ],
)
def test_set_evidence_of_a_consolidation_says_what_is_wrong(
    registry: ArtifactVersion, gm: User, given: list[tuple[int, int]], code: Code
) -> None:
    with pytest.raises(Invalid) as refused:
        editing.set_evidence(**on(registry), record=VOSS, ranges=given, by=gm)

    (problem,) = refused.value.problems
    assert (problem.record, problem.field, problem.code) == (VOSS, "source_refs", code)
    assert ("Captain Voss" in problem.sentence) == (code is Code.REVIEW_MEMBER_UNPROVEN)


def test_move_evidence_from_record_to_record(fight: ArtifactVersion, gm: User) -> None:
    made = editing.move_evidence(**on(fight), record=0, refs=[1], to=1, by=gm).version

    assert [ranges(record) for record in records(made)] == [[(204, 202)], [(209, 209), (206, 205)]]


def test_move_evidence_leaves_no_record_without(fight: ArtifactVersion, gm: User) -> None:
    with pytest.raises(Invalid):
        editing.move_evidence(**on(fight), record=1, refs=[0], to=0, by=gm)
    with pytest.raises(NotFound):
        editing.move_evidence(**on(fight), record=1, refs=[4], to=0, by=gm)


def test_add_record_to_a_registry_derives_its_id(registry: ArtifactVersion, gm: User) -> None:
    made = editing.add_record(**on(registry), fields={"name": " The  Bell"}, ranges=[(203, 203)], by=gm).version
    added = next(record for record in records(made) if record["name"] == "The Bell")

    assert (added["id"], ranges(added)) == (id_of("The Bell"), [(203, 203)])


def test_add_record_says_that_the_name_is_there_already(registry: ArtifactVersion, gm: User) -> None:
    with pytest.raises(Invalid) as refused:
        editing.add_record(**on(registry), fields={"name": "WICK"}, ranges=[(203, 203)], by=gm)

    assert {one.code for one in refused.value.problems} == {Code.IDENTITY_DUPLICATE}


def test_add_record_of_a_missed_turn(fight: ArtifactVersion, gm: User) -> None:
    fields: dict[str, JsonValue] = {
        "actor": "Mother Quillon",
        "turn_kind": "reaction",
        "actions": [families.action("She laughs.")],
        "summary": "She laughs.",
    }
    made = editing.add_record(**on(fight), fields=fields, ranges=[(14, 14)], by=gm).version

    assert [record["actor"] for record in records(made)] == ["Mother Quillon", "Aurelio Voss", "Wick"]


def test_delete_record_of_a_turn_and_of_a_registry(fight: ArtifactVersion, registry: ArtifactVersion, gm: User) -> None:
    assert len(records(editing.delete_record(**on(fight), record=0, by=gm).version)) == 1
    assert editing.delete_record(**on(head(registry)), record=WICK, by=gm).decision.kind == "remove"


def test_split_turn_parts_actions_and_evidence(fight: ArtifactVersion, gm: User) -> None:
    made = editing.split_turn(
        **on(fight),
        record=0,
        actions=[1],
        kept=[(204, 204)],
        ranges=[(202, 209)],
        fields={"turn_kind": "reaction", "summary": "He shoves."},
        kept_summary="He swings.",
        by=gm,
    ).version

    assert [
        (record["turn_kind"], [action["declaration"] for action in record["actions"]], ranges(record))
        for record in records(made)[:2]
    ] == [("turn", ["He swings."], [(204, 204)]), ("reaction", ["He shoves."], [(202, 209)])]


def test_split_turn_loses_no_cited_line(fight: ArtifactVersion, gm: User) -> None:
    with pytest.raises(Invalid) as refused:
        editing.split_turn(**on(fight), **SAID, record=0, actions=[1], kept=[(204, 204)], ranges=[(209, 209)], by=gm)

    assert [one.code for one in refused.value.problems] == [Code.REVIEW_EVIDENCE_LOST]


@pytest.mark.parametrize("actions", [[], [0, 1], [2]])
def test_split_turn_needs_actions_on_both_sides(fight: ArtifactVersion, gm: User, actions: list[int]) -> None:
    with pytest.raises(ActionError):
        editing.split_turn(
            **on(fight), **SAID, record=0, actions=actions, kept=[(204, 202)], ranges=[(209, 209)], by=gm
        )


def test_join_turns_unites_actions_and_evidence_and_can_be_undone(fight: ArtifactVersion, gm: User) -> None:
    made = editing.join_turns(**on(fight), records=[1, 0], by=gm).version
    (turn,) = records(made)

    assert [action["declaration"] for action in turn["actions"]] == ["He swings.", "He shoves.", "He ducks."]
    assert turn["summary"] == "He swings and shoves. He ducks."
    assert ranges(turn) == [(204, 202), (209, 209), (206, 205)]
    assert history.undo(**on(made), by=gm).version.digest == fight.digest


def test_turns_alone_are_split_and_joined(registry: ArtifactVersion, gm: User) -> None:
    with pytest.raises(ActionError):
        editing.join_turns(**on(registry), records=[DELL, QUILLON], by=gm)


def test_scene_starts_elsewhere_and_the_one_before_reaches_to_it(plan: ArtifactVersion, gm: User) -> None:
    made = editing.edit_record(**on(plan), record=1, fields={"start_unit_id": 53, "title": "Off"}, by=gm).version

    assert [(one["title"], one["start_unit_id"], one["end_unit_id"]) for one in records(made)] == [
        ("The pier", 41, 52),
        ("Off", 53, 21),
        ("The boat", 203, 211),
    ]


def test_scene_is_added_and_taken_out(plan: ArtifactVersion, gm: User) -> None:
    fields: dict[str, JsonValue] = {"title": "The bell", "primary_mode": "exploration", "start_unit_id": 16}
    added = editing.add_record(**on(plan), fields=fields, by=gm).version
    assert [one["end_unit_id"] for one in records(added)] == [55, 14, 21, 211]

    gone = editing.delete_record(**on(added), record=0, by=gm).version
    assert next((one["title"], one["start_unit_id"]) for one in records(gone)) == ("The chapel", 41)


@pytest.mark.parametrize(
    ("start", "code"),
    [
        (999, Code.EVIDENCE_UNKNOWN_UNIT),
        (None, Code.EVIDENCE_UNKNOWN_UNIT),
        ([41], Code.EVIDENCE_UNKNOWN_UNIT),
        (7, Code.SCENES_NOT_A_PARTITION),
    ],
)
def test_scene_cannot_start_where_nothing_is_or_another_does(
    plan: ArtifactVersion, gm: User, start: Any, code: Code
) -> None:
    with pytest.raises(Invalid) as refused:
        editing.edit_record(**on(plan), record=2, fields={"start_unit_id": start}, by=gm)

    assert code in {one.code for one in refused.value.problems}


def test_scene_cites_nothing(plan: ArtifactVersion, gm: User) -> None:
    with pytest.raises(ActionError):
        editing.set_evidence(**on(plan), record=0, ranges=[(41, 41)], by=gm)
