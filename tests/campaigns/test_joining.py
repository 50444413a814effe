"""The union of session registries, as algebra: nothing is lost, every id leads somewhere, namesakes stay apart."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.joining import Entry, Record, SessionRegistry, join
from extraction.identity import comparison_key, location_id, npc_id

NAMES = ("The Gate", "the gate", "Saltwick", "SALTWICK", "Low Chapel", "Pier")
PLACES = st.lists(
    st.lists(st.tuples(st.sampled_from(NAMES), st.integers(1, 9)), max_size=5, unique_by=lambda place: place[1]),
    max_size=5,
)


def place(session: int, name: str, *units: int) -> Record:
    return {
        "id": location_id(comparison_key(name), f"salt-ferry.s{session}", units[0]),
        "name": name,
        "source_refs": [
            {"source_id": f"salt-ferry.s{session}.t1", "start_unit_id": at, "end_unit_id": at} for at in units
        ],
    }


def person(session: int, name: str, *units: int) -> Record:
    return {**place(session, name, *units), "id": npc_id(comparison_key(name))}


def told(session: int, *records: Record, replaced: dict[str, str] | None = None) -> SessionRegistry:
    return SessionRegistry(session * 100, session, records, replaced or {})


def leads(entries: list[Entry]) -> dict[str, Entry]:
    return {entity_id: entry for entry in entries for entity_id in (entry.entity_id, *entry.other_ids)}


@given(PLACES)
def test_join_of_places_keeps_every_id_and_every_piece_of_evidence(sessions: list[list[tuple[str, int]]]) -> None:
    registries = [told(n, *(place(n, *each) for each in found)) for n, found in enumerate(sessions, start=1)]
    entries = join(registries, by_name=True)
    records = [record for registry in registries for record in registry.records]
    given_refs = Counter((ref["source_id"], ref["start_unit_id"]) for each in records for ref in each["source_refs"])
    ids = [entity_id for entry in entries for entity_id in (entry.entity_id, *entry.other_ids)]
    by_id = leads(entries)

    assert sorted(ids) == sorted({record["id"] for record in records})
    assert Counter((cited.source_id, cited.start_unit_id) for each in entries for cited in each.evidence) == given_refs
    assert all(comparison_key(by_id[record["id"]].name) == comparison_key(record["name"]) for record in records)


@given(PLACES)
def test_join_of_places_takes_names_together_only_where_no_session_has_two(
    sessions: list[list[tuple[str, int]]],
) -> None:
    registries = [told(n, *(place(n, *each) for each in found)) for n, found in enumerate(sessions, start=1)]
    entries = join(registries, by_name=True)
    most: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for registry in registries:
        keys = Counter(comparison_key(record["name"]) for record in registry.records)
        total += keys
        most |= keys
    counted = Counter(comparison_key(entry.name) for entry in entries)

    assert counted == Counter({key: 1 if most[key] == 1 else total[key] for key in total})


@given(PLACES)
def test_join_takes_id_and_name_of_the_earliest_record(sessions: list[list[tuple[str, int]]]) -> None:
    registries = [told(n, *(place(n, *each) for each in found)) for n, found in enumerate(sessions, start=1)]
    first: dict[str, Record] = {}
    entries = join(registries, by_name=True)
    by_id = leads(entries)
    for registry in registries:
        for record in registry.records:
            first.setdefault(by_id[record["id"]].entity_id, record)

    assert all(first[entry.entity_id]["name"] == entry.name for entry in entries)
    assert all(first[entry.entity_id]["id"] == entry.entity_id for entry in entries)
    assert [entry.order for entry in entries] == sorted(entry.order for entry in entries)
    assert [entry.as_json() for entry in join(registries, by_name=True)] == [entry.as_json() for entry in entries]


@given(PLACES)
def test_join_by_id_alone_unites_equal_keys_of_people(sessions: list[list[tuple[str, int]]]) -> None:
    registries = [
        told(n, *{person(n, *each)["id"]: person(n, *each) for each in found}.values())
        for n, found in enumerate(sessions, start=1)
    ]
    entries = join(registries, by_name=False)

    assert {entry.entity_id for entry in entries} == {each["id"] for one in registries for each in one.records}
    assert all(entry.other_ids == [] for entry in entries)


def test_join_has_a_consolidated_id_lead_to_its_result() -> None:
    billy, druid = person(1, "Billy", 4), person(1, "Billy the druid", 7)
    entries = join([told(1, billy, replaced={druid["id"]: billy["id"]})], by_name=False)

    assert [(entry.name, entry.other_ids) for entry in entries] == [("Billy", [druid["id"]])]


def test_join_never_leads_an_id_away_from_its_own_record() -> None:
    """One session merged the two, another has the second alone: then that id is an entry of its own."""
    billy, druid = person(1, "Billy", 4), person(2, "Billy the druid", 7)
    entries = join([told(1, billy, replaced={druid["id"]: billy["id"]}), told(2, druid)], by_name=False)

    assert [(entry.name, entry.other_ids) for entry in entries] == [("Billy", []), ("Billy the druid", [])]


def test_join_leaves_out_a_consolidation_whose_result_is_gone() -> None:
    assert join([told(1, replaced={"npc:a": "npc:b"})], by_name=False) == []


@pytest.mark.parametrize(
    ("now", "heir"),
    [
        pytest.param([place(1, "The Gate", 5)], 5, id="the-anchor-moved"),
        pytest.param([place(1, "The Gate", 5), place(1, "The Gate", 8, 3)], 8, id="the-one-that-cites-its-lines"),
        pytest.param([place(1, "The Gate", 5), place(1, "The Gate", 8)], None, id="nobody-can-tell"),
        pytest.param([place(1, "The gate", 5), place(2, "The Gate", 8)], 5, id="another-session-has-the-name"),
        pytest.param([place(1, "Pier", 5)], None, id="the-name-is-gone"),
    ],
)
def test_join_has_the_id_of_an_earlier_version_lead_to_its_heir(now: list[Record], heir: int | None) -> None:
    before = place(1, "The Gate", 3)
    registries = [
        told(n, *(each for each in now if each["source_refs"][0]["source_id"] == f"salt-ferry.s{n}.t1")) for n in (1, 2)
    ]
    by_id = leads(join(registries, by_name=True, earlier=[told(1, before)]))
    found = by_id.get(before["id"])

    assert (found.evidence[0].start_unit_id if found else None) == heir


def test_join_follows_earlier_consolidations_through_earlier_ids() -> None:
    before, member = place(1, "The Gate", 3), place(1, "North Gate", 4)
    now = place(1, "The Gate", 5)
    earlier = told(1, before, replaced={member["id"]: before["id"]})
    by_id = leads(join([told(1, now)], by_name=True, earlier=[earlier]))

    assert by_id[member["id"]].entity_id == by_id[before["id"]].entity_id == now["id"]
