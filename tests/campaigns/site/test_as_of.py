"""The campaign as of an earlier session: what is not there, what choosing it answers, and what a page reads for it."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.actions import secrets
from campaigns.library.veiling import Veiling
from campaigns.models import ArtifactVersion, Campaign
from tests import factories
from tests.campaigns.site import story

HERE = "/campaigns/salt-ferry/"
PAGES = story.pages("salt-ferry")


@pytest.fixture
def told(campaign: Campaign, gm: User) -> Campaign:
    story.tell(campaign, gm)
    return campaign


def test_as_of_hides_later_sessions_everywhere_and_is_remembered(told: Campaign, player: User) -> None:
    client = story.client_of(player)
    client.get(f"{HERE}?as_of=1")
    later = [path for path in PAGES if "sessions/2" in path or story.ESBEN in path or "s2-1" in path]
    rest = [path for path in PAGES if path not in later and not path.endswith("png")]

    assert {path: client.get(path).status_code for path in later} == dict.fromkeys(later, 404)
    assert [path for path in rest if "Esben" in client.get(path).content.decode()] == []
    client.get(f"{HERE}?as_of=")
    assert "Esben Tull" in client.get(f"{HERE}npcs/").content.decode()


def test_choosing_an_earlier_session_where_nothing_is_left_leads_to_the_campaign(told: Campaign, player: User) -> None:
    for path in (f"{HERE}sessions/2/", f"{HERE}sessions/2/fights/1/", f"{HERE}npcs/{story.ESBEN}/"):
        client = story.client_of(player)
        got = client.get(f"{path}?as_of=1", follow=True)

        assert got.redirect_chain == [(HERE, 302)], path
        assert [str(each) for each in got.context["messages"]], path
        # Said once; and what was not chosen at this address is not there, as before.
        assert not list(client.get(HERE).context["messages"])
        assert client.get(path).status_code == 404


def test_answer_to_the_choice_does_not_tell_what_comes_later(told: Campaign, player: User) -> None:
    known = {f"{HERE}sessions/2/": f"{HERE}sessions/9/", f"{HERE}npcs/{story.ESBEN}/": f"{HERE}npcs/npc:sha256:x/"}
    for later, never in known.items():
        answers = [story.client_of(player).get(f"{path}?as_of=1", follow=True) for path in (later, never)]
        told_of_both = [(each.redirect_chain, [str(said) for said in each.context["messages"]]) for each in answers]

        assert told_of_both[0] == told_of_both[1]
        assert told_of_both[0][1]
        assert [
            story.client_of(player).get(f"{never}{query}").status_code for query in ("", "?as_of=", "?as_of=x")
        ] == [
            404,
            404,
            404,
        ]


def test_choosing_an_earlier_session_opens_no_campaign_that_one_may_not_see(told: Campaign, outsider: User) -> None:
    for user in (outsider, None):
        paths = [f"{HERE}sessions/2/?as_of=1", f"{HERE}?as_of=1", "/campaigns/nowhere/sessions/2/?as_of=1"]
        client = story.client_of(user)

        assert [client.get(path).status_code for path in paths] == [404, 404, 404]


def test_game_master_who_looks_as_a_player_from_a_hidden_entry_is_led_to_the_campaign(
    told: Campaign, gm: User, player: User
) -> None:
    secrets.hide_entry(campaign=told, kind="npc", entity_id=story.ESBEN, by=gm)
    here = f"{HERE}npcs/{story.ESBEN}/?see=player"

    assert story.client_of(gm).get(here, follow=True).redirect_chain == [(HERE, 302)]
    assert story.client_of(player).get(here).status_code == 404


def evenings_more(campaign: Campaign, gm: User, numbers: range) -> None:
    for number in numbers:
        transcript = factories.make_transcript(factories.make_session(campaign, number), story.LATER)
        met = [story.met(transcript, "Esben Tull", "appearance", 1, 1), story.met(transcript, "Wick", "action", 4, 4)]
        people = [story.person(transcript, "Esben Tull", ((1, 3),)), story.person(transcript, "Wick", ((4, 4),))]
        story.approve(transcript, gm, {"npcs": people, "npc-occurrences": met})


@pytest.mark.parametrize("page", ["search/?q=wick", "npcs/", "changes/", "sessions/1/"])
def test_page_as_of_a_session_with_secrets_reads_nothing_of_the_other_evenings(
    page: str, told: Campaign, gm: User, player: User
) -> None:
    secrets.hide_entry(campaign=told, kind="npc", entity_id=story.ESBEN, by=gm)
    counts = []
    for numbers in (range(3, 4), range(4, 8)):
        evenings_more(told, gm, numbers)
        client = story.client_of(player)
        client.get(f"{HERE}?as_of=9")
        with CaptureQueriesContext(connection) as seen:
            assert client.get(f"{HERE}{page}").status_code == 200
        counts.append(len(seen))

    assert counts[0] == counts[1]


@pytest.mark.parametrize("page", ["", f"npcs/{story.WICK}/"])
def test_page_as_of_a_session_works_out_each_artifact_once(
    page: str, told: Campaign, gm: User, player: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets.hide_entry(campaign=told, kind="npc", entity_id=story.ESBEN, by=gm)
    worked_out: list[int] = []
    real = Veiling.payload

    def counted(veiling: Veiling, version: ArtifactVersion) -> tuple[str, int]:
        worked_out.append(version.pk)
        return real(veiling, version)

    monkeypatch.setattr(Veiling, "payload", counted)
    assert story.client_of(player).get(f"{HERE}{page}?as_of=9").status_code == 200

    assert worked_out
    assert len(worked_out) == len(set(worked_out))


def test_as_of_that_is_no_number_hides_nothing(told: Campaign, player: User) -> None:
    client = story.client_of(player)
    shown = {given: client.get(f"{HERE}npcs/", {"as_of": given}).content for given in ("x", "-1", "1e3", "9" * 40, "²")}

    assert [given for given, page in shown.items() if b"Esben Tull" not in page] == []
