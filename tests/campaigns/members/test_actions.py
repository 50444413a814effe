"""Who belongs to a campaign: every act, its audit row, its refusals, and the rule that a GM stays."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django import db
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.actions import audit, members
from campaigns.errors import ActionError, Conflict, Forbidden, NotFound
from campaigns.models import AuditEntry, Campaign, Invitation, Membership
from extraction.codes import Code
from tests import factories
from tests.at_once import at_once

Role = Membership.Role


def invite(campaign: Campaign, by: User, **changes: Any) -> tuple[Invitation, str]:
    return members.invite(campaign=campaign, by=by, **{"role": "player", "days": 7, "most_uses": 1, **changes})


def member_of(campaign: Campaign, user: User) -> Membership:
    return campaign.memberships.get(user=user)


def roles(campaign: Campaign) -> dict[str, str]:
    return dict(campaign.memberships.values_list("user__username", "role"))


def acts() -> list[str]:
    return list(AuditEntry.objects.order_by("pk").values_list("act", flat=True))


def test_invitation_stores_no_secret_and_opens_by_it(campaign: Campaign, gm: User) -> None:
    invitation, raw = invite(campaign, gm)

    stored = Invitation.objects.values_list("prefix", "digest").get()
    assert all(raw not in value and raw[10:] not in value for value in stored)
    assert members.open_invitation(raw, timezone.now()) == invitation
    assert members.open_invitation(raw[:-1] + ("A" if raw[-1] != "A" else "B"), timezone.now()) is None
    assert raw not in str(AuditEntry.objects.values_list("facts", "subject"))


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"role": "admin"}, id="role"),
        pytest.param({"days": 0}, id="no-day"),
        pytest.param({"days": members.MOST_DAYS + 1}, id="too-long"),
        pytest.param({"most_uses": 0}, id="nobody"),
        pytest.param({"most_uses": members.MOST_USES + 1}, id="too-many"),
    ],
)
def test_invitation_out_of_bounds_is_refused(campaign: Campaign, gm: User, wrong: dict[str, Any]) -> None:
    with pytest.raises(ActionError) as refused:
        invite(campaign, gm, **wrong)

    assert refused.value.code is Code.INVITATION_INVALID
    assert not Invitation.objects.exists()


def test_accept_makes_a_member_once_and_counts_the_use(campaign: Campaign, gm: User, outsider: User) -> None:
    invitation, _ = invite(campaign, gm, role="reader")

    first = members.accept(invitation_id=invitation.pk, user=outsider)

    invitation.refresh_from_db()
    assert (first.role, invitation.uses) == (Role.READER, 1)
    assert acts() == ["invitation.create", "member.join"]
    with pytest.raises(NotFound):
        members.accept(invitation_id=invitation.pk, user=factories.make_user())


def test_accept_leaves_a_member_as_they_are(campaign: Campaign, gm: User) -> None:
    invitation, _ = invite(campaign, gm, role="reader")

    members.accept(invitation_id=invitation.pk, user=gm)

    invitation.refresh_from_db()
    assert (member_of(campaign, gm).role, invitation.uses) == (Role.GM, 0)


@pytest.mark.parametrize("state", ["ended", "revoked", "used"])
def test_closed_invitation_opens_nothing(campaign: Campaign, gm: User, outsider: User, state: str) -> None:
    invitation, raw = invite(campaign, gm)
    closed: dict[str, dict[str, Any]] = {
        "ended": {"expires_at": timezone.now()},
        "revoked": {"revoked_at": timezone.now()},
        "used": {"uses": 1},
    }
    Invitation.objects.update(**closed[state])

    assert members.open_invitation(raw, timezone.now() + timedelta(seconds=1)) is None
    with pytest.raises(NotFound) as refused:
        members.accept(invitation_id=invitation.pk, user=outsider)
    assert refused.value.code is Code.INVITATION_UNKNOWN


def test_invitation_of_another_campaign_is_not_revoked(campaign: Campaign, gm: User) -> None:
    invitation, raw = invite(campaign, gm)

    with pytest.raises(NotFound):
        members.revoke_invitation(campaign=factories.make_campaign(), invitation_id=invitation.pk, by=gm)

    assert members.open_invitation(raw, timezone.now()) == invitation
    members.revoke_invitation(campaign=campaign, invitation_id=invitation.pk, by=gm)
    assert members.open_invitation(raw, timezone.now()) is None


def test_sign_up_makes_account_and_membership(campaign: Campaign, gm: User) -> None:
    invitation, _ = invite(campaign, gm)

    user, member = members.sign_up(
        invitation_id=invitation.pk, username="wilm", password="tide-and-lantern", email="Wilm@Example.org"
    )

    assert user.check_password("tide-and-lantern")
    assert (user.email, user.is_staff, user.is_superuser, member.role) == ("wilm@example.org", False, False, "player")


def test_sign_up_without_an_open_invitation_leaves_no_account(campaign: Campaign, gm: User) -> None:
    invitation, _ = invite(campaign, gm)
    members.revoke_invitation(campaign=campaign, invitation_id=invitation.pk, by=gm)

    with pytest.raises(NotFound):
        members.sign_up(invitation_id=invitation.pk, username="wilm", password="tide-and-lantern", email="")

    assert not User.objects.filter(username="wilm").exists()


def test_sign_up_with_a_taken_name_uses_nothing(campaign: Campaign, gm: User) -> None:
    invitation, _ = invite(campaign, gm)

    with pytest.raises(ActionError):
        members.sign_up(invitation_id=invitation.pk, username=gm.username, password="tide-and-lantern", email="")

    invitation.refresh_from_db()
    assert invitation.uses == 0


def test_sign_up_with_a_name_that_differs_by_case_alone_is_refused(campaign: Campaign, gm: User) -> None:
    invitation, _ = invite(campaign, gm)

    with pytest.raises(ActionError):
        members.sign_up(invitation_id=invitation.pk, username="GM", password="tide-and-lantern", email="")

    assert not User.objects.filter(username="GM").exists()


def test_sign_up_with_a_name_that_is_taken_meanwhile_is_refused(
    campaign: Campaign, gm: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look and the writing somebody takes the name: only the database can tell."""
    invitation, _ = invite(campaign, gm)
    monkeypatch.setattr(User, "full_clean", lambda user: User.objects.create_user(user.username))
    monkeypatch.setattr(User.objects, "filter", lambda **asked: User.objects.none())

    with pytest.raises(ActionError) as refused:
        members.sign_up(invitation_id=invitation.pk, username="wilm", password="tide-and-lantern", email="")

    invitation.refresh_from_db()
    assert (refused.value.code, invitation.uses) == (Code.INVITATION_INVALID, 0)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda campaign, _, by: invite(campaign, by, role="gm"), id="invite"),
        pytest.param(
            lambda campaign, made, by: members.revoke_invitation(campaign=campaign, invitation_id=made.pk, by=by),
            id="revoke",
        ),
    ],
)
def test_who_manages_no_more_makes_and_closes_no_link(
    campaign: Campaign, gm: User, player: User, act: Callable[..., object]
) -> None:
    """The page let them in while they were the GM; the act looks again."""
    members.change_role(campaign=campaign, member_id=member_of(campaign, player).pk, role="gm", by=gm)
    made, _ = invite(campaign, player)
    members.change_role(campaign=campaign, member_id=member_of(campaign, gm).pk, role="player", by=player)

    with pytest.raises(Forbidden):
        act(campaign, made, gm)

    made.refresh_from_db()
    assert (Invitation.objects.count(), made.revoked_at) == (1, None)


@pytest.mark.django_db(transaction=True)
def test_a_gm_who_is_demoted_while_a_link_is_made_makes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign, gm, other = factories.make_campaign(), factories.make_user(), factories.make_user()
    for user in (gm, other):
        factories.make_membership(campaign, user, Role.GM)
    demoted, refused = threading.Event(), []
    record = audit.record

    def slowly(**facts: Any) -> AuditEntry:
        if facts["act"] == "member.role":
            # Inside the demotion: the link waits for it, or is made by somebody who is the GM no more.
            demoted.set()
            inviting.join(timeout=0.5)
        return record(**facts)

    def go() -> None:
        demoted.wait(timeout=30)
        try:
            invite(campaign, gm, role="gm")
        except Forbidden as error:
            refused.append(error.code)
        finally:
            db.connections.close_all()

    monkeypatch.setattr(audit, "record", slowly)
    inviting = threading.Thread(target=go)
    inviting.start()
    members.change_role(campaign=campaign, member_id=member_of(campaign, gm).pk, role="player", by=other)
    inviting.join(timeout=60)

    assert refused == [Code.AUTH_FORBIDDEN]
    assert not Invitation.objects.exists()


def test_role_is_changed_and_audited(campaign: Campaign, gm: User, player: User) -> None:
    members.change_role(campaign=campaign, member_id=member_of(campaign, player).pk, role="gm", by=gm)

    entry = AuditEntry.objects.get()
    assert roles(campaign) == {"gm": "gm", "player": "gm"}
    assert (entry.act, entry.by, entry.facts) == ("member.role", gm, {"before": "player", "after": "gm"})


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda c, m, by: members.change_role(campaign=c, member_id=m, role="player", by=by), id="role"),
        pytest.param(lambda c, m, by: members.remove(campaign=c, member_id=m, by=by), id="remove"),
        pytest.param(lambda c, m, by: members.leave(campaign=c, by=by), id="leave"),
    ],
)
def test_last_gm_stays(campaign: Campaign, gm: User, player: User, act: Callable[..., object]) -> None:
    closed = factories.make_user("gone", active=False)
    factories.make_membership(campaign, closed, Role.GM)

    with pytest.raises(Conflict) as refused:
        act(campaign, member_of(campaign, gm).pk, gm)

    assert refused.value.code is Code.MEMBER_LAST_GM
    assert roles(campaign)["gm"] == "gm"
    assert acts() == []


def test_site_admin_may_take_the_last_gm_away(campaign: Campaign, gm: User, admin: User) -> None:
    members.remove(campaign=campaign, member_id=member_of(campaign, gm).pk, by=admin)

    assert roles(campaign) == {}


def test_gm_leaves_where_another_stays(campaign: Campaign, gm: User, player: User) -> None:
    members.change_role(campaign=campaign, member_id=member_of(campaign, player).pk, role="gm", by=gm)
    members.leave(campaign=campaign, by=gm)

    assert roles(campaign) == {"player": "gm"}


def test_transfer_swaps_the_gm(campaign: Campaign, gm: User, player: User) -> None:
    members.transfer(campaign=campaign, member_id=member_of(campaign, player).pk, by=gm)

    assert roles(campaign) == {"gm": "player", "player": "gm"}
    assert AuditEntry.objects.get().facts == {"to": player.pk, "stepped_down": 1}


def test_transfer_to_oneself_or_a_closed_account_is_refused(campaign: Campaign, gm: User, player: User) -> None:
    User.objects.filter(pk=player.pk).update(is_active=False)

    for user in (gm, player):
        with pytest.raises(Conflict):
            members.transfer(campaign=campaign, member_id=member_of(campaign, user).pk, by=gm)

    assert roles(campaign) == {"gm": "gm", "player": "player"}


def test_links_of_a_gm_who_goes_are_closed(campaign: Campaign, gm: User, player: User) -> None:
    _, raw = invite(campaign, gm, role="gm", most_uses=5)

    members.transfer(campaign=campaign, member_id=member_of(campaign, player).pk, by=gm)

    assert members.open_invitation(raw, timezone.now()) is None


def test_members_of_another_campaign_are_out_of_reach(campaign: Campaign, gm: User, outsider: User) -> None:
    other = Membership.objects.get(user=outsider)

    for act in (
        lambda: members.remove(campaign=campaign, member_id=other.pk, by=gm),
        lambda: members.change_role(campaign=campaign, member_id=other.pk, role="player", by=gm),
        lambda: members.transfer(campaign=campaign, member_id=other.pk, by=gm),
        lambda: members.leave(campaign=campaign, by=outsider),
    ):
        with pytest.raises(NotFound):
            act()

    other.refresh_from_db()
    assert other.role == Role.GM


@pytest.mark.parametrize("act", ["accept", "sign_up", "change_role", "remove", "leave", "transfer", "invite", "revoke"])
def test_nothing_is_left_when_the_audit_fails(
    campaign: Campaign, gm: User, player: User, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    invitation, _ = invite(campaign, gm)
    newcomer, member_id = factories.make_user("new"), member_of(campaign, player).pk

    def fail(**kwargs: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("campaigns.actions.audit.record", fail)
    does: dict[str, Callable[[], object]] = {
        "accept": lambda: members.accept(invitation_id=invitation.pk, user=newcomer),
        "sign_up": lambda: members.sign_up(invitation_id=invitation.pk, username="w", password="x", email=""),
        "change_role": lambda: members.change_role(campaign=campaign, member_id=member_id, role="gm", by=gm),
        "remove": lambda: members.remove(campaign=campaign, member_id=member_id, by=gm),
        "leave": lambda: members.leave(campaign=campaign, by=player),
        "transfer": lambda: members.transfer(campaign=campaign, member_id=member_id, by=gm),
        "invite": lambda: invite(campaign, gm),
        "revoke": lambda: members.revoke_invitation(campaign=campaign, invitation_id=invitation.pk, by=gm),
    }
    with pytest.raises(RuntimeError):
        does[act]()

    invitation.refresh_from_db()
    assert roles(campaign) == {"gm": "gm", "player": "player"}
    assert (Invitation.objects.count(), invitation.uses, invitation.revoked_at) == (1, 0, None)
    assert not User.objects.filter(username="w").exists()


@pytest.mark.django_db(transaction=True)
def test_two_gms_who_leave_at_once_leave_one_behind() -> None:
    campaign = factories.make_campaign()
    gms = [factories.make_user(), factories.make_user()]
    for user in gms:
        factories.make_membership(campaign, user, Role.GM)

    def leave(user: User) -> Code | None:
        try:
            members.leave(campaign=campaign, by=user)
        except Conflict as error:
            return error.code
        return None

    left = at_once(*(partial(leave, user) for user in gms))

    assert set(left) == {None, Code.MEMBER_LAST_GM}
    assert campaign.memberships.filter(role=Role.GM).count() == 1
