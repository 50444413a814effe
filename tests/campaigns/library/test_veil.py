"""The players' edition as algebra: over random registries, merges and secrets, nothing that is kept ever shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.joining import Entry, join
from campaigns.library.kept import (
    Identity,
    Kept,
    KeptEntry,
    KeptMerge,
    KeptOccurrence,
    KeptRange,
    KeptRecord,
    Member,
    ranges_of,
    subject_of,
)
from campaigns.library.mentions import Mentions
from campaigns.library.pages import Page
from campaigns.library.sources import KINDS, Told, session_registry
from campaigns.library.stretches import Stretch
from campaigns.library.veil import Telling, Veil, identities_of, veiled
from campaigns.library.veiled import Players
from campaigns.spelling import name_key
from extraction.identity import comparison_key, item_id, location_id, npc_id

NAMES = ("Amaris", "Borrel", "Cendrik", "Dovane", "Elsimir", "Fandral", "the grey ferryman", "a lame piper")
RESULTS = (None, None, "Gavrenne", "Hollimar")
UNITS = 8
quick = settings(max_examples=25, deadline=None)
ID_OF = {"npc": npc_id, "item": item_id}


@dataclass(frozen=True, slots=True)
class World:
    """What is told of one kind in a few sessions, the texts of every session's units, and what is kept."""

    kind: str
    told: Sequence[Told]
    texts: Mapping[int, Sequence[str]]
    kept: Kept

    def page(self, session: int) -> Page:
        hidden = [
            Stretch(one.start_unit_id - 1, one.end_unit_id) for one in self.kept.ranges if one.session_id == session
        ]
        return Page(lambda: list(enumerate(self.texts[session], start=1)), hidden)

    def veil(self, kept: Kept | None = None, until: int = 99) -> Veil:
        world = self if kept is None else replace(self, kept=kept)
        telling = {kind: Telling(()) for kind in KINDS}
        telling[self.kind] = Telling([told for told in self.told if told.number <= until])
        pages = {f"s{told.number}": world.page(told.session_id) for told in self.told}
        return veiled(telling, world.kept, lambda ref: pages[ref["source_id"]].keeps(ref))

    def groups(self) -> list[Mapping[str, Any]]:
        return [group for told in self.told for group in told.groups]


def identifier(kind: str, name: str, session: int, start: int) -> str:
    key = comparison_key(name)
    return location_id(key, f"c.s{session}", start) if kind == "location" else ID_OF[kind](key)


def record(kind: str, name: str, session: int, units: Sequence[int]) -> dict[str, Any]:
    refs = [{"source_id": f"s{session}", "start_unit_id": at, "end_unit_id": at} for at in units]
    return {"id": identifier(kind, name, session, units[0]), "name": name, "source_refs": refs}


@st.composite
def sessions_told(draw: st.DrawFn, kind: str, number: int) -> Told:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    atoms = [
        record(kind, name, number, sorted(draw(st.sets(st.integers(1, UNITS), min_size=1, max_size=3))))
        for name in names
    ]
    size = draw(st.sampled_from((0, 2, 2, 3)))
    if size < 2 or len(atoms) < size:
        return Told(number, number, atoms, [])
    members, rest = atoms[:size], atoms[size:]
    name = draw(st.sampled_from(RESULTS)) or draw(st.sampled_from(members))["name"]
    units = sorted({ref["start_unit_id"] for member in members for ref in member["source_refs"]})
    result = record(kind, name, number, units)
    if name in {member["name"] for member in members} and kind != "location":
        result["id"] = next(member["id"] for member in members if member["name"] == name)
    return Told(number, number, [result, *rest], [{"id": result["id"], "canonical": name, "members": members}])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    kind = draw(st.sampled_from(("npc", "item", "location")))
    told = [draw(sessions_told(kind, number)) for number in range(1, draw(st.integers(1, 3)) + 1)]
    texts = {
        one.session_id: [
            " and ".join(draw(st.lists(st.sampled_from(NAMES), max_size=2))) or "nobody" for _ in range(UNITS)
        ]
        for one in told
    }
    return World(kind, told, texts, draw(secrets_of(kind, told)))


@st.composite
def secrets_of(draw: st.DrawFn, kind: str, told: Sequence[Told]) -> Kept:
    groups = [group for one in told for group in one.groups]
    records = [each for one in told for each in one.records]
    hidden = draw(st.lists(st.sampled_from(records), max_size=2)) if records else []
    merged = draw(st.lists(st.sampled_from(groups), max_size=2)) if groups else []
    passages = draw(st.lists(st.tuples(st.sampled_from(told), st.integers(1, UNITS), st.integers(0, 2)), max_size=2))
    return Kept(
        tuple(KeptEntry(at, kind, frozenset({one["id"]}), (one["name"],)) for at, one in enumerate(hidden)),
        tuple(KeptMerge(10 + at, kind, members_of(group)) for at, group in enumerate(merged)),
        (),
        (),
        tuple(
            KeptRange(20 + at, one.session_id, f"s{one.number}", start, min(UNITS, start + more))
            for at, (one, start, more) in enumerate(passages)
        ),
    )


def members_of(group: Mapping[str, Any]) -> tuple[Member, ...]:
    return tuple(Member(frozenset({one.entity_id}), one.name) for one in identities_of(group))


def as_json(entries: Sequence[Entry]) -> list[Any]:
    return [entry.as_json() for entry in entries]


def gm_edition(world: World) -> list[Entry]:
    return join([session_registry(told) for told in world.told], by_name=KINDS[world.kind].by_name)


@quick
@given(worlds())
def test_no_hidden_id_or_name_is_in_the_registries(world: World) -> None:
    veil = world.veil()
    shown = veil.by_kind[world.kind]
    ids = {entity_id for entry in shown.entries for entity_id in (entry.entity_id, *entry.other_ids)}
    ids |= {record["id"] for told in shown.told for record in told.records}
    hidden = {entity_id for entry in world.kept.entries for entity_id in entry.ids}
    secret = Mentions.of(name for entry in world.kept.entries for name in entry.names)
    apart = {entity_id for merge in world.kept.merges for member in merge.members for entity_id in member.ids}

    assert not ids & (hidden - apart)
    assert not ids & veil.hidden()
    for entry in shown.entries:
        assert not any(secret.named(name) for name in (entry.name, *entry.also_called))


@quick
@given(worlds())
def test_no_withheld_unit_is_cited_and_nothing_stands_without_proof(world: World) -> None:
    shown = world.veil().by_kind[world.kind]

    for told in shown.told:
        page = world.page(told.session_id)
        assert all(page.keeps(ref) for record in told.records for ref in record["source_refs"])
        assert all(record["source_refs"] for record in told.records)
    assert all(entry.evidence for entry in shown.entries)


@quick
@given(worlds())
def test_a_kept_merge_is_told_nowhere(world: World) -> None:
    """No entry has two of its members: not by id, by name, by another id, nor by another name."""
    shown = world.veil().by_kind[world.kind]

    for merge in world.kept.merges:
        for entry in shown.entries:
            ids = {entry.entity_id, *entry.other_ids}
            keys = set(map(name_key, (entry.name, *entry.also_called)))
            assert sum(bool(member.ids & ids) or member.key in keys for member in merge.members) <= 1


@quick
@given(worlds())
def test_what_is_taken_apart_keeps_all_its_evidence(world: World) -> None:
    """Merges alone hide no evidence: every piece is shown once, under a member that it is of."""
    kept = Kept(merges=world.kept.merges)
    shown = world.veil(kept).by_kind[world.kind]
    before = Counter(
        (told.number, ref["start_unit_id"])
        for told in world.told
        for record in told.records
        for member in next((group["members"] for group in told.groups if group["id"] == record["id"]), [record])
        for ref in member["source_refs"]
    )
    after = Counter((cited.session, cited.start_unit_id) for entry in shown.entries for cited in entry.evidence)

    assert set(after) == set(before)
    assert after <= before


@quick
@given(worlds())
def test_without_secrets_players_know_all(world: World) -> None:
    shown = world.veil(Kept()).by_kind[world.kind]

    assert as_json(shown.entries) == as_json(gm_edition(world))
    assert [told.records for told in shown.told] == [told.records for told in world.told]


@quick
@given(worlds())
def test_hiding_more_never_shows_more(world: World) -> None:
    """Entries and passages only take evidence away. What is left of a group may stand under its own id then."""
    merges = world.kept.merges
    some = Kept(world.kept.entries[:1], merges, (), (), world.kept.ranges[:1])
    more = world.veil(Kept(world.kept.entries, merges, (), (), world.kept.ranges)).by_kind[world.kind]

    assert cited(more.told) <= cited(world.veil(some).by_kind[world.kind].told)


@quick
@given(worlds())
def test_what_a_secret_has_bound_stays_hidden_when_a_merge_is_kept_too(world: World) -> None:
    entries = Kept(world.kept.entries)
    before = world.veil(entries).by_kind[world.kind]
    bound = tuple(replace(one, ids=before.grown[one.pk]) for one in entries.entries)
    after = world.veil(Kept(bound, world.kept.merges)).by_kind[world.kind]
    ids = {record["id"] for told in after.told for record in told.records}

    assert not ids & frozenset().union(*(one.ids for one in bound))


@quick
@given(worlds(), st.integers(1, 3))
def test_as_of_a_session_is_a_campaign_that_ends_there(world: World, until: int) -> None:
    shorter = replace(world, told=[told for told in world.told if told.number <= until])

    early, alone = world.veil(until=until), shorter.veil()

    assert as_json(early.by_kind[world.kind].entries) == as_json(alone.by_kind[world.kind].entries)
    assert early.names == alone.names


@st.composite
def turns(draw: st.DrawFn, session: int) -> list[dict[str, Any]]:
    names = st.sampled_from((*NAMES, *(name for name in RESULTS if name), "Tavi the cook"))
    texts = st.lists(names, max_size=2).map(lambda said: " with ".join(said) or "a blow")
    found = []
    for _ in range(draw(st.integers(1, 4))):
        units = sorted(draw(st.sets(st.integers(1, UNITS), min_size=1, max_size=2)))
        action = {
            "category": "attack",
            "declaration": draw(texts),
            "resolution": draw(st.none() | texts),
            "targets": draw(st.lists(names, max_size=2)),
        }
        refs = [{"source_id": f"s{session}", "start_unit_id": at, "end_unit_id": at} for at in units]
        found.append(
            {
                "actor": draw(names),
                "turn_kind": "turn",
                "round": None,
                "actions": [action],
                "summary": draw(texts),
                "source_refs": refs,
            }
        )
    return found


@quick
@given(worlds(), st.data())
def test_records_say_no_hidden_name_and_name_no_two_that_are_kept_apart(world: World, data: st.DataObject) -> None:
    session = world.told[0].session_id
    given_turns = data.draw(turns(session))
    veil = world.veil()
    page = world.page(session)
    shown = Players(veil, session, page).shown("combat-turns", given_turns)
    secret = Mentions.of(veil.names)

    for turn in shown:
        assert turn["source_refs"] and all(map(page.keeps, turn["source_refs"]))
        said = [turn["summary"], *texts_of(turn)]
        assert not any(secret.named(text) for text in said)
        for merge in veil.kept.merges:
            links = Mentions((member.name, str(at)) for at, member in enumerate(merge.members))
            free = " | ".join(
                (turn["summary"], turn["actions"][0]["declaration"], turn["actions"][0]["resolution"] or "")
            )
            assert len(links.named(free)) <= 1


@quick
@given(worlds(), st.data())
def test_as_many_records_are_counted_as_are_shown(world: World, data: st.DataObject) -> None:
    session = world.told[0].session_id
    given_turns = data.draw(turns(session))
    told = KeptRecord.of(f"s{session}", "combat-turns", data.draw(st.sampled_from(given_turns)))
    kept = (KeptOccurrence(50, session, "combat-turns", (told,)),) if data.draw(st.booleans()) else ()
    players = Players(world.veil(replace(world.kept, occurrences=kept)), session, world.page(session))

    assert players.count("combat-turns", given_turns) == len(players.shown("combat-turns", given_turns))


@quick
@given(worlds(), st.data())
def test_an_occurrence_of_what_is_kept_apart_is_of_the_one_that_the_cited_lines_name(
    world: World, data: st.DataObject
) -> None:
    told = data.draw(st.sampled_from(world.told))
    source = KINDS[world.kind]
    page = world.page(told.session_id)
    records = [
        {
            source.id_field: each["id"],
            "name": each["name"],
            "kind": "mention",
            "actor": None,
            "recipient": None,
            "detail": None,
            "source_refs": [ref],
        }
        for each in told.records
        for ref in each["source_refs"]
    ]
    veil = world.veil()
    shown = Players(veil, told.session_id, page).shown(source.occurrences, records)
    parted = veil.by_kind[world.kind].parted.get(told.session_id, ())
    apart = {entity_id: one for one in parted for entity_id in one.ids}

    assert not {each[source.id_field] for each in shown} & veil.hidden()
    for each in shown:
        group = apart.get(each[source.id_field])
        if group is not None:
            named = Mentions([(one.name, one.entity_id) for one in group.identities]).named(
                page.said(each["source_refs"])
            )
            assert named == {each[source.id_field]}


@quick
@given(worlds(), st.data())
def test_a_kept_record_is_withheld_whatever_else_is(world: World, data: st.DataObject) -> None:
    session = world.told[0].session_id
    given_turns = data.draw(turns(session))
    chosen = data.draw(st.sampled_from(given_turns))
    told = KeptRecord.of(f"s{session}", "combat-turns", chosen)
    kept = KeptOccurrence(50, session, "combat-turns", (told,))
    veil = world.veil(replace(world.kept, occurrences=(kept,)))
    shown = Players(veil, session, world.page(session)).shown("combat-turns", given_turns)
    same = [turn for turn in shown if (subject_of("combat-turns", turn), ranges_of(turn)) == (told.subject, told.refs)]

    assert same == [] or veil.by_kind[world.kind].parted


def texts_of(turn: Mapping[str, Any]) -> list[str]:
    (action,) = turn["actions"]
    return [turn["actor"], action["declaration"], action["resolution"] or "", *action["targets"]]


def cited(told: Sequence[Told]) -> set[str]:
    return {json.dumps(ref) for one in told for record in one.records for ref in record["source_refs"]}


def test_identities_of_a_group_have_its_result_where_the_name_is_nobody_elses() -> None:
    group = {"id": "npc:r", "canonical": "Gavrenne", "members": [{"id": "npc:a", "name": "Amaris"}]}

    assert identities_of(group) == (Identity("npc:a", "Amaris"), Identity("npc:r", "Gavrenne"))
    assert identities_of({**group, "canonical": "amaris"}) == (Identity("npc:a", "Amaris"),)
