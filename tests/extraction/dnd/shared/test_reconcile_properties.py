"""Whatever a model proposes, no record is lost, doubled, or put out of order."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from extraction.dnd.artifacts.registry import Entity
from extraction.dnd.npcs.identity import identify
from extraction.dnd.npcs.normalize import normalize
from extraction.dnd.shared.reconcile import ReconcileReply, apply_groups, assess_groups
from extraction.dnd.shared.references import validate_canonical_refs, validate_record_order
from extraction.identity import comparison_key
from extraction.source.references import earliest
from tests import standard
from tests.extraction.story import make_scope, ref

SCOPE = make_scope(table={})
UNIT_IDS = [unit.unit_id for unit in standard.UNITS]
NAMES = [
    "Wick",
    "WICK",
    "Old Wick",
    "Dell",
    "O'Dell",
    "O\u00b4Dell",
    "Voss",
    "Captain  Voss",
    "captain voss",
    "Quillon",
]


@st.composite
def references(draw: st.DrawFn) -> Any:
    first = draw(st.integers(0, len(UNIT_IDS) - 1))
    last = draw(st.integers(first, len(UNIT_IDS) - 1))
    return ref(UNIT_IDS[first], UNIT_IDS[last])


@st.composite
def registries(draw: st.DrawFn) -> tuple[Entity, ...]:
    """Extracted records, as the deterministic part of normalize leaves them."""
    record = st.builds(
        Entity, st.just(""), st.sampled_from(NAMES), st.lists(references(), min_size=1, max_size=4).map(tuple)
    )
    return normalize(draw(st.lists(record, max_size=12)), SCOPE).value


descriptors = st.fixed_dictionaries(
    {
        "name": st.sampled_from([*NAMES, "Nobody", ""]),
        "source_refs": st.lists(
            st.fixed_dictionaries(
                {"start_unit_id": st.sampled_from([*UNIT_IDS, 999]), "end_unit_id": st.sampled_from(UNIT_IDS)}
            ),
            max_size=1,
        ),
    }
)
bare = st.sampled_from(NAMES).map(lambda name: {"name": name, "source_refs": []})
proposals = st.lists(
    st.fixed_dictionaries({"members": st.lists(bare | descriptors, max_size=4), "canonical": bare | descriptors}),
    max_size=5,
).map(lambda groups: ReconcileReply.model_validate({"duplicate_groups": groups}))


@given(registries(), proposals)
def test_apply_groups_represents_every_record_once_and_conserves_evidence(
    records: tuple[Entity, ...], reply: ReconcileReply
) -> None:
    outcome = apply_groups(records, reply, SCOPE, identify)
    settled = outcome.value.records
    safe = [verdict for verdict in assess_groups(reply.duplicate_groups, records, SCOPE) if verdict.code is None]
    grouped = [member for verdict in safe for member in verdict.members]

    assert len(grouped) == len(set(grouped))
    assert len(settled) == len(records) - sum(len(verdict.members) - 1 for verdict in safe)
    assert {one for record in settled for one in record.source_refs} == {
        one for record in records for one in record.source_refs
    }
    for number, record in enumerate(records):
        own = set(record.source_refs)
        heirs = [verdict.canonical for verdict in safe if number in verdict.members] or [number]
        name = records[heirs[0] or 0].name
        assert [own <= set(result.source_refs) for result in settled if result.name == name] == [True]


@given(registries(), proposals)
def test_apply_groups_keeps_the_order_of_earliest_members(records: tuple[Entity, ...], reply: ReconcileReply) -> None:
    settled = apply_groups(records, reply, SCOPE, identify).value.records
    safe = [verdict for verdict in assess_groups(reply.duplicate_groups, records, SCOPE) if verdict.code is None]
    heirs = {min(verdict.members): records[verdict.canonical or 0].name for verdict in safe}
    gone = {member for verdict in safe for member in verdict.members} - heirs.keys()
    names = [heirs.get(number, record.name) for number, record in enumerate(records) if number not in gone]

    assert [record.name for record in settled] == names
    assert validate_record_order(settled, SCOPE) == []
    assert validate_canonical_refs(settled, SCOPE) == []
    places = [earliest(record.source_refs, SCOPE.index) for record in settled]
    assert places == sorted(places)


@given(registries(), proposals, st.randoms())
def test_apply_groups_ignores_the_order_of_groups_and_of_members(
    records: tuple[Entity, ...], reply: ReconcileReply, random: Any
) -> None:
    shuffled = [
        group.model_copy(update={"members": random.sample(group.members, len(group.members))})
        for group in random.sample(reply.duplicate_groups, len(reply.duplicate_groups))
    ]
    turned = ReconcileReply(duplicate_groups=shuffled)

    assert apply_groups(records, turned, SCOPE, identify).value.records == (
        apply_groups(records, reply, SCOPE, identify).value.records
    )


@given(registries())
def test_normalize_unites_names_of_equal_comparison_key_and_is_idempotent(records: tuple[Entity, ...]) -> None:
    keys = [comparison_key(record.name) for record in records]

    assert len(keys) == len(set(keys))
    assert normalize(records, SCOPE).value == records
