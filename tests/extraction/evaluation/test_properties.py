"""Algebra of the scores, whatever the labels are."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.evaluation.scores import LaneScore
from tests.extraction.evaluation.labelling import INDEX, Json, action, gold_of, scene, scored

IDS = INDEX.unit_ids
PEOPLE = ("Dell", "Wick", "Mother Quillon", "Voss", "Pike")
WORDS = st.sampled_from(PEOPLE)
NOBODY = st.none() | WORDS


def ranges() -> st.SearchStrategy[list[Json]]:
    pair = st.tuples(st.integers(0, len(IDS) - 1), st.integers(0, 4))
    return st.lists(pair, min_size=1, max_size=3, unique=True).map(
        lambda pairs: [
            {"start_unit_id": IDS[start], "end_unit_id": IDS[min(start + length, len(IDS) - 1)]}
            for start, length in pairs
        ]
    )


def labels(**fields: st.SearchStrategy[object]) -> st.SearchStrategy[list[Json]]:
    also = {"also_refs": st.just([]) | ranges(), "optional": st.booleans()}
    record = st.fixed_dictionaries({"source_refs": ranges(), **also, **fields})
    return st.lists(record, min_size=1, max_size=7)


def kinds(*words: str, field: str = "kind") -> dict[str, st.SearchStrategy[object]]:
    other = st.lists(st.sampled_from(words), max_size=2).map(lambda accepted: {field: accepted})
    return {field: st.sampled_from(words), "alternatives": other}


def entities() -> st.SearchStrategy[list[Json]]:
    """Registries in which a name stands twice at most with evidence that differs, as an artifact's would."""
    return labels(name=WORDS).map(lambda records: list({_identity(record): record for record in records}.values()))


def _identity(record: Json) -> str:
    positions = {
        at
        for each in record["source_refs"]
        for at in range(INDEX.position(each["start_unit_id"]), INDEX.position(each["end_unit_id"]) + 1)
    }
    return f"{record['name']} {sorted(positions)}"


LANES: dict[str, st.SearchStrategy[list[Json]]] = {
    "dnd/npcs": entities(),
    "dnd/locations": entities(),
    "dnd/npc-occurrences": labels(name=WORDS, **kinds("dialogue", "action", "mention")),
    "dnd/item-occurrences": labels(name=WORDS, actor=NOBODY, recipient=NOBODY, **kinds("acquired", "used", "lost")),
    "dnd/spells": labels(
        caster=WORDS,
        spell=st.sampled_from(("light", "sleep")),
        level=st.none() | st.integers(0, 9),
        targets=st.lists(WORDS, max_size=2),
    ),
    "dnd/combat-turns": labels(
        actor=WORDS,
        round=st.none() | st.integers(1, 3),
        actions=st.lists(st.sampled_from(("attack", "spell")).map(action), min_size=1, max_size=2),
        **kinds("turn", "reaction", "other", field="turn_kind"),
    ),
    "dnd/enemy-events": labels(enemy=WORDS, actor=NOBODY, **kinds("appears", "damaged", "defeated")),
}
FEW = settings(max_examples=40, deadline=None)
EACH_LANE = pytest.mark.parametrize("lane", LANES)


def in_order(records: list[Json]) -> list[Json]:
    return sorted(
        records, key=lambda record: min(INDEX.position(each["start_unit_id"]) for each in record["source_refs"])
    )


def shares(score: LaneScore) -> dict[str, float | int | None]:
    named = ("precision", "recall", "f1", "evidence_precision", "evidence_recall", "order")
    accuracies = {name: value for name, value in score.details.items() if name.endswith(("_accuracy", "_agreement"))}
    return {**{name: getattr(score, name) for name in named}, **accuracies}


@EACH_LANE
@FEW
@given(data=st.data())
def test_artifact_that_says_what_the_labels_say_is_perfect(lane: str, data: st.DataObject) -> None:
    records = in_order(data.draw(LANES[lane]))
    score = scored(gold_of({lane: records}), lane, records)

    assert {value for value in shares(score).values() if value is not None} <= {1.0}
    assert score.precision == 1.0
    assert (score.missed_merges, score.false_merges) == (0, 0)
    assert (score.missed, score.unexpected) == ((), ())
    assert not any(value for name, value in score.details.items() if name.startswith("invented"))


@EACH_LANE
@FEW
@given(data=st.data())
def test_leaving_a_record_out_lowers_recall_alone(lane: str, data: st.DataObject) -> None:
    records = in_order(data.draw(LANES[lane]))
    left_out = data.draw(st.integers(0, len(records) - 1))
    gold = gold_of({lane: records})
    whole, less = scored(gold, lane, records), scored(gold, lane, [*records[:left_out], *records[left_out + 1 :]])
    required = sum(not record["optional"] for record in records)

    assert whole.recall in (None, 1.0)
    if whole.recall is not None:
        lost = 0 if records[left_out]["optional"] else 1
        assert less.recall == round((required - lost) / required, 4)
    assert less.precision in (None, 1.0)
    assert less.evidence_precision in (None, 1.0)
    assert less.order in (None, 1.0)


@EACH_LANE
@FEW
@given(data=st.data())
def test_order_of_records_changes_the_order_alone(lane: str, data: st.DataObject) -> None:
    gold = gold_of({lane: data.draw(LANES[lane])})
    found = data.draw(LANES[lane])
    shuffled = data.draw(st.permutations(found))

    assert _without_order(scored(gold, lane, shuffled)) == _without_order(scored(gold, lane, found))


@EACH_LANE
@FEW
@given(data=st.data())
def test_every_share_lies_between_nothing_and_all(lane: str, data: st.DataObject) -> None:
    gold = gold_of({lane: data.draw(LANES[lane])})
    score = scored(gold, lane, data.draw(LANES[lane]))

    assert all(value is None or 0 <= value <= 1 for value in shares(score).values())


@FEW
@given(cuts=st.sets(st.integers(1, len(IDS) - 1), max_size=6), data=st.data())
def test_scene_plan_of_the_labels_is_perfect(cuts: set[int], data: st.DataObject) -> None:
    edges = [0, *sorted(cuts), len(IDS)]
    mode = st.sampled_from(("combat", "social"))
    records = [
        scene(IDS[start], IDS[end - 1], data.draw(mode), optional=data.draw(st.booleans()))
        for start, end in pairwise(edges)
    ]
    score = scored(gold_of({"dnd/scenes": records}), "dnd/scenes", records)

    assert {value for value in shares(score).values() if value is not None} <= {1.0}


def _without_order(score: LaneScore) -> LaneScore:
    return replace(score, order=None, missed=tuple(sorted(score.missed)), unexpected=tuple(sorted(score.unexpected)))
