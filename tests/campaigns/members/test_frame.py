"""The pages of a campaign's administration stand in its frame, with its menu, whatever their reader sees elsewhere."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.models import Campaign, Webhook

HERE = "/campaigns/salt-ferry/"
MENU = re.compile(r'<nav aria-label="Campaign">(.*?)</nav>', re.DOTALL)
ITEM = re.compile(r'<a href="([^"]+)"(?: aria-current="(\w+)")?>([^<]+)</a>')


def menu(html: str) -> dict[str, str]:
    """Return the names in the campaign's menu, with how each is marked."""
    found = MENU.search(html)
    assert found is not None
    return {name: mark for _, mark, name in ITEM.findall(found[1])}


@pytest.fixture
def gm_client(campaign: Campaign, gm: User) -> Client:
    client = Client()
    client.force_login(gm)
    return client


def test_each_page_has_the_menu_with_its_own_item_marked(campaign: Campaign, gm: User, gm_client: Client) -> None:
    made = Webhook.objects.create(campaign=campaign, owner=gm, url="https://example.org/", site="https://here.test/")
    whole = set(menu(gm_client.get(HERE).content.decode()))
    asked = {name: gm_client.get(f"{HERE}{name}/") for name in ("members", "secrets", "webhooks")}
    asked["webhook"] = gm_client.get(f"{HERE}webhooks/{made.pk}/")
    asked["invited"] = gm_client.post(f"{HERE}invitations", {"role": "player", "days": "7", "uses": "1"})

    menus = {name: menu(answer.content.decode()) for name, answer in asked.items()}
    assert {name: set(found) for name, found in menus.items()} == dict.fromkeys(menus, whole)
    assert {name: {item: mark for item, mark in found.items() if mark} for name, found in menus.items()} == {
        "members": {"Members": "page"},
        "secrets": {"Secrets": "page"},
        "webhooks": {"Webhooks": "page"},
        "webhook": {"Webhooks": "true"},
        "invited": {"Members": "page"},
    }
    assert asked["invited"]["Cache-Control"] == "no-store"


def test_players_have_the_menu_of_players(campaign: Campaign, player: User) -> None:
    client = Client()
    client.force_login(player)

    found = menu(client.get(f"{HERE}members/").content.decode())

    assert found["Members"] == "page"
    assert {"Secrets", "Webhooks"}.isdisjoint(found)


def test_what_a_gm_chose_to_see_changes_nothing_there(campaign: Campaign, gm_client: Client) -> None:
    """These pages show all there is: none of them may say that it is what players see, or of an earlier session."""
    before = gm_client.get(f"{HERE}secrets/").content.decode()
    chosen = gm_client.get(f"{HERE}?see=player&as_of=1").content.decode()
    after = gm_client.get(f"{HERE}secrets/").content.decode()

    assert "Secrets" not in menu(chosen)
    assert menu(after) == menu(before)
    assert "what players see" in chosen and "as of session 1" in chosen
    assert "what players see" not in after and "as of session 1" not in after
