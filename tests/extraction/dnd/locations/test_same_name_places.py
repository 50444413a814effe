"""Two places of one name are two: through identity, reconciliation and the artifact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from extraction.codes import Code
from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.locations.identity import identify
from extraction.dnd.locations.normalize import normalize
from extraction.dnd.shared.reconcile import Group, ReconcileReply, apply_groups, ask
from extraction.identity import location_id
from extraction.lanes.lane import Question, Scope
from extraction.source.documents import SourceDocument
from tests.extraction import story
from tests.extraction.dnd.registries import Pairs, Said, client, entity, ids, records, run
from tests.extraction.story import asked, descriptor, groups, make_scope

SCOPE = make_scope()
# The mill is named on two pages; that those are two mills, nothing but their anchors says.
MILLS: dict[int, list[Said]] = {41: [("The Mill", [(46, 45), (42, 42)])], 7: [("the mill", [(9, 9)])]}


def mill(name: str, *pairs: tuple[int, int], scope: Scope = SCOPE) -> Entity:
    return entity(identify, scope, name, *pairs)


def proposed(*members: dict[str, Any], canonical: dict[str, Any]) -> ReconcileReply:
    group = {"members": list(members), "canonical": canonical}
    return ReconcileReply(duplicate_groups=[Group.model_validate(group)])


@pytest.mark.parametrize(
    ("name", "pairs", "anchor"),
    [
        pytest.param("The Mill", [(42, 45)], 42, id="start"),
        pytest.param("THE  MILL", [(42, 45)], 42, id="key"),
        pytest.param("The Mill", [(203, 203), (7, 7)], 7, id="earliest-by-position-not-by-number"),
        pytest.param("The Mill", [(7, 7), (42, 45)], 42, id="in-any-order"),
        pytest.param("The Mill", [(42, 55), (42, 42)], 42, id="start-of-the-shortest"),
    ],
)
def test_identify_takes_key_session_and_anchor(name: str, pairs: Pairs, anchor: int) -> None:
    assert mill(name, *pairs).id == location_id("the mill", "salt-ferry.s1", anchor)


@pytest.mark.parametrize("pairs", [[], [(9999, 9999)]], ids=["none", "unknown"])
def test_identify_without_evidence_that_resolves_gives_no_id(pairs: Pairs) -> None:
    assert mill("The Mill", *pairs).id == ""


def test_identify_holds_over_a_new_revision_of_the_transcript() -> None:
    revised = make_scope(document=SourceDocument("salt-ferry.s1.t2", story.DOCUMENT.units[1:]))
    next_session = make_scope(document=SourceDocument("salt-ferry.s2.t1", story.DOCUMENT.units))

    assert mill("The Mill", (42, 45), scope=revised).id == mill("The Mill", (42, 45)).id
    assert mill("The Mill", (42, 45), scope=next_session).id != mill("The Mill", (42, 45)).id


def test_edit_that_moves_the_anchor_makes_a_new_id() -> None:
    before = mill("The Mill", (42, 45), (9, 9))
    added_later, added_before = mill("The Mill", (42, 45), (9, 9), (12, 12)), mill("The Mill", (41, 41), (42, 45))

    assert added_later.id == before.id
    assert added_before.id == location_id("the mill", "salt-ferry.s1", 41) != before.id


def test_normalize_unites_equal_anchors_and_keeps_others_apart() -> None:
    given = [mill("the mill", (9, 9)), mill("The Mill", (42, 45)), mill("THE MILL", (42, 42), (53, 53))]
    outcome = normalize(given, SCOPE)

    assert outcome.value == (mill("THE MILL", (42, 42), (42, 45), (53, 53)), mill("the mill", (9, 9)))


def test_two_places_of_one_name_are_two_records_with_ids_of_their_own() -> None:
    result = run("locations", client("locations", MILLS, groups()))

    assert records(result, "locations") == [("The Mill", [(42, 42), (45, 46)]), ("the mill", [(9, 9)])]
    assert ids(result, "locations") == [location_id("the mill", "salt-ferry.s1", anchor) for anchor in (42, 9)]


def test_two_places_of_one_name_in_one_reply_stay_apart() -> None:
    said: dict[int, list[Said]] = {41: [("The Mill", [(42, 42)]), ("The Mill", [(45, 46)])]}
    result = run("locations", client("locations", said, groups()))

    assert records(result, "locations") == [("The Mill", [(42, 42)]), ("The Mill", [(45, 46)])]


def test_equal_anchors_in_one_reply_are_one_record() -> None:
    said: dict[int, list[Said]] = {41: [("The Mill", [(42, 42)]), ("the mill", [(42, 44), (53, 53)])]}
    result = run("locations", client("locations", said))

    assert records(result, "locations") == [("The Mill", [(42, 42), (42, 44), (53, 53)])]


def test_question_offers_both_places_of_a_name_with_their_full_range_lists() -> None:
    scripted = client("locations", MILLS, groups())
    run("locations", scripted)
    (question,) = asked(scripted, "dnd/locations.reconcile")

    assert question.materials["candidates"] == [
        descriptor("The Mill", (42, 42), (45, 46)),
        descriptor("the mill", (9, 9)),
    ]


def test_group_that_selects_by_name_and_full_range_lists_is_applied() -> None:
    members = [descriptor("the mill", (9, 9)), descriptor("The Mill", (45, 46), (42, 42))]
    reply = groups({"members": members, "canonical": members[0]})
    result = run("locations", client("locations", MILLS, reply))

    assert records(result, "locations") == [("the mill", [(42, 42), (45, 46), (9, 9)])]
    assert ids(result, "locations") == [location_id("the mill", "salt-ferry.s1", 42)]


@pytest.mark.parametrize(
    "members",
    [
        pytest.param([descriptor("The Mill"), descriptor("the mill")], id="names-alone"),
        pytest.param([descriptor("The Mill", (42, 42)), descriptor("the mill", (9, 9))], id="part-of-the-ranges"),
        pytest.param([descriptor("The Mill", (42, 42), (46, 45)), descriptor("the mill", (9, 9))], id="reversed"),
        pytest.param([descriptor("The Mill", (42, 42), (45, 46)), descriptor("the mill")], id="one-alone"),
    ],
)
def test_group_of_a_shared_name_without_its_full_ranges_merges_nothing(members: list[dict[str, Any]]) -> None:
    reply = groups({"members": members, "canonical": members[0]})
    result = run("locations", client("locations", MILLS, reply))
    proposals: Any = result.consolidations["proposals"]

    assert len(records(result, "locations")) == 2
    assert [proposal["verdict"] for proposal in proposals] == [Code.RECONCILE_AMBIGUOUS_MEMBER.value]


def test_union_derives_the_id_from_canonical_name_and_earliest_evidence() -> None:
    given = [mill("burnt house", (41, 41)), mill("The Mill", (9, 9))]
    reply = proposed(descriptor("burnt house"), descriptor("The Mill"), canonical=descriptor("The Mill"))
    outcome = apply_groups(given, reply, SCOPE, identify)

    assert outcome.value.records == (mill("The Mill", (41, 41), (9, 9)),)
    assert outcome.value.records[0].id == location_id("the mill", "salt-ferry.s1", 41)
    assert outcome.retry is None


def test_union_that_would_take_another_places_id_is_refused() -> None:
    """The union of the later mill with the burnt house would be the mill that stands at the house's anchor."""
    given = [mill("burnt house", (41, 42)), mill("The Mill", (41, 41)), mill("The Mill", (9, 9))]
    reply = proposed(
        descriptor("burnt house"), descriptor("The Mill", (9, 9)), canonical=descriptor("The Mill", (9, 9))
    )
    outcome = apply_groups(given, reply, SCOPE, identify)

    assert outcome.value.records == tuple(given)
    assert outcome.retry is not None
    assert [finding.code for finding in outcome.retry.findings] == [Code.RECONCILE_CONFLICT]


def test_two_unions_that_would_have_one_id_are_both_refused() -> None:
    given = [
        mill("burnt house", (41, 42)),
        mill("old house", (41, 44)),
        mill("The Mill", (9, 9)),
        mill("The Mill", (12, 12)),
    ]
    pairs = [("burnt house", (9, 9)), ("old house", (12, 12))]
    reply = ReconcileReply(
        duplicate_groups=[
            Group.model_validate(
                {"members": [descriptor(house), descriptor("The Mill", at)], "canonical": descriptor("The Mill", at)}
            )
            for house, at in pairs
        ]
    )
    outcome = apply_groups(given, reply, SCOPE, identify)

    assert outcome.value.records == tuple(given)
    assert outcome.retry is not None
    assert [finding.code for finding in outcome.retry.findings] == [Code.RECONCILE_CONFLICT] * 2


def test_hundreds_of_places_of_one_name_are_grouped_by_their_ranges() -> None:
    """A town that every scene names; the group's descriptors select each record by its own ranges."""
    units = tuple(story.DOCUMENT.units)
    given = [mill("Saltwick", (unit.unit_id, unit.unit_id)) for unit in units]
    members = [descriptor("Saltwick", (unit.unit_id, unit.unit_id)) for unit in units]
    outcome = apply_groups(given, proposed(*members, canonical=members[0]), SCOPE, identify)

    assert outcome.value.records == (mill("Saltwick", *((unit.unit_id, unit.unit_id) for unit in units)),)


def test_question_about_a_town_of_every_scene_keeps_its_candidates_whole_under_a_tight_budget() -> None:
    units = [unit.unit_id for unit in story.DOCUMENT.units]
    given = [mill("Saltwick", (start, start), (end, end)) for start, end in zip(units[:18], units[18:], strict=True)]
    prompt = "dnd/locations.reconcile"
    whole = ask(prompt, given, replace(SCOPE, input_budget=10**9))
    assert isinstance(whole, Question)
    tight = ask(prompt, given, replace(SCOPE, input_budget=SCOPE.tokens(prompt, whole.materials) - 1))

    assert isinstance(tight, Question)
    assert tight.counts["windows_left_out"] >= 18
    assert tight.materials["candidates"] == whole.materials["candidates"]
    assert [len(one.source_refs) for one in given] == [2] * 18
