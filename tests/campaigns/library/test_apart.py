"""Two names that are kept apart stay apart, whatever is renamed, merged or extracted afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import secrets, versions
from campaigns.library import artifacts, registry
from campaigns.library.sessions import sessions
from campaigns.library.sight import Edition, Sight
from campaigns.models import Campaign, Secret, Transcript
from extraction.canonical import JsonValue
from extraction.identity import comparison_key, npc_id
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.library import story
from tests.campaigns.review import families

pytestmark = pytest.mark.django_db
BEGGAR, QUEEN, ZEDDA, CROW = "the beggar", "Queen Ysolde", "Zedda", "Crow"
SAID = ("The beggar waits.", "Queen Ysolde rides.", "Nobody strikes.")
UNIT = {BEGGAR: 1, "beggar": 1, QUEEN: 2, "Ysolde": 2, CROW: 3}


@dataclass(slots=True)
class Table:
    """A campaign of which a few lines are told every evening, and the first of which says that two are one."""

    campaign: Campaign
    gm: User
    pages: dict[int, Transcript] = field(default_factory=dict)

    def page(self, number: int, title: str = "") -> Transcript:
        if number not in self.pages:
            units = tuple(SourceUnit(at, "Ottilie", text) for at, text in enumerate(SAID, start=1))
            session = factories.make_session(self.campaign, number, title)
            self.pages[number] = factories.make_transcript(session, units)
        return self.pages[number]

    def merged(self, number: int, result: str, *names: str) -> tuple[list[families.Record], dict[str, JsonValue]]:
        members = [story.npc(self.page(number), name, (UNIT[name], UNIT[name])) for name in names]
        whole = story.npc(self.page(number), result, *((UNIT[name], UNIT[name]) for name in names))
        return [whole], {"applied": [story.group(whole, *members)]}

    def merge(self, number: int, result: str, *names: str) -> None:
        """Approve a registry that tells these names as one, which is called `result`."""
        records, groups = self.merged(number, result, *names)
        story.approve(self.page(number), "npcs", records, self.gm, consolidations=groups)

    def propose(self, number: int, result: str, *names: str) -> int:
        """Store the same without approving it; return its key."""
        records, groups = self.merged(number, result, *names)
        return families.make_version(self.page(number), "npcs", records, consolidations=groups).pk

    def tell(self, number: int, *names: str) -> None:
        people = [story.npc(self.page(number), name, (UNIT[name], UNIT[name])) for name in names]
        story.approve(self.page(number), "npcs", people, self.gm)

    def keep_apart(self, name: str = QUEEN) -> Secret:
        return secrets.hide_merge(campaign=self.campaign, kind="npc", entity_id=id_of(name), by=self.gm)

    def seen(self, as_of: int | None = None) -> dict[str, list[str]]:
        """Return by name what else players know each entry as."""
        sight = Sight(self.campaign, Edition.PLAYER, True, as_of)
        found = [registry.entry(sight, "npc", line.entity_id) for line in registry.entries(sight, "npc", limit=20)]
        return {one.name: one.also_called for one in found}

    def records(self, number: int, family: str, as_of: int | None = None) -> Sequence[Mapping[str, JsonValue]]:
        return artifacts.records(Sight(self.campaign, Edition.PLAYER, True, as_of), number, family)


def id_of(name: str) -> str:
    return npc_id(comparison_key(name))


@pytest.fixture
def table(gm: User) -> Table:
    campaign = factories.make_campaign("two-faces", public=True)
    factories.make_membership(campaign, gm, "gm")
    made = Table(campaign, gm)
    made.merge(1, QUEEN, BEGGAR, QUEEN)
    made.keep_apart()
    return made


def test_what_one_was_renamed_to_joins_no_other(table: Table) -> None:
    """Both are renamed to the name that the merge has got, one in each of two later sessions."""
    table.merge(1, ZEDDA, BEGGAR, QUEEN)
    table.merge(2, ZEDDA, BEGGAR)
    table.merge(3, ZEDDA, QUEEN)

    assert table.seen() == table.seen(as_of=3) == {BEGGAR: [], QUEEN: []}
    assert Client().get(f"/api/v1/campaigns/{table.campaign.slug}/npcs/{id_of(ZEDDA)}").status_code == 404


def test_two_are_not_joined_by_what_each_was_renamed_to(table: Table) -> None:
    table.merge(2, ZEDDA, BEGGAR)
    table.merge(3, ZEDDA, QUEEN)

    assert table.seen()[ZEDDA] == [BEGGAR]
    assert table.seen()[QUEEN] == []
    assert table.seen() == table.seen(as_of=3)


def test_two_are_not_joined_by_a_third_whom_each_is_merged_with(table: Table) -> None:
    table.merge(2, CROW, BEGGAR, CROW)
    table.merge(3, CROW, QUEEN, CROW)
    said = [{name, *others} for name, others in table.seen().items()]

    assert not any({BEGGAR, QUEEN} <= names or {CROW, QUEEN} <= names for names in said)
    assert {CROW, BEGGAR} in said


def test_a_third_stays_with_whom_players_were_told_first_when_it_is_told_so_no_more(table: Table) -> None:
    table.merge(2, CROW, BEGGAR, CROW)
    table.tell(2, BEGGAR, CROW)
    table.merge(3, CROW, QUEEN, CROW)

    assert table.seen() == table.seen(as_of=3) == {BEGGAR: [], CROW: [], QUEEN: []}


def test_an_article_makes_no_other_name(table: Table) -> None:
    table.merge(2, QUEEN, "beggar", QUEEN)

    assert table.seen() == {"beggar": [], BEGGAR: [], QUEEN: []}


def test_the_name_that_a_kept_merge_is_given_later_is_said_nowhere(table: Table) -> None:
    table.page(2, f"{ZEDDA} is the beggar")
    table.merge(1, ZEDDA, BEGGAR, QUEEN)
    page = table.page(1)
    story.approve(page, "scenes", [families.scene(f"{ZEDDA} at the gate", 1, 3)], table.gm)
    turn = families.turn(page, ZEDDA, [families.action("strikes")], "A blow.", ((3, 3),))
    story.approve(page, "combat-turns", [turn], table.gm)
    story.approve(page, "item-occurrences", [story.gift(page, "given", ZEDDA, (3, 3))], table.gm)

    assert [line.title for line in sessions(Sight(table.campaign, Edition.PLAYER, True))] == ["", ""]
    assert [scene["title"] for scene in table.records(1, "scenes")] == ["social"]
    assert table.records(1, "combat-turns") == []
    assert [gift["recipient"] for gift in table.records(1, "item-occurrences")] == [None]


def test_a_kept_merge_knows_every_name_that_it_was_ever_given(table: Table) -> None:
    table.merge(1, ZEDDA, BEGGAR, QUEEN)
    table.merge(1, QUEEN, BEGGAR, QUEEN)
    kept = Secret.objects.get()

    assert ZEDDA in kept.binding["names"]
    table.merge(2, ZEDDA, QUEEN)
    assert table.seen() == {BEGGAR: [], QUEEN: []}


@pytest.mark.parametrize("decide", [None, versions.reject])
def test_what_is_not_approved_changes_nothing_that_players_see(table: Table, decide: object) -> None:
    table.tell(2, BEGGAR, QUEEN)
    did = [story.occurrence(table.page(2), QUEEN, "action", (3, 3))]
    story.approve(table.page(2), "npc-occurrences", did, table.gm)
    before = (table.seen(), table.records(2, "npc-occurrences"))
    pending = table.propose(2, QUEEN, BEGGAR, QUEEN)
    if decide is versions.reject:
        versions.reject(version_id=pending, note="", by=table.gm)

    assert (table.seen(), table.records(2, "npc-occurrences")) == before
    assert (table.seen(as_of=2), table.records(2, "npc-occurrences", as_of=2)) == before


def test_a_merge_that_was_kept_while_it_was_pending_parts_its_records_before_it_is_approved(gm: User) -> None:
    made = Table(factories.make_campaign("soon"), gm)
    made.tell(1, BEGGAR, QUEEN)
    did = [
        story.occurrence(made.page(1), QUEEN, "action", (1, 1)),
        story.occurrence(made.page(1), QUEEN, "action", (2, 2)),
    ]
    story.approve(made.page(1), "npc-occurrences", did, gm)
    made.propose(1, QUEEN, BEGGAR, QUEEN)
    made.keep_apart()

    assert [one["name"] for one in made.records(1, "npc-occurrences")] == [BEGGAR, QUEEN]
    assert made.records(1, "npc-occurrences") == made.records(1, "npc-occurrences", as_of=1)
