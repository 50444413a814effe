"""Places of one name: told apart by evidence in the request and in the reply, refused where they cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.dnd.location_occurrences.projection import CONTEXT_UNITS, contextual
from extraction.dnd.shared.bound import bound_entities
from extraction.errors import LaneFailed
from extraction.lanes.job import BoundReference, Retries
from extraction.llm.scripted import ScriptedClient
from tests.extraction import story
from tests.extraction.dnd.occurrence_cast import LOCATION, Entry, bound, durable_id, pages, pairs_of, records_of

NEAR: Entry = ("Long Pier", [(41, 42), (55, 55)])
FAR: Entry = ("long pier", [(203, 203)])
LONE: Entry = ("Saltwick", [(41, 41)])
REGISTRY = (NEAR, LONE, FAR)


def references(*entries: Entry, **changes: Any) -> dict[str, BoundReference]:
    return {"locations": bound("locations", *entries, **changes)}


def projected(*entries: Entry, **changes: Any) -> list[Any]:
    scope = story.make_scope(references=references(*entries, **changes))
    return list(contextual(bound_entities(scope, "locations"), scope.index))


def met(name: str, chosen: list[tuple[int, int]], *pairs: tuple[int, int]) -> dict[str, JsonValue]:
    return LOCATION.met(name, *pairs, registry_refs=story.ranges(chosen))


def run(*said: dict[str, JsonValue]) -> Any:
    return LOCATION.run(pages(third=said), references=references(*REGISTRY))


# What is shown


def test_contextual_shows_every_entry_in_one_shape_and_registry_order() -> None:
    shown = projected(*REGISTRY)

    assert [entry["name"] for entry in shown] == ["Long Pier", "Saltwick", "long pier"]
    assert all(list(entry) == ["name", "registry_refs", "context"] for entry in shown)
    assert shown[1] == {"name": "Saltwick", "registry_refs": [], "context": []}


def test_contextual_gives_a_shared_name_its_full_ranges_and_what_they_say() -> None:
    near, _, far = projected(*REGISTRY)

    assert near["registry_refs"] == story.ranges([(41, 42), (55, 55)])
    assert [unit["unit_id"] for unit in near["context"]] == [41, 42, 55]
    assert far["context"] == [
        {"unit_id": 203, "text": "At midnight the bell rings, out past the bar, slow as breathing."}
    ]
    assert all(unit.keys() == {"unit_id", "text"} for unit in near["context"])


def test_contextual_puts_ranges_in_canonical_order_whatever_the_registry_has() -> None:
    near, _ = projected(("Long Pier", [(203, 203), (55, 55), (41, 42), (55, 55)]), ("Long Pier", [(9, 9)]))

    assert near["registry_refs"] == story.ranges([(41, 42), (55, 55), (203, 203)])


def test_contextual_bounds_the_units_but_never_the_ranges() -> None:
    everywhere: Entry = ("Long Pier", [(unit.unit_id, unit.unit_id) for unit in story.DOCUMENT.units])
    shown, _ = projected(everywhere, ("Long Pier", [(9, 11)]))
    positions = [story.make_scope().index.position(unit["unit_id"]) for unit in shown["context"]]

    assert len(shown["registry_refs"]) == len(story.DOCUMENT.units)
    assert len(positions) == CONTEXT_UNITS
    assert (positions[0], positions[-1]) == (0, len(story.DOCUMENT.units) - 1)
    assert positions == sorted(set(positions))


def test_contextual_repeats_no_unit_that_ranges_share() -> None:
    shown, _ = projected(("Long Pier", [(41, 44), (42, 45)]), ("Long Pier", [(9, 9)]))

    assert [unit["unit_id"] for unit in shown["context"]] == [41, 42, 44, 45]


def test_unique_names_of_another_source_show_no_ranges() -> None:
    assert projected(LONE, source_id="salt-ferry.s0.t1") == [{"name": "Saltwick", "registry_refs": [], "context": []}]


# What may be selected


@pytest.mark.parametrize(
    ("name", "chosen", "entry"),
    [
        pytest.param("Long Pier", [(41, 42), (55, 55)], NEAR, id="first"),
        pytest.param("Long Pier", [(203, 203)], FAR, id="second"),
        pytest.param("LONG PIER", [(55, 55), (41, 42)], NEAR, id="order-and-case-do-not-matter"),
        pytest.param("Saltwick", [], LONE, id="unique"),
    ],
)
def test_selection_resolves_to_exactly_one_entry(name: str, chosen: list[tuple[int, int]], entry: Entry) -> None:
    (record,) = records_of(run(met(name, chosen, (204, 204))))

    assert record["location_id"] == durable_id("locations", *entry)
    assert record["name"] == entry[0]


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        pytest.param("Long Pier", [], id="shared-name-alone"),
        pytest.param("Long Pier", [(41, 42)], id="part-of-the-ranges"),
        pytest.param("Long Pier", [(41, 42), (55, 55), (203, 203)], id="more-than-the-ranges"),
        pytest.param("Long Pier", [(42, 41), (55, 55)], id="no-endpoint-is-swapped"),
        pytest.param("Long Pier", [(41, 55)], id="ranges-joined"),
        pytest.param("Long Pier", [(204, 204)], id="ranges-of-nothing"),
        pytest.param("Saltwick", [(41, 41)], id="ranges-that-were-not-shown"),
        pytest.param("Saltwick", [(203, 203)], id="ranges-of-another-entry"),
        pytest.param("Pier", [(203, 203)], id="ranges-do-not-mend-a-name"),
    ],
)
def test_selection_that_was_not_offered_invalidates_the_operation(name: str, chosen: list[tuple[int, int]]) -> None:
    with pytest.raises(LaneFailed) as caught:
        run(met("Saltwick", [], (204, 204)), met(name, chosen, (204, 204)))

    assert [(finding.code, finding.where) for finding in caught.value.findings] == [
        (Code.IDENTITY_UNRESOLVED, "chunk[2].record[1]")
    ]


def test_registry_evidence_never_becomes_occurrence_evidence() -> None:
    result = run(met("Long Pier", [(203, 203)], (209, 204)), met("Long Pier", [(41, 42), (55, 55)], (210, 210)))

    assert [pairs_of(record) for record in records_of(result)] == [[(204, 209)], [(210, 210)]]
    assert all(record.keys() == {"location_id", "name", "kind", "source_refs"} for record in records_of(result))


def test_selector_as_evidence_is_refused_outside_its_chunk() -> None:
    with pytest.raises(LaneFailed) as caught:
        run(met("Long Pier", [(41, 42), (55, 55)], (41, 42)))

    assert {finding.code for finding in caught.value.findings} == {Code.EVIDENCE_OUTSIDE_CHUNK}


# What cannot be asked


@pytest.mark.parametrize(
    ("entries", "changes", "code", "where"),
    [
        pytest.param(
            [NEAR, FAR], {"source_id": "salt-ferry.s0.t1"}, Code.REFERENCE_UNRESOLVABLE, [0, 1], id="another-source"
        ),
        pytest.param(
            [NEAR, LONE, ("Long Pier", [(203, 999)])], {}, Code.REFERENCE_UNRESOLVABLE, [2], id="unknown-unit"
        ),
        pytest.param([NEAR, ("Long Pier", [(209, 204)])], {}, Code.REFERENCE_UNRESOLVABLE, [1], id="reversed"),
        pytest.param(
            [("Long Pier", [(41, 41), (9, 9)]), LONE, ("Long Pier", [(9, 9), (41, 41)])],
            {},
            Code.REFERENCE_INDISTINCT,
            [0, 2],
            id="equal-selectors",
        ),
    ],
)
def test_places_that_cannot_be_told_apart_fail_without_a_call_or_a_retry(
    entries: list[Entry], changes: dict[str, str], code: Code, where: list[int]
) -> None:
    client = ScriptedClient()
    with pytest.raises(LaneFailed) as caught:
        LOCATION.run(client, references=references(*entries, **changes), retries=Retries(extract=2))

    assert caught.value.code == code
    assert [(finding.code, finding.where) for finding in caught.value.findings] == [
        (code, f"locations[{number}]") for number in where
    ]
    assert client.requests == []


def test_entry_without_evidence_cannot_share_its_name() -> None:
    registry = bound("locations", NEAR, FAR)
    records: Any = registry.payload["locations"]
    records[1]["source_refs"] = []
    client = ScriptedClient()
    with pytest.raises(LaneFailed) as caught:
        LOCATION.run(client, references={"locations": registry})

    assert caught.value.code == Code.REFERENCE_UNRESOLVABLE
    assert client.requests == []


def test_unique_names_with_ranges_of_nowhere_are_not_judged() -> None:
    client = pages([LOCATION.met("Saltwick", (41, 41))])
    result = LOCATION.run(client, references=references(("Saltwick", [(9999, 9999)])))

    assert [record["name"] for record in records_of(result)] == ["Saltwick"]
