"""The campaign that `test_secrets_walk` and `test_every_route` walk through, who walks, and what addresses may name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings
from django.utils import timezone
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings

from campaigns.actions import corrections, exports, reviews, secrets, versions
from campaigns.models import ApiToken, Campaign, Decision, Invitation, Membership, Webhook
from extraction.identity import comparison_key, item_id, npc_id
from tests import factories
from tests.campaigns.library import story
from tests.campaigns.library.story import DUKE, MERGED, STRANGER, UNPROVEN, VOICE, Story
from tests.campaigns.review import families
from tests.contracts import walking

NOTE, PENDING, REASON = "Notizkrake", "Pendelfisch", "Grundhecht"
RENAMED, REWORDED = "Mordwyn Hushbell", "hat Schlammpeitzger"
SECRETS = (*story.CANARIES, NOTE, PENDING, REASON, "Mordwyn", "Hushbell", "Schlammpeitzger")
# What was said at the table is for members alone.
WORDS = ("raises a toast", "strikes the table", "hand the miller")
HIDDEN = tuple(npc_id(comparison_key(name)) for name in (VOICE, UNPROVEN, MERGED, PENDING, RENAMED))


@dataclass(frozen=True, slots=True)
class Somebody:
    """A role: how it asks, and what it must not find."""

    name: str
    user: User | None
    words: Sequence[str]
    client: Client

    @classmethod
    def of(cls, name: str, user: User | None, words: Sequence[str] = ()) -> Somebody:
        client = Client()
        if user is not None:
            client.force_login(user)
        return cls(name, user, words, client)


@pytest.fixture(scope="module")
def told(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Story]:
    folder = override_settings(DATA_DIR=tmp_path_factory.mktemp("walk"))
    with folder, story.for_a_module("salt-walk", django_db_blocker) as made:
        Campaign.objects.filter(pk=made.campaign.pk).update(public=True)
        made.campaign.refresh_from_db()
        families.make_version(made.first, "npcs", [story.npc(made.first, PENDING, (9, 9))])
        session = made.campaign.sessions.get(number=1)
        Decision.objects.create(session=session, lane="dnd/npcs", kind="remove", reason=REASON, by=made.gm)
        secrets.hide_range(session=session, start_unit=11, end_unit=11, note=NOTE, by=made.gm)
        go_on(made)
        yield made


def go_on(made: Story) -> None:
    """Review and correct what is hidden already: somebody gets another name, a line other words."""
    artifact = made.campaign.sessions.get(number=2).artifacts.get(lane="dnd/npcs")
    version = artifact.versions.get(state="approved")
    record = next(at for at, each in enumerate(orjson.loads(version.payload)["npcs"]) if each["name"] == VOICE)
    renamed = reviews.rename(
        artifact_id=artifact.pk, expected_version=version.number, record=record, name=RENAMED, by=made.gm
    )
    versions.approve(version_id=renamed.version.pk, note="", by=made.gm)
    corrections.reword_unit(session=made.first.session, unit_id=20, text=f"Only {UNPROVEN} {REWORDED}.", by=made.gm)


@pytest.fixture(scope="module")
def cast(told: Story, django_db_blocker: DjangoDbBlocker) -> Mapping[str, Somebody]:
    with django_db_blocker.unblock():
        outsider, admin = (
            factories.make_user("walk-outsider"),
            factories.make_user("walk-admin", staff=True, superuser=True),
        )
        members = {}
        for role in (Membership.Role.READER, Membership.Role.PLAYER):
            members[role.value] = factories.make_user(f"walk-{role.value}")
            factories.make_membership(told.campaign, members[role.value], role)
        return {
            "anonymous": Somebody.of("anonymous", None, WORDS),
            "outsider": Somebody.of("outsider", outsider, WORDS),
            "reader": Somebody.of("reader", members["reader"]),
            "player": Somebody.of("player", members["player"]),
            "gm": Somebody.of("gm", told.gm),
            "admin": Somebody.of("admin", admin),
        }


@pytest.fixture(scope="module")
def made(
    told: Story, cast: Mapping[str, Somebody], django_db_blocker: DjangoDbBlocker
) -> Mapping[str, Sequence[object]]:
    """Rows of every kind that an address may name: the game master's own, and an export of a player's."""
    with django_db_blocker.unblock():
        campaign, gm = told.campaign, told.gm
        run = factories.make_run(told.first)
        player = cast["player"].user
        assert player is not None
        taken_out = [
            exports.order(who=who, slug=campaign.slug, format=format, edition=edition, by=who).pk
            for who, edition, format in ((gm, "gm", "json"), (player, "player", "json"), (player, "player", "markdown"))
        ]
        assert {exports.work(export_id=pk) for pk in taken_out} == {exports.SUCCEEDED}
        webhook = Webhook.objects.create(
            campaign=campaign, owner=gm, url="https://example.org/x", site="https://here.example"
        )
        soon = timezone.now() + timedelta(days=1)
        invitation = Invitation.objects.create(
            campaign=campaign, made_by=gm, role="player", expires_at=soon, digest="x" * 64
        )
        token = ApiToken.objects.create(user=gm, name="x", prefix="x", digest="y" * 64)
        return {
            "run_id": [run.pk],
            "secret_id": [secret.pk for secret in told.secrets.values()],
            "decision_id": list(Decision.objects.values_list("pk", flat=True)),
            "export_id": taken_out,
            "webhook_id": [webhook.pk],
            "member_id": list(campaign.memberships.values_list("pk", flat=True)[:1]),
            "invitation_id": [invitation.pk],
            "token_id": [token.pk],
        }


@pytest.fixture(scope="module")
def values(told: Story, made: Mapping[str, Sequence[object]], django_db_blocker: DjangoDbBlocker) -> dict[str, Any]:
    people = [npc_id(comparison_key(name)) for name in (DUKE, VOICE, MERGED, STRANGER, UNPROVEN)]
    with django_db_blocker.unblock():
        return walking.values_of(told, [*people, item_id("lantern")], made)


@pytest.fixture(autouse=True)
def any_number_of_requests(settings: Settings) -> None:
    settings.API_RATE = settings.API_RATE_ANONYMOUS = 1_000_000
