"""Who belongs to a campaign: invitations, roles, leaving, and the rule that a campaign keeps a GM.

Every act locks the campaign's row first, so that two GMs who leave at once cannot both be told that the other stays.
Whether the person may manage the campaign is the caller's to check (`access.campaign_for`); with links it is looked at
again under the lock, for a link outlives the role of whoever made it.
"""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from campaigns.access import Need, campaign_for
from campaigns.actions import audit
from campaigns.actions.locking import lock_campaign, lock_new_accounts
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.models import Campaign, Invitation, Membership
from extraction.canonical import bytes_digest
from extraction.codes import Code

if TYPE_CHECKING:
    from django.db.models import QuerySet

Role = Membership.Role
PREFIX = "inv_"
RAW_INVITATION = re.compile(r"inv_[A-Za-z0-9_-]{43}")
SHOWN = 10
MOST_DAYS = 90
MOST_USES = 50
CLOSED = "This invitation was used up, has ended or was withdrawn: ask the GM for a new link."


@transaction.atomic
def invite(*, campaign: Campaign, role: str, days: int, most_uses: int, by: User) -> tuple[Invitation, str]:
    """Return the invitation and its secret, which nothing can show again.

    Raises ActionError for an unknown role or numbers out of bounds, NotFound or Forbidden for whoever does not manage
    the campaign any more.
    """
    _check_role(role, Code.INVITATION_INVALID)
    if not 1 <= days <= MOST_DAYS:
        raise ActionError(f"An invitation is open for 1 to {MOST_DAYS} days.", code=Code.INVITATION_INVALID)
    if not 1 <= most_uses <= MOST_USES:
        raise ActionError(f"An invitation takes 1 to {MOST_USES} people.", code=Code.INVITATION_INVALID)
    _lock_as_manager(campaign, by)
    raw = PREFIX + secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        campaign=campaign,
        role=role,
        prefix=raw[:SHOWN],
        digest=_digest(raw),
        made_by=by,
        expires_at=timezone.now() + timedelta(days=days),
        most_uses=most_uses,
    )
    audit.record(
        by=by, act="invitation.create", subject=invitation, campaign=campaign, role=role, days=days, uses=most_uses
    )
    return invitation, raw


@transaction.atomic
def revoke_invitation(*, campaign: Campaign, invitation_id: int, by: User) -> Invitation:
    """Close the invitation; one that is closed already stays as it was.

    Raises NotFound outside the campaign, NotFound or Forbidden for whoever does not manage it any more.
    """
    _lock_as_manager(campaign, by)
    invitation = campaign.invitations.select_for_update().filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFound("There is no such invitation.", code=Code.INVITATION_UNKNOWN)
    if invitation.revoked_at is None:
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=("revoked_at",))
        audit.record(by=by, act="invitation.revoke", subject=invitation, campaign=campaign)
    return invitation


def open_invitation(raw: str, at: datetime) -> Invitation | None:
    """Return the invitation that this secret opens at this time. The lookup is by digest."""
    if not RAW_INVITATION.fullmatch(raw):
        return None
    invitation = Invitation.objects.select_related("campaign").filter(digest=_digest(raw)).first()
    return invitation if invitation is not None and invitation.is_open(at) else None


@transaction.atomic
def accept(*, invitation_id: int, user: User) -> Membership:
    """Return the person's membership, made by the invitation.

    A member stays what they are, and the invitation is not used. Raises NotFound for one that is not open.
    """
    return _join(_locked_open(invitation_id), user)


def sign_up(*, invitation_id: int, username: str, password: str, email: str) -> tuple[User, Membership]:
    """Make an account and its membership in one step, by an invitation: the only way to sign up.

    Raises NotFound for an invitation that is not open, ActionError for a name that is taken or not allowed. The
    password is taken as it is: the form has judged it.
    """
    # Hashing takes a good part of a second: not while rows are locked.
    user = User(username=username, email=email.lower(), password=make_password(password))
    with transaction.atomic():
        invitation = _locked_open(invitation_id)
        _create_account(user)
        audit.record(by=user, act="user.sign_up", subject=user, campaign=None, invitation=invitation_id)
        return user, _join(invitation, user)


@transaction.atomic
def change_role(*, campaign: Campaign, member_id: int, role: str, by: User) -> Membership:
    """Give the member another role. Raises NotFound for no member, ActionError for no role, Conflict for a last GM."""
    _check_role(role, Code.REQUEST_INVALID)
    member = _locked_member(campaign, member_id)
    if member.role == role:
        return member
    if role != Role.GM:
        _keep_a_gm(campaign, member, by)
        _close_links_of(campaign, member.user_id)
    before, member.role = member.role, role
    member.save(update_fields=("role",))
    audit.record(by=by, act="member.role", subject=member, campaign=campaign, before=before, after=role)
    return member


@transaction.atomic
def remove(*, campaign: Campaign, member_id: int, by: User) -> None:
    """End a membership. Raises NotFound for no member, Conflict for the last GM unless a site admin does it."""
    member = _locked_member(campaign, member_id)
    _end(campaign, member, by, "member.remove")


@transaction.atomic
def leave(*, campaign: Campaign, by: User) -> None:
    """End one's own membership. Raises NotFound for no member, Conflict for the last GM."""
    lock_campaign(campaign.pk)
    member = campaign.memberships.filter(user=by).first()
    if member is None:
        raise NotFound("You are no member of this campaign.", code=Code.MEMBER_UNKNOWN)
    _end(campaign, member, by, "member.leave")


@transaction.atomic
def transfer(*, campaign: Campaign, member_id: int, by: User) -> Membership:
    """Make the member a GM and oneself a player; return the new GM's membership.

    A site admin who is no member only makes the GM. Raises NotFound for no member, Conflict for oneself or an account
    that cannot sign in.
    """
    member = _locked_member(campaign, member_id)
    if member.user_id == by.pk:
        raise Conflict("You cannot hand the campaign to yourself.")
    if not member.user.is_active:
        raise Conflict("This account cannot sign in: it cannot be the GM.")
    member.role = Role.GM
    member.save(update_fields=("role",))
    stepped_down = campaign.memberships.filter(user=by, role=Role.GM).update(role=Role.PLAYER)
    if stepped_down:
        _close_links_of(campaign, by.pk)
    audit.record(
        by=by, act="member.transfer", subject=member, campaign=campaign, to=member.user_id, stepped_down=stepped_down
    )
    return member


def _locked_open(invitation_id: int) -> Invitation:
    """Return the invitation, locked after its campaign; NotFound for one that is not open."""
    campaign_id = Invitation.objects.filter(pk=invitation_id).values_list("campaign", flat=True).first()
    if campaign_id is None:
        raise NotFound(CLOSED, code=Code.INVITATION_UNKNOWN)
    # The lock makes two people who open the last free place come one after the other.
    lock_campaign(campaign_id)
    rows = Invitation.objects.select_for_update(of=("self",)).select_related("campaign")
    found = rows.filter(pk=invitation_id).first()
    if found is None or not found.is_open(timezone.now()):
        raise NotFound(CLOSED, code=Code.INVITATION_UNKNOWN)
    return found


def _create_account(user: User) -> None:
    """Store the new account; ActionError for a name that is not allowed, or that another has in whatever case."""
    lock_new_accounts()
    try:
        user.full_clean()
        if User.objects.filter(username__iexact=user.username).exists():
            raise ValidationError("taken")
        # Of two who take one name at once the second is told by the database.
        with transaction.atomic():
            user.save()
    except (ValidationError, IntegrityError) as error:
        raise ActionError("This user name is taken or not allowed.", code=Code.INVITATION_INVALID) from error


def _join(found: Invitation, user: User) -> Membership:
    member, made = Membership.objects.get_or_create(campaign=found.campaign, user=user, defaults={"role": found.role})
    if made:
        found.uses += 1
        found.save(update_fields=("uses",))
        audit.record(
            by=user, act="member.join", subject=member, campaign=found.campaign, role=found.role, invitation=found.pk
        )
    return member


def _end(campaign: Campaign, member: Membership, by: User, act: str) -> None:
    _keep_a_gm(campaign, member, by)
    _close_links_of(campaign, member.user_id)
    audit.record(by=by, act=act, subject=member, campaign=campaign, user=member.user_id, role=member.role)
    member.delete()


def _close_links_of(campaign: Campaign, user_id: int) -> None:
    """Close the invitations of somebody who manages the campaign no more: they would lead straight back in."""
    campaign.invitations.filter(made_by=user_id, revoked_at=None).update(revoked_at=timezone.now())


def _keep_a_gm(campaign: Campaign, member: Membership, by: User) -> None:
    """Raise Conflict if nobody who can sign in would be GM without this member; a site admin may do it anyway."""
    if member.role != Role.GM or by.is_superuser:
        return
    if not _gms(campaign).exclude(pk=member.pk).exists():
        raise Conflict(
            "A campaign does not go without a GM: make somebody else the GM first.", code=Code.MEMBER_LAST_GM
        )


def _gms(campaign: Campaign) -> QuerySet[Membership]:
    return campaign.memberships.filter(role=Role.GM, user__is_active=True)


def _locked_member(campaign: Campaign, member_id: int) -> Membership:
    lock_campaign(campaign.pk)
    member = campaign.memberships.select_related("user").filter(pk=member_id).first()
    if member is None:
        raise NotFound("There is no such member.", code=Code.MEMBER_UNKNOWN)
    return member


def _lock_as_manager(campaign: Campaign, by: User) -> None:
    lock_campaign(campaign.pk)
    campaign_for(by, campaign.slug, Need.EDIT)


def _check_role(role: str, code: Code) -> None:
    if role not in Role.values:
        raise ActionError(f"A role is one of: {', '.join(Role.values)}.", code=code)


def _digest(raw: str) -> str:
    return bytes_digest(raw.encode("ascii"))
