"""A kept merge as algebra: whatever is told, no way leads players from one of its members to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from campaigns.library.growing import Joined, grown
from campaigns.library.kept import Identity, Kept, KeptMerge, Member
from campaigns.library.sources import KINDS, Told
from campaigns.library.veil import Telling, Veil, veiled
from campaigns.spelling import name_key
from tests.campaigns.library.test_veil import World, as_json, quick, record

FEW = ("Amaris", "the grey ferryman", "Cendrik", "Dovane")
KEPT_AT = datetime(2026, 5, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Past:
    """A world with what its versions took the place of, and with groups that nobody approved."""

    world: World
    earlier: Sequence[Told]
    elsewhere: Sequence[tuple[int, Mapping[str, Any]]]

    @property
    def kept(self) -> Kept:
        return self.world.kept

    def veil(self, kept: Kept, made_at: datetime | None = None) -> Veil:
        telling = {kind: Telling(()) for kind in KINDS}
        elsewhere = [] if made_at is None else [(session, made_at, group) for session, group in self.elsewhere]
        telling[self.world.kind] = Telling(self.world.told, self.earlier, elsewhere)
        return veiled(telling, kept, lambda ref: True)


@st.composite
def told_as_one(draw: st.DrawFn, kind: str, number: int) -> Told:
    """Return an evening on which some of a few are one, often by the name of another."""
    names = draw(st.lists(st.sampled_from(FEW), min_size=1, max_size=3, unique=True))
    atoms = [record(kind, name, number, [at]) for at, name in enumerate(names, start=1)]
    size = draw(st.integers(0, len(atoms)))
    if not size:
        return Told(number, number, atoms, [])
    name = draw(st.sampled_from((*FEW, "Gavrenne")).filter(lambda name: name not in names[size:]))
    result = record(kind, name, number, list(range(1, size + 1)))
    group = {"id": result["id"], "canonical": name, "members": atoms[:size]}
    return Told(number, number, [result, *atoms[size:]], [group])


@st.composite
def pasts(draw: st.DrawFn) -> Past:
    kind = draw(st.sampled_from(("npc", "item", "location")))
    told, earlier, others = ([draw(told_as_one(kind, number)) for number in range(1, 5)] for _ in range(3))
    members = [Member(frozenset({record(kind, name, 1, [1])["id"]}), name) for name in FEW[:2]]
    kept = Kept(merges=(KeptMerge(1, kind, tuple(members), KEPT_AT),))
    world = World(kind, told, {}, kept)
    return Past(world, earlier, [(each.session_id, group) for each in others for group in each.groups])


def joined_up(sets: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """Return what can be reached from each other by way of the sets."""
    found: list[frozenset[str]] = []
    for each in sets:
        meeting = [one for one in found if one & each]
        found = [*(one for one in found if not one & each), each.union(*meeting)]
    return found


@quick
@given(pasts())
def test_no_way_leads_from_one_member_to_another(past: Past) -> None:
    shown = past.veil(past.kept).by_kind[past.world.kind]
    known = joined_up(
        frozenset({entry.entity_id, *entry.other_ids, *map(name_key, (entry.name, *entry.also_called))})
        for entry in shown.entries
    )

    for merge in past.kept.merges:
        for one in known:
            assert sum(bool(one & (member.ids | member.keys)) for member in merge.members) <= 1


@quick
@given(pasts(), st.sampled_from((None, KEPT_AT - timedelta(days=1))))
def test_what_is_stored_once_the_merge_has_grown_is_what_was_worked_out(past: Past, made_at: datetime | None) -> None:
    first = past.veil(past.kept, made_at)
    bound = replace(past.kept, merges=first.kept.merges)
    again = past.veil(bound, made_at)
    one, other = first.by_kind[past.world.kind], again.by_kind[past.world.kind]

    assert again.kept.merges == first.kept.merges
    assert as_json(one.entries) == as_json(other.entries)
    assert (one.parted, first.unknown) == (other.parted, again.unknown)


@quick
@given(pasts())
def test_what_was_made_after_the_merge_was_kept_and_never_approved_counts_for_nothing(past: Past) -> None:
    one = past.veil(past.kept).by_kind[past.world.kind]
    other = past.veil(past.kept, KEPT_AT + timedelta(seconds=1)).by_kind[past.world.kind]

    assert as_json(one.entries) == as_json(other.entries)
    assert (one.parted, one.hidden, one.names) == (other.parted, other.hidden, other.names)


def test_what_was_pending_joins_also_those_that_the_merge_has_come_to_be_about() -> None:
    """Two were told as Dovane, and Dovane as one with the first of them: neither was approved, both tell the secret."""
    amaris, ferryman, dovane = (record("npc", name, 1, [at]) for at, name in enumerate((*FEW[:2], "Dovane"), start=1))
    cendrik = record("npc", "Cendrik", 1, [1, 3])
    groups = [
        (1, {"id": dovane["id"], "canonical": "Dovane", "members": [amaris, ferryman]}),
        (1, {"id": cendrik["id"], "canonical": "Cendrik", "members": [amaris, dovane]}),
    ]
    members = tuple(Member(frozenset({each["id"]}), each["name"]) for each in (amaris, ferryman))
    past = Past(World("npc", [], {}, Kept(merges=(KeptMerge(1, "npc", members, KEPT_AT),))), [], groups)

    (merge,) = past.veil(past.kept, KEPT_AT - timedelta(days=1)).kept.merges

    assert {member.name for member in merge.members} == {*FEW[:2], "Dovane", "Cendrik"}


def test_names_that_two_members_share_stand_for_neither() -> None:
    """Two mills that are kept apart are known by their ids; a third of that name is nobody's."""
    mills = (Member(frozenset({"a"}), "Old Mill", False), Member(frozenset({"b"}), "the Old Mill", False))
    joined = Joined(
        (Identity("a", "Old Mill"), Identity("c", "Old Mill"), Identity("d", "Dovecote")), Identity("a", "")
    )
    (merge,) = grown([KeptMerge(1, "location", mills)], [joined], {"old mill": frozenset({"a", "b", "c"})})

    assert [(sorted(one.ids), sorted(one.names)) for one in merge.members] == [
        (["a", "c", "d"], ["Dovecote", "Old Mill"]),
        (["b"], ["the Old Mill"]),
    ]
    assert merge.joins([Identity("x", "dovecote"), Identity("b", "the Old Mill")])
    assert not merge.joins([Identity("x", "Old Mill"), Identity("b", "the Old Mill")])
