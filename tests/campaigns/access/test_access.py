from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User

from campaigns import access
from campaigns.access import Actor, Need, Who
from campaigns.errors import Forbidden, NotFound
from campaigns.models import ApiToken, ArtifactVersion, Campaign, Membership
from tests import factories

SEE, READ, PENDING, EDIT = Need.SEE_APPROVED, Need.READ, Need.SEE_PENDING, Need.EDIT

# Who, and the most that they may do in a private and in a public campaign.
STANDINGS = [
    pytest.param("anonymous", None, SEE, id="anonymous"),
    pytest.param("outsider", None, SEE, id="gm-of-another"),
    pytest.param("staff", None, SEE, id="staff-who-is-no-member"),
    pytest.param("reader", READ, READ, id="reader"),
    pytest.param("player", READ, READ, id="player"),
    pytest.param("gm", EDIT, EDIT, id="gm"),
    pytest.param("admin", EDIT, EDIT, id="site-admin"),
    pytest.param("inactive_gm", None, SEE, id="inactive-gm"),
    pytest.param("inactive_admin", None, SEE, id="inactive-site-admin"),
]


@pytest.fixture
def people(campaign: Campaign, outsider: User, reader: User, player: User, gm: User, admin: User) -> dict[str, User]:
    inactive_gm = factories.make_user("inactive-gm", active=False)
    factories.make_membership(campaign, inactive_gm, Membership.Role.GM)
    return {
        "outsider": outsider,
        "staff": factories.make_user("staff", staff=True),
        "reader": reader,
        "player": player,
        "gm": gm,
        "admin": admin,
        "inactive_gm": inactive_gm,
        "inactive_admin": factories.make_user("inactive-admin", active=False, superuser=True),
    }


@pytest.fixture
def cast(people: dict[str, User], anonymous: AnonymousUser) -> dict[str, User | AnonymousUser]:
    return {**people, "anonymous": anonymous}


def answer(who: Who, slug: str, need: Need) -> int:
    """Return the HTTP status that the door's answer stands for."""
    try:
        access.campaign_for(who, slug, need)
    except (NotFound, Forbidden) as error:
        return error.status
    return 200


def expected(standing: Need | None, need: Need) -> int:
    if standing is not None and standing >= need:
        return 200
    return 403 if standing is not None and need is EDIT else 404


@pytest.mark.parametrize("need", list(Need))
@pytest.mark.parametrize("public", [False, True], ids=["private", "public"])
@pytest.mark.parametrize(("name", "in_private", "in_public"), STANDINGS)
def test_campaign_for_role_and_need(
    cast: dict[str, User | AnonymousUser],
    campaign: Campaign,
    name: str,
    in_private: Need | None,
    in_public: Need,
    public: bool,
    need: Need,
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(public=public)
    campaign.refresh_from_db()
    standing = in_public if public else in_private

    assert answer(cast[name], campaign.slug, need) == expected(standing, need)
    assert access.may(cast[name], campaign, need) == (standing is not None and standing >= need)


@pytest.mark.parametrize(("name", "in_private", "in_public"), STANDINGS)
def test_visible_campaigns_are_those_one_may_see(
    cast: dict[str, User | AnonymousUser], campaign: Campaign, name: str, in_private: Need | None, in_public: Need
) -> None:
    public = factories.make_campaign("open-door", public=True)

    seen = set(access.visible_campaigns(cast[name]))

    assert (campaign in seen) == (in_private is not None)
    assert public in seen
    assert len(seen) == access.visible_campaigns(cast[name]).count()


@pytest.mark.parametrize("scope", ApiToken.Scope.values)
@pytest.mark.parametrize(
    ("name", "standing"), [("outsider", None), ("reader", READ), ("gm", EDIT), ("admin", EDIT), ("inactive_gm", None)]
)
def test_standing_of_token_stays_within_user_and_scope(
    people: dict[str, User], campaign: Campaign, name: str, standing: Need | None, scope: str
) -> None:
    token = ApiToken(user=people[name], scope=scope)
    limit = PENDING if scope == "read" else EDIT

    assert access.standing(Actor.of_token(token), campaign) == (None if standing is None else min(standing, limit))


@pytest.mark.parametrize("scope", ApiToken.Scope.values)
@pytest.mark.parametrize("name", ["gm", "admin"])
def test_token_bound_to_a_campaign_is_nobody_elsewhere(
    people: dict[str, User], campaign: Campaign, name: str, scope: str
) -> None:
    closed, opened = factories.make_campaign(), factories.make_campaign(public=True)
    for other in (closed, opened):
        Membership.objects.create(campaign=other, user=people["gm"], role=Membership.Role.GM)
    actor = Actor.of_token(ApiToken(user=people[name], scope=scope, campaign=campaign))

    assert access.standing(actor, campaign) == (PENDING if scope == "read" else EDIT)
    assert access.standing(actor, closed) is None
    assert access.standing(actor, opened) is SEE
    assert set(access.visible_campaigns(actor)) == {campaign, opened}


def test_token_bound_to_a_campaign_needs_the_membership(outsider: User, campaign: Campaign) -> None:
    actor = Actor.of_token(ApiToken(user=outsider, scope="admin", campaign=campaign))

    assert access.standing(actor, campaign) is None
    assert campaign not in access.visible_campaigns(actor)


def test_read_token_of_gm_sees_pending_and_may_not_edit(gm: User, campaign: Campaign) -> None:
    actor = Actor.of_token(ApiToken(user=gm, scope="read"))

    assert answer(actor, campaign.slug, PENDING) == 200
    assert answer(actor, campaign.slug, EDIT) == 403


@pytest.mark.parametrize("slug", ["nowhere", "", "Salt-Ferry", "salt-ferry\n", "salt\x00ferry", "a" * 10_000])
def test_campaign_for_unknown_slug(admin: User, campaign: Campaign, slug: str) -> None:
    assert answer(admin, slug, SEE) == 404


def test_answers_for_hidden_and_missing_are_alike(outsider: User, campaign: Campaign) -> None:
    with pytest.raises(NotFound) as hidden:
        access.campaign_for(outsider, campaign.slug, READ)
    with pytest.raises(NotFound) as missing:
        access.campaign_for(outsider, "nowhere", READ)

    assert (str(hidden.value), hidden.value.code) == (str(missing.value), missing.value.code)


@pytest.mark.parametrize(
    ("name", "state", "need", "status"),
    [
        ("anonymous", "approved", SEE, 404),
        ("outsider", "approved", EDIT, 404),
        ("reader", "approved", SEE, 200),
        ("reader", "approved", EDIT, 403),
        ("reader", "pending", SEE, 404),
        ("reader", "pending", EDIT, 404),
        ("player", "superseded", SEE, 404),
        ("player", "rejected", SEE, 404),
        ("gm", "pending", EDIT, 200),
        ("gm", "superseded", SEE, 200),
        ("admin", "pending", EDIT, 200),
    ],
)
def test_version_for(
    cast: dict[str, User | AnonymousUser], campaign: Campaign, name: str, state: str, need: Need, status: int
) -> None:
    transcript = factories.make_transcript(factories.make_session(campaign))
    version = factories.make_version(transcript, state=state)

    try:
        found: object = access.version_for(cast[name], version.pk, need)
    except (NotFound, Forbidden) as error:
        found = error.status

    assert found == (version if status == 200 else status)


def test_version_for_public_campaign_shows_approved_alone(db: None, anonymous: AnonymousUser) -> None:
    transcript = factories.make_transcript(factories.make_session(factories.make_campaign(public=True)))
    approved = factories.make_version(transcript, state=ArtifactVersion.State.APPROVED)
    pending = factories.make_version(transcript)

    assert access.version_for(anonymous, approved.pk) == approved
    with pytest.raises(NotFound):
        access.version_for(anonymous, pending.pk)


@pytest.mark.parametrize(("name", "status"), [("gm", 200), ("admin", 200), ("reader", 404), ("outsider", 404)])
@pytest.mark.parametrize("need", list(Need))
def test_run_for(cast: dict[str, User | AnonymousUser], campaign: Campaign, name: str, status: int, need: Need) -> None:
    run = factories.make_run(factories.make_transcript(factories.make_session(campaign)))

    if status == 200:
        assert access.run_for(cast[name], run.pk, need) == run
    else:
        with pytest.raises(NotFound):
            access.run_for(cast[name], run.pk, need)


@pytest.mark.parametrize("number", [0, -1, 2**63, 10**30])
def test_version_and_run_for_unknown_numbers(admin: User, number: int) -> None:
    with pytest.raises(NotFound):
        access.version_for(admin, number)
    with pytest.raises(NotFound):
        access.run_for(admin, number)
