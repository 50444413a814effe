"""Documents in the shape that Foundry's import takes, in which nothing that somebody said is a command."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User

from campaigns.exports import foundry
from campaigns.library.sight import Edition
from campaigns.models import Campaign, Unit
from tests.campaigns.exports.telling import sight, taken_out, tell

Documents = dict[str, dict[str, Any]]


def documents(campaign: Campaign, edition: Edition = Edition.GM) -> Documents:
    return {path: orjson.loads(data) for path, data in taken_out(foundry.files, sight(campaign, edition)).items()}


def test_documents_have_the_shape_of_their_type(campaign: Campaign, gm: User) -> None:
    tell(campaign, gm)
    found = documents(campaign)
    journal, actor = found["journal/people/Wick.json"], found["actors/Wick.json"]

    assert set(found) == {
        "journal/people/Wick.json",
        "journal/items/Wick.json",
        "journal/places/Saltwick.json",
        "journal/places/Saltwick (2).json",
        "journal/sessions/Session 001 The ferry.json",
        "journal/sessions/Session 007.json",
        "actors/Wick.json",
    }
    for document in found.values():
        assert re.fullmatch(r"[A-Za-z0-9]{16}", document["_id"])
        assert document["_stats"]["coreVersion"] == foundry.CORE
        assert document["folder"] is None
    for page in journal["pages"]:
        assert page["type"] == "text"
        assert page["text"]["format"] == 1
        assert page["title"] == {"show": True, "level": 1}
    assert actor["type"] == "npc"
    assert "Wick, the eel-catcher." in actor["system"]["details"]["biography"]["value"]
    assert (
        "Corwen holds the longboat off."
        in found["journal/sessions/Session 001 The ferry.json"]["pages"][1]["text"]["content"]
    )


def test_ids_are_the_same_every_time_and_differ_from_each_other(campaign: Campaign, gm: User) -> None:
    tell(campaign, gm)
    one, other = documents(campaign), documents(campaign)
    ids = [document["_id"] for document in one.values()]
    ids += [page["_id"] for document in one.values() for page in document.get("pages", ())]

    assert one == other
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(("edition", "seen"), [(Edition.PLAYER, 2), (Edition.GM, 0)])
def test_players_may_look_at_what_is_of_their_edition(
    campaign: Campaign, gm: User, edition: Edition, seen: int
) -> None:
    tell(campaign, gm)
    found = documents(campaign, edition)

    assert {document["ownership"]["default"] for document in found.values()} == {seen}
    told = orjson.dumps(found["journal/sessions/Session 001 The ferry.json"])
    assert (b"So the captain is dead." in told) == (edition is Edition.GM)


HARM = "<img src=x onerror=alert(1)> [[/roll 9d9]] @UUID[Actor.x]{y} &Reference[prone] @Embed[z] [[[/r 1]]"


def test_nothing_said_is_markup_or_a_command(campaign: Campaign, gm: User) -> None:
    tell(campaign, gm, lambda text: f"{HARM} {text}"[:200])
    Unit.objects.update(speaker=HARM, text=HARM)
    for document in documents(campaign).values():
        told = [page["text"]["content"] for page in document.get("pages", ())]
        told.append(document.get("system", {}).get("details", {}).get("biography", {}).get("value", ""))
        for html in told:
            assert "<img" not in html
            assert "[[" not in html
            assert not re.search(r"(@|&amp;)\w+\[", html)
