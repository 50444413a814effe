"""The players' edition of a campaign, rebuilt as a whole whenever what is approved or what is secret changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from django.db import transaction

from campaigns.actions.entries import close_gaps, known_entries, store
from campaigns.actions.locking import lock_campaign
from campaigns.library.differences import Difference, Known
from campaigns.library.editions import has_player_rows
from campaigns.library.kept import kept_of
from campaigns.library.mentions import Mentions
from campaigns.library.sources import KINDS, union_of, versions_of
from campaigns.library.veiling import Veiling
from campaigns.models import ArtifactVersion, Campaign, Change, Edition, PlayerPayload, Secret
from extraction.canonical import bytes_digest

if TYPE_CHECKING:
    from campaigns.library.veil import Veil


@transaction.atomic
def rebuild(*, campaign: Campaign, session: int | None = None) -> None:
    """Replace all that is stored of the players' edition; a campaign that never had a secret keeps none.

    `session` is the one whose approval changes it. What the players were told of and must not know is told no more.
    """
    lock_campaign(campaign.pk)
    own = has_player_rows(campaign)
    if not own and not Secret.objects.filter(campaign=campaign).exists():
        return
    before = {kind: known_entries(campaign, Edition.PLAYER if own else Edition.GM, kind) for kind in KINDS}
    kept = kept_of(campaign)
    PlayerPayload.objects.filter(version__artifact__session__campaign=campaign).delete()
    if not kept:
        _as_the_gm_knows(campaign, before, session)
        return
    veiling = Veiling(campaign, kept)
    veil = veiling.veil
    _bind(campaign, veil)
    untold = _untold(veil)
    forgotten = _forget(campaign, untold)
    for kind, known in before.items():
        found = [each for each in known if each.entity_id not in forgotten]
        store(
            campaign,
            Edition.PLAYER,
            kind,
            veil.by_kind[kind].entries,
            told_to=(Edition.PLAYER,),
            session=session,
            before=found,
            untold=untold,
        )
    _keep_payloads(campaign, veiling)


def _as_the_gm_knows(campaign: Campaign, before: Mapping[str, list[Known]], session: int | None) -> None:
    for kind, found in before.items():
        entries = union_of(campaign, kind, versions_of(campaign, kind).approved())
        store(campaign, Edition.PLAYER, kind, entries, told_to=(Edition.PLAYER,), session=session, before=found)


def _bind(campaign: Campaign, veil: Veil) -> None:
    """Have the secrets bind what has become one with what they are about, so that no later act shows it."""
    grown = {pk: ids for one in veil.by_kind.values() for pk, ids in one.grown.items()}
    merges = {merge.pk: merge for merge in veil.kept.merges}
    for secret in Secret.objects.select_for_update().filter(campaign=campaign, revealed_at=None).order_by("pk"):
        binding = dict(secret.binding)
        if secret.pk in grown:
            binding["ids"] = sorted(grown[secret.pk])
            binding["names"] = sorted({*binding["names"], *veil.names_of(grown[secret.pk])})
        elif secret.kind == Secret.Kind.MERGE:
            members = merges[secret.pk].members
            binding["members"] = [member.as_json() for member in members]
            binding["names"] = sorted(veil.unknown & {name for member in members for name in member.names})
        elif secret.kind == Secret.Kind.RANGE:
            binding["names"] = sorted(veil.names_of(veil.unproven()))
        if binding != secret.binding:
            secret.binding = binding
            secret.save(update_fields=["binding"])


def _untold(veil: Veil) -> Callable[[Difference], bool]:
    """Return what says of a change whether it tells something that players must not know."""
    hidden, secret = veil.hidden() | veil.unknown_ids(), Mentions.of(veil.names | veil.unknown)
    merges = [[(member.ids, member.keys) for member in merge.members] for merge in veil.kept.merges]

    def tells(change: Difference) -> bool:
        if change.ids & hidden or any(map(secret.named, change.names)):
            return True
        ids, keys = change.ids, change.keys
        return any(sum(bool(ids & mine or keys & its) for mine, its in merge) > 1 for merge in merges)

    return tells


def _forget(campaign: Campaign, untold: Callable[[Difference], bool]) -> frozenset[str]:
    """Delete what players must not be told any more, without a gap; return the ids that nothing else tells them of."""
    rows = Change.objects.filter(campaign=campaign, edition=Edition.PLAYER)
    told: dict[int, Difference] = {
        pk: Difference(change, entity_id, name, was, tuple(superseded_by))
        for pk, change, entity_id, name, was, superseded_by in rows.values_list(
            "pk", "change", "entity_id", "name", "was", "superseded_by"
        )
    }
    gone = {pk for pk, each in told.items() if untold(each)}
    told_at = list(rows.filter(pk__in=gone).order_by().values_list("at", flat=True).distinct())
    rows.filter(pk__in=gone).delete()
    close_gaps(campaign, Edition.PLAYER, told_at)
    forgotten = {entity_id for pk in gone for entity_id in told[pk].ids}
    return frozenset(forgotten - {entity_id for pk, each in told.items() if pk not in gone for entity_id in each.ids})


def _keep_payloads(campaign: Campaign, veiling: Veiling) -> None:
    versions = ArtifactVersion.objects.approved().filter(artifact__session__campaign=campaign)
    found = []
    for version in versions.select_related("artifact").defer("manifest", "findings", "consolidations").iterator():
        payload, count = veiling.payload(version)
        if payload != version.payload:
            said = bytes_digest(payload.encode())
            found.append(PlayerPayload(version=version, payload=payload, digest=said, record_count=count))
    PlayerPayload.objects.bulk_create(found)
