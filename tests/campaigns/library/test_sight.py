from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User

from campaigns.access import Actor, Need
from campaigns.errors import ActionError, NotFound
from campaigns.library.sight import Edition, sight_of
from campaigns.models import ApiToken, Campaign
from tests import factories


@pytest.mark.parametrize(
    ("role", "edition", "words"),
    [
        ("anonymous", Edition.PLAYER, False),
        ("outsider", Edition.PLAYER, False),
        ("reader", Edition.PLAYER, True),
        ("player", Edition.PLAYER, True),
        ("gm", Edition.GM, True),
        ("admin", Edition.GM, True),
    ],
)
@pytest.mark.parametrize("asked", [None, *Edition])
def test_who_sees_which_edition_of_a_public_campaign(
    role: str, edition: Edition, words: bool, asked: Edition | None, request: pytest.FixtureRequest, campaign: Campaign
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(public=True)
    seen = sight_of(request.getfixturevalue(role), campaign.slug, edition=asked)

    assert (seen.edition, seen.words) == (Edition.PLAYER if asked is Edition.PLAYER else edition, words)


@pytest.mark.parametrize("role", ["anonymous", "outsider"])
def test_a_private_campaign_is_not_there_for_others(
    role: str, request: pytest.FixtureRequest, campaign: Campaign
) -> None:
    with pytest.raises(NotFound):
        sight_of(request.getfixturevalue(role), campaign.slug)


def test_what_is_pending_is_for_game_masters(campaign: Campaign, gm: User, player: User) -> None:
    assert sight_of(gm, campaign.slug, latest=True).latest
    with pytest.raises(NotFound):
        sight_of(player, campaign.slug, latest=True)
    with pytest.raises(NotFound):
        sight_of(player, campaign.slug, latest=True, edition=Edition.GM)
    with pytest.raises(ActionError):
        sight_of(gm, campaign.slug, latest=True, edition=Edition.PLAYER)


def test_words_are_for_members(campaign: Campaign, reader: User) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(public=True)

    assert sight_of(reader, campaign.slug, need=Need.READ).words
    with pytest.raises(NotFound):
        sight_of(AnonymousUser(), campaign.slug, need=Need.READ)


def test_a_game_masters_token_sees_what_they_see_and_elsewhere_nothing(campaign: Campaign, gm: User) -> None:
    token = ApiToken.objects.create(user=gm, name="x", prefix="x", digest="x", scope="read", campaign=campaign)
    other = factories.make_campaign(public=True)
    factories.make_membership(other, gm, "gm")

    assert sight_of(Actor.of_token(token), campaign.slug).edition is Edition.GM
    assert sight_of(Actor.of_token(token), other.slug).edition is Edition.PLAYER


def test_sights_that_see_otherwise_have_other_keys(campaign: Campaign, gm: User, player: User) -> None:
    seen = [
        sight_of(gm, campaign.slug),
        sight_of(gm, campaign.slug, latest=True),
        sight_of(gm, campaign.slug, as_of=1),
        sight_of(player, campaign.slug),
        sight_of(player, campaign.slug, as_of=1),
    ]

    assert len({one.key for one in seen}) == len(seen)
    assert sight_of(gm, campaign.slug, edition=Edition.PLAYER).key == sight_of(player, campaign.slug).key
