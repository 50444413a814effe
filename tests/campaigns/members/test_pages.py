"""The pages of members and invitations: who gets in, what a link does, and that its secret goes nowhere else."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import members
from campaigns.models import Campaign, Invitation, Membership
from tests import factories

Role = Membership.Role
GOOD = {"username": "wilm", "password1": "tide-and-lantern", "password2": "tide-and-lantern", "email": ""}


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def raw(campaign: Campaign, gm: User) -> str:
    """The secret of an invitation for one player."""
    return members.invite(campaign=campaign, role="player", days=7, most_uses=1, by=gm)[1]


def test_members_page_is_for_members_and_its_table_for_gms(
    campaign: Campaign, gm: User, player: User, reader: User, outsider: User, admin: User
) -> None:
    path = f"/campaigns/{campaign.slug}/members/"

    seen = {user.username: signed_in(user).get(path) for user in (gm, player, reader, outsider, admin)}

    assert {name: answer.status_code for name, answer in seen.items()} == {
        "gm": 200,
        "player": 200,
        "reader": 200,
        "outsider": 404,
        "admin": 200,
    }
    tables = {name for name, answer in seen.items() if "Invite somebody" in answer.content.decode()}
    assert tables == {"gm", "admin"}
    assert "reader" not in seen["player"].content.decode().lower().replace("invitation", "").partition("<main")[2]
    assert Client().get(path)["Location"] == f"/login/?next={path}"


@pytest.mark.parametrize("path", ["members/{member}/act", "invitations", "invitations/{invitation}/revoke"])
def test_acts_of_managers_are_not_there_for_others(
    campaign: Campaign, gm: User, player: User, outsider: User, raw: str, path: str
) -> None:
    at = path.format(member=campaign.memberships.get(user=gm).pk, invitation=Invitation.objects.get().pk)
    posted = {"act": "remove", "role": "gm", "days": "7", "uses": "1"}

    for user in (player, outsider):
        status = signed_in(user).post(f"/campaigns/{campaign.slug}/{at}", posted).status_code
        assert status in (403, 404)

    assert campaign.memberships.count() == 2
    assert Invitation.objects.get().revoked_at is None


def test_link_is_shown_once_and_never_stored_by_a_browser(campaign: Campaign, gm: User) -> None:
    client = signed_in(gm)

    made = client.post(f"/campaigns/{campaign.slug}/invitations", {"role": "player", "days": "7", "uses": "2"})

    found = re.search(r"http://testserver/join/(inv_[\w-]+)/", made.content.decode())
    assert found is not None
    assert made["Cache-Control"] == "no-store"
    assert found[1] not in client.get(f"/campaigns/{campaign.slug}/members/").content.decode()


def test_bad_invitation_is_one_sentence(campaign: Campaign, gm: User) -> None:
    posted = {"role": "player", "days": "1000", "uses": "1"}

    answer = signed_in(gm).post(f"/campaigns/{campaign.slug}/invitations", posted)

    assert (answer.status_code, Invitation.objects.count()) == (400, 0)
    assert "1 to 90 days" in answer.content.decode()


def test_newcomer_signs_up_by_the_link(campaign: Campaign, raw: str) -> None:
    client = Client()

    opened = client.get(f"/join/{raw}/")
    form = client.get("/join/")
    joined = client.post("/join/", GOOD)

    assert (opened.status_code, opened["Location"]) == (303, "/join/")
    assert raw not in form.content.decode()
    assert joined["Location"] == f"/campaigns/{campaign.slug}/"
    assert client.get(joined["Location"]).status_code == 200
    assert Membership.objects.get(user__username="wilm").role == Role.PLAYER


def test_secret_of_the_link_is_not_kept_in_the_session(raw: str) -> None:
    client = Client()
    client.get(f"/join/{raw}/")

    assert raw not in str(dict(client.session))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"username": "GM"}, "This user name is taken.", id="taken-in-another-case"),
        pytest.param({"password1": "short", "password2": "short"}, "too short", id="weak"),
        pytest.param({"password2": "other"}, "match", id="differ"),
    ],
)
def test_sign_up_says_what_is_wrong_and_makes_nothing(gm: User, raw: str, changed: dict[str, str], said: str) -> None:
    client = Client()
    client.get(f"/join/{raw}/")

    answer = client.post("/join/", GOOD | changed)

    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert Invitation.objects.get().uses == 0
    assert User.objects.count() == 1


def test_member_of_another_campaign_joins_with_their_account(campaign: Campaign, outsider: User, raw: str) -> None:
    client = signed_in(outsider)
    client.get(f"/join/{raw}/")

    assert not campaign.memberships.filter(user=outsider).exists()
    client.post("/join/")
    assert campaign.memberships.get(user=outsider).role == Role.PLAYER


def test_without_an_open_invitation_nobody_signs_up(campaign: Campaign, gm: User, raw: str) -> None:
    invitation = Invitation.objects.get()
    late, never = Client(), Client()
    late.get(f"/join/{raw}/")
    members.revoke_invitation(campaign=campaign, invitation_id=invitation.pk, by=gm)

    answers = [late.post("/join/", GOOD), never.post("/join/", GOOD), never.get("/join/inv_nothing/", follow=True)]

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert Client().get("/account/signup/").status_code == 404
    assert not User.objects.filter(username="wilm").exists()


def test_gm_changes_removes_and_hands_over(campaign: Campaign, gm: User, player: User, reader: User) -> None:
    client = signed_in(gm)
    ids = dict(campaign.memberships.values_list("user__username", "pk"))

    def act(name: str, **posted: str) -> int:
        return client.post(f"/campaigns/{campaign.slug}/members/{ids[name]}/act", posted).status_code

    assert act("reader", act="role", role="player") == 303
    assert act("reader", act="remove") == 303
    assert act("gm", act="role", role="reader") == 303
    assert act("player", act="transfer") == 303
    assert act("player", act="unknown") == 404
    left = signed_in(gm).post(f"/campaigns/{campaign.slug}/members/leave")
    assert left["Location"] == "/"
    assert dict(campaign.memberships.values_list("user__username", "role")) == {"player": "gm"}


def test_last_gm_is_told_why_they_cannot_leave(campaign: Campaign, gm: User) -> None:
    answer = signed_in(gm).post(f"/campaigns/{campaign.slug}/members/leave", follow=True)

    assert "does not go without a GM" in answer.content.decode()
    assert campaign.memberships.count() == 1


def test_acts_need_the_token_of_the_form(campaign: Campaign, gm: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(gm)

    assert client.post(f"/campaigns/{campaign.slug}/members/leave").status_code == 403
    assert client.post(f"/campaigns/{campaign.slug}/invitations", {"role": "gm"}).status_code == 403


def test_names_of_members_are_escaped(campaign: Campaign, gm: User) -> None:
    hostile = User.objects.create(username="<b>x</b>")
    factories.make_membership(campaign, hostile)

    page = signed_in(gm).get(f"/campaigns/{campaign.slug}/members/").content.decode()

    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "<b>x</b>" not in page
