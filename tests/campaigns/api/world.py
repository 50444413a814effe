"""One campaign with something of everything, and a token for each of the cast: for tests that ask every endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User

from campaigns.actions import exports, reviews, secrets, tokens, versions
from campaigns.models import ApiToken, ArtifactVersion, Campaign, Membership, RegistryEntry, Webhook
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import group_of, on

SLUG = "salt-ferry"
CAST = ("nobody", "outsider", "reader", "player", "gm", "admin")


@dataclass(frozen=True, slots=True)
class World:
    """`ids` are path parameters that lead somewhere, `entries` an entry a kind; of `tokens` nobody's is empty."""

    campaign: Campaign
    users: Mapping[str, User]
    tokens: Mapping[str, str]
    ids: Mapping[str, int | str]
    entries: Mapping[str, str]

    def headers(self, role: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[role]}"} if self.tokens[role] else {}


def build(*, public: bool = False) -> World:
    """Store the world: two sessions; in the first all families are approved, in the second the people wait."""
    campaign = factories.make_campaign(SLUG, public=public)
    users = {name: factories.make_user(name, superuser=name == "admin") for name in CAST[1:]}
    for role in Membership.Role.values:
        factories.make_membership(campaign, users[role], role)
    factories.make_membership(factories.make_campaign("far-away"), users["outsider"], Membership.Role.GM)
    gm = users["gm"]
    first = factories.make_transcript(factories.make_session(campaign, 1))
    for family, records in families.one_of_each(first).items():
        version = families.make_version(first, family, records)
        versions.approve(version_id=version.pk, note="", by=gm)
    group = {"Wick": ((50, 52),), "Old Wick": ((206, 205),)}
    second = factories.make_transcript(factories.make_session(campaign, 2))
    waiting = factories.make_version(
        second, {"Dell": ((44, 46),), "Wick": ((50, 52), (206, 205))}, consolidations=group_of(second, group)
    )
    done = reviews.accept(**on(waiting), record=1, by=gm)
    run = factories.make_run(second, by=gm)
    order = exports.order(who=gm, slug=SLUG, format="markdown", by=gm)
    secret = secrets.hide_range(session=first.session, start_unit=7, end_unit=8, by=gm)
    hook = Webhook.objects.create(
        campaign=campaign,
        owner=gm,
        url="https://hooks.example.org/x",
        site="https://n.example.org",
        events=["run.finished"],
    )
    made = {name: tokens.create(user=user, name="all", scope="admin") for name, user in users.items()}
    ids: dict[str, int | str] = {
        "slug": SLUG,
        "number": 1,
        "family": "npcs",
        "entity_id": str(families.one_of_each(first)["npcs"][0]["id"]),
        "version_id": done.version.pk,
        "other_id": waiting.pk,
        "decision_id": done.decision.pk,
        "run_id": run.pk,
        "export_id": order.pk,
        "secret_id": secret.pk,
        "webhook_id": hook.pk,
        "token_id": made["gm"][0].pk,
    }
    raw = {name: raw for name, (_, raw) in made.items()}
    entries = dict(RegistryEntry.objects.filter(campaign=campaign, edition="player").values_list("kind", "entity_id"))
    return World(campaign, users, {"nobody": "", **raw}, ids, entries)


def approved(world: World, family: str) -> ArtifactVersion:
    return ArtifactVersion.objects.approved().get(
        artifact__session__campaign=world.campaign, artifact__lane=f"dnd/{family}", artifact__session__number=1
    )


def scoped(world: World, role: str, scope: str, campaign: Campaign | None = None) -> dict[str, str]:
    """Return the headers of a token of another scope."""
    _, raw = tokens.create(user=world.users[role], name=scope, scope=ApiToken.Scope(scope), campaign=campaign)
    return {"Authorization": f"Bearer {raw}"}
