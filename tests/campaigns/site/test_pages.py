"""The website's pages: who sees what, and that nothing more is on them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.actions import versions
from campaigns.models import Campaign
from extraction.identity import comparison_key, npc_id
from extraction.source.documents import SourceUnit
from tests import factories, standard
from tests.campaigns.review import families
from tests.campaigns.site import story

HERE = "/campaigns/salt-ferry/"
PAGES = story.pages("salt-ferry")
FILES = [path for path in PAGES if "." in path.rpartition("/")[2]]


@pytest.fixture
def told(campaign: Campaign, gm: User) -> Campaign:
    story.tell(campaign, gm)
    return campaign


@pytest.fixture
def public(told: Campaign) -> Campaign:
    told.public = True
    told.save(update_fields=["public"])
    return told


def html(user: User | None, path: str) -> str:
    got = story.client_of(user).get(path)

    assert got.status_code == 200, path
    return got.content.decode()


def test_pages_open_for_members_and_for_nobody_else(
    told: Campaign, gm: User, player: User, reader: User, outsider: User, admin: User
) -> None:
    expected = {gm: 200, player: 200, reader: 200, admin: 200, outsider: 404, None: 404}
    for user, status in expected.items():
        client = story.client_of(user)
        answers = {path: client.get(path).status_code for path in PAGES}

        assert answers == dict.fromkeys(PAGES, status), user


def test_public_pages_have_no_words_of_the_table_for_nobody(public: Campaign) -> None:
    shown = {path: html(None, path) for path in PAGES if not path.endswith("png")}
    words = [unit.text for unit in (*standard.UNITS, *story.LATER)] + ["Ottilie", "Bram", "Yun", "The pier"]
    words += ["A stranger on", "green with salt", "hits him with the oar", "goes down", "Raises it"]

    assert [(path, word) for path, page in shown.items() for word in words if word in page] == []


def test_members_read_the_words_of_the_table(told: Campaign, player: User) -> None:
    page = html(player, f"{HERE}sessions/1/")

    assert "Wick, the eel-catcher" in page
    assert 'id="u50"' in page
    assert page.index('id="u55"') < page.index('id="u7"') < page.index('id="u203"')


def test_session_page_tells_scenes_people_finds_and_fights(told: Campaign, player: User) -> None:
    page = html(player, f"{HERE}sessions/1/")

    assert all(told in page for told in ("The boathouse", "Mother Quillon", "Clapper", "got by", "Saltwick"))
    assert f"{HERE}sessions/1/fights/1/" in page
    assert "?unit=41#u41" in page


def test_entry_page_tells_every_occurrence_with_its_quote_and_company(told: Campaign, player: User) -> None:
    page = html(player, f"{HERE}npcs/{story.WICK}/")

    assert "Behind her an old man is mending a net." in page
    assert "Wick catches it, and he holds it" in page
    assert "?unit=206#u206" in page
    assert "Harbourmaster Dell" in page
    assert "Aurelio Voss" in page
    assert "Mother Quillon" not in page


def test_entry_of_a_consolidation_tells_other_names_and_old_ids_lead_to_it(campaign: Campaign, gm: User) -> None:
    transcript = factories.make_transcript(factories.make_session(campaign, 1))
    old, new = npc_id(comparison_key("the eel-catcher")), story.WICK
    proof = families.refs(transcript, ((50, 52),))
    version = families.make_version(
        transcript,
        "npcs",
        [{"id": new, "name": "Wick", "source_refs": proof}],
        consolidations={
            "applied": [
                {
                    "id": new,
                    "canonical": "Wick",
                    "members": [
                        {"id": new, "name": "Wick", "source_refs": proof},
                        {"id": old, "name": "the eel-catcher", "source_refs": proof},
                    ],
                }
            ],
            "proposals": [],
        },
    )
    versions.approve(version_id=version.pk, note="", by=gm)
    got = story.client_of(gm).get(f"{HERE}npcs/{old}/")

    assert (got.status_code, got["Location"]) == (302, f"{HERE}npcs/{new}/")
    assert "the eel-catcher" in html(gm, f"{HERE}npcs/{new}/")


def test_fight_page_adds_up_the_damage_that_was_spoken(told: Campaign, player: User) -> None:
    page = html(player, f"{HERE}sessions/2/fights/1/")

    assert re.search(r'<td class="sum">21</td>', page)
    assert "12 fire" in page
    assert "Mage Armor" in page
    assert "defeated" in page


def test_fight_page_says_so_where_nobody_spoke_a_number(told: Campaign, player: User) -> None:
    page = html(player, f"{HERE}sessions/1/fights/1/")

    assert "Nobody said a number together with damage" in page
    assert "None is in the record for this stretch" in page


def test_fight_page_of_a_fight_that_there_is_not_is_not_there(told: Campaign, player: User) -> None:
    client = story.client_of(player)

    assert [client.get(f"{HERE}sessions/1/fights/{k}/").status_code for k in (0, 2)] == [404, 404]


def test_game_master_sees_as_a_player_until_they_go_back(told: Campaign, gm: User) -> None:
    story.waiting(told, 3)
    client = story.client_of(gm)
    own = client.get(HERE).content.decode()
    client.get(f"{HERE}?see=player")
    as_player = client.get(HERE).content.decode()
    back = client.get(f"{HERE}?see=gm").content.decode()

    assert "wait" in own and "for your decision" in own
    assert "You see what players see" in as_player
    assert "for your decision" not in as_player
    assert "for your decision" in back


def test_player_is_never_offered_the_game_masters_view(told: Campaign, player: User) -> None:
    story.waiting(told, 3)
    page = html(player, f"{HERE}?see=gm")

    assert "for your decision" not in page
    assert "as a player" not in page


def test_pending_names_are_on_no_page(campaign: Campaign, gm: User, player: User) -> None:
    story.second_evening(campaign, gm)
    story.waiting(campaign, 3)
    shown = [html(gm, path) for path in (HERE, f"{HERE}npcs/", f"{HERE}sessions/3/?from=0", f"{HERE}changes/")]

    assert [page for page in shown if re.search(r"/npcs/[^\"]*\">Mother Quillon", page)] == []


@pytest.mark.parametrize("path", [HERE, f"{HERE}npcs/", f"{HERE}sessions/7/", f"{HERE}changes/"])
def test_empty_pages_say_what_to_do(path: str, campaign: Campaign, gm: User, player: User) -> None:
    factories.make_session(campaign, 7)

    assert "/review/" in html(gm, path) or "approves" in html(gm, path)
    assert "game master" in html(player, path)


def test_campaign_without_sessions_leads_its_game_master_to_the_upload(campaign: Campaign, gm: User) -> None:
    assert f"{HERE}upload/" in html(gm, HERE)


def test_preview_of_a_public_campaign_tells_numbers_and_names_alone(public: Campaign) -> None:
    page = html(None, f"{HERE}npcs/{story.WICK}/")

    assert '<meta property="og:title" content="Wick · The Salt Ferry">' in page
    assert '<meta property="og:description" content="Person, met in 1 session' in page


def test_private_campaign_has_no_preview(told: Campaign, player: User) -> None:
    page = html(player, f"{HERE}npcs/{story.WICK}/")

    assert "og:" not in page
    assert '<meta name="robots" content="noindex">' in page


def test_changes_are_told_newest_first_and_followed_as_a_feed(told: Campaign, player: User) -> None:
    page = html(player, f"{HERE}changes/")
    feed = ElementTree.fromstring(html(player, f"{HERE}changes.atom"))  # noqa: S314 - written a moment ago
    titles = [entry.findtext("{*}title") or "" for entry in feed.findall("{*}entry")]

    assert page.index("New person: Esben Tull") < page.index("New person: Wick")
    assert titles[0] == "New person: Esben Tull (session 2)"
    assert "New item: Clapper (session 1)" in titles
    assert "Nothing has changed since" in html(player, f"{HERE}changes/?since=2999-01-01")
    assert html(player, f"{HERE}changes/?since=not-a-day")


def test_files_are_private_and_not_sent_twice(told: Campaign, player: User) -> None:
    client = story.client_of(player)
    for path in FILES:
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": first["ETag"]})

        assert (again.status_code, again.content) == (304, b""), path
        assert "private" in first["Cache-Control"]
        assert "Cookie" in first["Vary"]


def test_etag_of_one_sight_is_not_that_of_another(told: Campaign, player: User) -> None:
    client = story.client_of(player)
    path = f"{HERE}pictures/presence-people.svg"
    whole = client.get(path)["ETag"]

    assert client.get(f"{path}?as_of=1", headers={"If-None-Match": whole}).status_code == 200


def test_svg_file_is_not_run_as_a_page(told: Campaign, player: User) -> None:
    got = story.client_of(player).get(f"{HERE}pictures/presence-people.svg")

    assert got["Content-Type"].startswith("image/svg+xml")
    assert got["Content-Disposition"] == 'attachment; filename="salt-ferry-presence-people.svg"'
    assert "default-src 'self'" in got["Content-Security-Policy"]


def test_picture_that_there_is_not_is_not_there(told: Campaign, player: User) -> None:
    client = story.client_of(player)
    names = ("nothing", "presence-", "speaking-s9", "fight-s1-9", "fight-s1")

    assert {name: client.get(f"{HERE}pictures/{name}.svg").status_code for name in names} == dict.fromkeys(names, 404)


def test_speaking_picture_is_for_those_who_may_know_who_spoke(public: Campaign, player: User) -> None:
    path = f"{HERE}pictures/speaking-s1.svg"

    assert "Ottilie" in html(player, path)
    assert story.client_of(None).get(path).status_code == 404


def test_pages_take_a_constant_number_of_queries(campaign: Campaign, gm: User, player: User) -> None:
    paths = [HERE, f"{HERE}sessions/1/", f"{HERE}npcs/", f"{HERE}npcs/{story.WICK}/", f"{HERE}changes/"]
    story.tell(campaign, gm)
    client = story.client_of(player)
    few = {path: queries(client, path) for path in paths}
    for number in range(3, 7):
        transcript = factories.make_transcript(factories.make_session(campaign, number))
        names = [f"Guard {number}-{at}" for at in range(12)]
        records = {
            "npcs": [story.person(transcript, name, ((50, 52),)) for name in (*names, "Wick")],
            "npc-occurrences": [story.met(transcript, name, "appearance", 50, 52) for name in (*names, "Wick")],
            "scenes": [families.scene("The pier", 41, 211)],
        }
        story.approve(transcript, gm, records)

    # Quotes take two queries a transcript: the entry's page alone may grow, and by no more than that.
    many = {path: queries(client, path) for path in paths}
    entry = f"{HERE}npcs/{story.WICK}/"
    assert many.pop(entry) <= few.pop(entry) + 2 * 4
    assert many == few


def queries(client: object, path: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        got = client.get(path)  # type: ignore[attr-defined]

    assert got.status_code == 200
    return len(seen)


def test_hostile_names_are_shown_as_text(campaign: Campaign, gm: User) -> None:
    name = '<img src=x onerror=alert(1)> "Quill" & O\'Dell'
    said = [SourceUnit(1, "<b>Ottilie</b>", f"{name} arrives. </li><script>alert(1)</script>")]
    transcript = factories.make_transcript(factories.make_session(campaign, 1, "<i>Title</i>"), said)
    key = npc_id(comparison_key(name))
    records = {
        "scenes": [families.scene("<u>Scene</u>", 1, 1)],
        "npcs": [story.person(transcript, name, ((1, 1),))],
        "npc-occurrences": [story.met(transcript, name, "appearance", 1, 1)],
    }
    story.approve(transcript, gm, records)
    for path in (HERE, f"{HERE}sessions/1/", f"{HERE}npcs/", f"{HERE}npcs/{key}/", f"{HERE}changes/", "/"):
        page = html(gm, path)

        assert [raw for raw in ("<img", "<script>alert", "<i>", "<u>", "<b>Ott") if raw in page] == []


def test_hidden_entry_is_on_no_page_for_players_and_marked_for_game_masters(
    public: Campaign, gm: User, player: User
) -> None:
    client = story.client_of(gm)
    page = f"{HERE}npcs/{story.ESBEN}/"
    assert "Hide from players" in client.get(page).content.decode()
    posted = {"kind": "entry", "entry_kind": "npc", "entity_id": story.ESBEN, "next": page}

    assert client.post(f"{HERE}secrets/hide", posted)["Location"] == page
    assert "Players find Esben Tull nowhere" in client.get(page).content.decode()
    assert "hidden from players" in client.get(f"{HERE}npcs/").content.decode()
    for user in (player, None):
        reader = story.client_of(user)
        shown = {path: reader.get(path) for path in PAGES if path != page}

        assert reader.get(page).status_code == 404
        # The words of the table stay: only a passage that is kept takes them away.
        told_of = {path: got.content.partition(b'id="units"')[0] for path, got in shown.items()}
        assert [path for path, content in told_of.items() if b"Esben" in content] == []
    client.get(f"{HERE}?see=player")
    assert client.get(page).status_code == 404


def test_hidden_passage_is_not_there_for_players_and_leaves_no_trace(told: Campaign, gm: User, player: User) -> None:
    client = story.client_of(gm)
    client.post(f"{HERE}secrets/hide", {"kind": "range", "session": 1, "start_unit": 46, "end_unit": 49})
    own, theirs = (html(user, f"{HERE}sessions/1/") for user in (gm, player))

    assert "cost me two boats" in own
    assert "hidden from players" in own
    assert 'action="/campaigns/salt-ferry/secrets/' in own
    assert "cost me two boats" not in theirs
    assert re.search(r'id="u45".*?id="u50"', theirs, flags=re.DOTALL)
    assert "secret" not in theirs
    assert "There is no such unit" in html(player, f"{HERE}sessions/1/?unit=47")


def test_addresses_with_absurd_numbers_lead_nowhere(told: Campaign, player: User) -> None:
    client, huge = story.client_of(player), 10**30
    paths = (
        f"sessions/{huge}/",
        f"sessions/1/fights/{huge}/",
        f"sessions/{huge}/part",
        f"npcs/{'x' * 2_000}/",
        "npcs/%00/",
    )

    assert [path[:30] for path in paths if client.get(HERE + path).status_code != 404] == []
    queries = (
        f"sessions/1/?unit={10**17}",
        f"changes/?before={10**17}",
        "npcs/?q=%00&after=%00&after=%00",
        f"?as_of={10**8}",
    )
    assert [path for path in queries if client.get(HERE + path).status_code != 200] == []
