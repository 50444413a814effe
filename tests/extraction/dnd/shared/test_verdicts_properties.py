"""Whatever people decided and a model proposes: no record is lost, and no decision that stands is broken."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from extraction.dnd.npcs.identity import identify
from extraction.dnd.shared.reconcile import ReconcileReply, apply_groups
from extraction.dnd.shared.registry import identity_validator
from extraction.identity import comparison_key
from extraction.lanes.job import Judged, Judgement, NamedRecord
from tests.extraction.story import group, groups, make_scope, npc

NAMES = ("Wick", "Dell", "Quillon", "Voss", "Pell")
RECORDS = [npc(name, (at, at)) for name, at in zip(NAMES, (41, 50, 11, 204, 210), strict=True)]
SETS = st.lists(st.sampled_from(NAMES), min_size=2, max_size=3, unique=True)


@st.composite
def judgements(draw: st.DrawFn) -> list[Judgement]:
    said = []
    for decision in range(draw(st.integers(0, 6))):
        names = draw(SETS)
        members = tuple(NamedRecord(comparison_key(name)) for name in names)
        kind = draw(st.sampled_from(list(Judged)))
        if kind is Judged.RENAME:
            new = draw(st.sampled_from([*NAMES, "Somebody", "Nobody"]))
            said.append(Judgement(decision, kind, members[:1], new))
        elif kind is Judged.CANONICAL:
            said.append(Judgement(decision, kind, members, chosen=members[0]))
        else:
            said.append(Judgement(decision, kind, members))
    return said


@given(said=judgements(), proposed=st.lists(SETS, max_size=3))
def test_every_record_is_represented_and_every_standing_decision_holds(
    said: list[Judgement], proposed: list[list[str]]
) -> None:
    scope = make_scope(verdicts=tuple(said))
    reply = ReconcileReply.model_validate(groups(*(group(*members) for members in proposed)))
    settled = apply_groups(RECORDS, reply, scope, identify).value
    said_of: Any = settled.consolidations
    applied = {one["id"]: [member["name"] for member in one["members"]] for one in said_of["applied"]}
    classes = [applied.get(record.id, [record.name]) for record in settled.records]
    removed = [record["name"] for record in said_of.get("removed", [])]
    outcomes = {one["decision"]: one["outcome"] for one in said_of.get("decisions", [])}
    where = {comparison_key(name): at for at, members in enumerate(classes) for name in members}

    assert sorted([*(name for members in classes for name in members), *removed]) == sorted(NAMES)
    assert identity_validator(identify)(settled.records, scope) == []
    assert {ref for record in settled.records for ref in record.source_refs} == {
        ref for record in RECORDS if record.name not in removed for ref in record.source_refs
    }
    for judgement in said:
        if outcomes[judgement.decision] != "applied":
            continue
        places = {where.get(named.key) for named in judgement.members}
        if judgement.kind is Judged.SAME:
            assert len(places) == 1
        elif judgement.kind is Judged.APART:
            assert len(places) > 1 or places == {None}
        elif judgement.kind is Judged.REMOVE:
            assert places == {None}


@given(said=judgements(), proposed=st.lists(SETS, max_size=3), turn=st.randoms())
def test_order_of_decisions_settles_nothing(
    said: list[Judgement], proposed: list[list[str]], turn: random.Random
) -> None:
    shuffled = list(said)
    turn.shuffle(shuffled)
    reply = ReconcileReply.model_validate(groups(*(group(*members) for members in proposed)))
    one, other = (
        apply_groups(RECORDS, reply, make_scope(verdicts=tuple(order)), identify).value for order in (said, shuffled)
    )

    assert one.records == other.records
