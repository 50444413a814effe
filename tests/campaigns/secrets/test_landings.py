"""What was cited of an earlier revision leads players to no line that is kept from them in the newest one."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from campaigns.actions import secrets
from campaigns.joining import Citation
from campaigns.library.sight import Edition, Sight
from campaigns.library.standing import standing_of
from campaigns.models import GameSession, Membership
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.secrets.test_still_kept import approved, gm, read, session, upload

__all__ = ["gm", "session"]

pytestmark = pytest.mark.django_db
SAID = ("We arrive.", "Pike strikes for 7 damage.", "The traitor is Borrel.", "We sleep.", "We ride.")
JOINED = (SAID[0], f"{SAID[1]} {SAID[2]}", *SAID[3:])


@pytest.fixture
def cited(session: GameSession, gm: User) -> Citation:
    """Tell of a fight that cites unit 2, keep unit 3, and join the two in a correction: return what is cited."""
    page = upload(session, SAID, gm)
    approved(page, "scenes", [families.scene("The inn", 1, 5, "combat")], gm)
    turns = [
        families.turn(page, "Pike", [families.action("strikes")], "Pike strikes.", ((2, 2),)),
        families.turn(page, "Mira", [families.action("rides")], "Mira rides.", ((5, 5),)),
    ]
    approved(page, "combat-turns", turns, gm)
    secrets.hide_range(session=session, start_unit=3, end_unit=3, by=gm)
    upload(session, JOINED, gm)
    return Citation(session.pk, session.number, page.source_id, 2, 2)


def linked(page: str) -> set[str]:
    return set(re.findall(r'href="[^"]*[?;]unit=(\d+)', page))


def test_players_are_not_led_to_a_line_that_holds_what_is_kept(session: GameSession, cited: Citation) -> None:
    assert read(session) == [SAID[0], *SAID[3:]]
    player = standing_of(Sight(session.campaign, Edition.PLAYER, True), session.number)
    game_master = standing_of(Sight(session.campaign, Edition.GM, True), session.number)

    assert (player.citations(cited), player.now(cited.source_id, 2, 2), player.reworded(cited)) == ([], None, True)
    assert player.now(cited.source_id, 5, 5) == (4, 4)
    assert game_master.now(cited.source_id, 2, 2) == (2, 2)
    assert not game_master.reworded(cited)


def test_the_page_of_a_fight_leads_players_to_the_lines_that_they_read(session: GameSession, cited: Citation) -> None:
    player = factories.make_user("bram")
    factories.make_membership(session.campaign, player, Membership.Role.PLAYER)
    client = Client()
    client.force_login(player)
    address = reverse("site-fight", kwargs={"slug": session.campaign.slug, "number": session.number, "k": 1})
    page = client.get(address).content.decode()

    assert "Pike" in page
    assert linked(page) == {"4"}
