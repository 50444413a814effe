"""Secrets: what game masters keep from players until they reveal it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
from django.db import transaction
from django.utils import timezone

from campaigns.actions import audit, players
from campaigns.actions.following import told_by_reviews
from campaigns.actions.locking import lock_campaign
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.library.editions import records_of
from campaigns.library.kept import SUBJECTS, KeptRecord, Member, kept_of
from campaigns.library.registry import Full, entry, leads
from campaigns.library.sight import Edition, Sight
from campaigns.library.sources import KINDS, versions_of
from campaigns.library.veil import identities_of
from campaigns.models import ArtifactVersion, Campaign, GameSession, Secret, Unit
from extraction.canonical import JsonValue, digest
from extraction.codes import Code

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Kind = Secret.Kind
NOTE_LIMIT = 2_000
LABEL_LIMIT = 300


@transaction.atomic
def hide_entry(*, campaign: Campaign, kind: str, entity_id: str, note: str = "", by: User | None) -> Secret:
    """Keep an entry from players: it, its occurrences and its name, in every session and every later extraction.

    An entry of which a merge is kept already is only the member of that id. Raises NotFound for an id that leads to
    nothing, approved or pending, Conflict where it is kept already.
    """
    _lock(campaign)
    found = _entry(campaign, kind, entity_id)
    ids = sorted({found.entity_id, *found.other_ids})
    kept = Secret.objects.filter(campaign=campaign, kind=Kind.ENTRY, entry_kind=kind, revealed_at=None)
    if any(found.entity_id in binding["ids"] for binding in kept.values_list("binding", flat=True)):
        raise _kept()
    return _keep(
        campaign,
        Kind.ENTRY,
        ["entry", kind, found.entity_id],
        found.name,
        {"ids": ids, "names": [found.name, *found.also_called]},
        note,
        by,
        entry_kind=kind,
    )


@transaction.atomic
def hide_merge(*, campaign: Campaign, kind: str, entity_id: str, note: str = "", by: User | None) -> Secret:
    """Keep from players that what was consolidated under this id is one: they see the members, each for itself.

    Raises NotFound where nothing is consolidated under the id, approved or pending, Conflict where it is kept already.
    """
    _lock(campaign)
    members = _members(campaign, kind, entity_id)
    if len(members) < 2:
        raise NotFound("Nothing is merged under this id.", code=Code.ENTRY_UNKNOWN)
    return _keep(
        campaign,
        Kind.MERGE,
        ["merge", kind, sorted(member.key if member.by_name else min(member.ids) for member in members)],
        " = ".join(member.name for member in members),
        {"members": [member.as_json() for member in members], "names": []},
        note,
        by,
        entry_kind=kind,
    )


def parted_besides(*, campaign: Campaign, kind: str, entity_id: str) -> list[list[str]]:
    """Return by their names what players know as one, and would see apart if this merge were kept from them.

    Nothing where they know all of it as one: then parting it is what is asked for.
    """
    if kind not in KINDS:
        return []
    members = _members(campaign, kind, entity_id)
    known = leads(Sight(campaign, Edition.PLAYER, words=True), kind)
    unions: dict[str, list[str]] = {}
    for member in members:
        for told_as in {known[one].entity_id for one in member.ids if one in known}:
            unions.setdefault(told_as, []).append(member.name)
    found = [names for names in unions.values() if len(names) > 1]
    return [] if any(len(names) == len(members) for names in found) else found


@transaction.atomic
def hide_occurrence(*, version: ArtifactVersion, record: int, note: str = "", by: User | None) -> Secret:
    """Keep one record of an occurrence, a turn, a cast or an event from players, however reviews have told it.

    `record` is its number in the version. Raises NotFound where there is none, ActionError for a record of another
    family, Conflict where it is kept already.
    """
    session = version.artifact.session
    _lock(session.campaign)
    family = version.artifact.lane.rpartition("/")[2]
    if family not in SUBJECTS:
        raise ActionError("Only an occurrence, a turn, a cast or an event can be kept for itself.")
    records = records_of(orjson.loads(version.payload))
    if not 0 <= record < len(records):
        raise NotFound("There is no such record in this version.", code=Code.NOT_FOUND)
    chosen = records[record]
    told = KeptRecord.of(version.transcript.source_id, family, chosen)
    kept = (one for one in kept_of(session.campaign).occurrences if one.family == family)
    if any(one.session_id == session.pk and told in one.records for one in kept):
        raise _kept()
    name = str(next(chosen[field] for field in ("name", "caster", "actor", "enemy") if field in chosen))
    return _keep(
        session.campaign,
        Kind.OCCURRENCE,
        ["occurrence", session.number, family, told.as_json()],
        name,
        {"family": family, "records": [one.as_json() for one in told_by_reviews(version, chosen)]},
        note,
        by,
        session=session,
    )


@transaction.atomic
def hide_range(*, session: GameSession, start_unit: int, end_unit: int, note: str = "", by: User | None) -> Secret:
    """Keep a passage of the session's newest transcript from players, with all that nothing else proves.

    Raises NotFound for a unit that there is not, ActionError where the passage ends before it starts, Conflict where
    it is kept already.
    """
    _lock(session.campaign)
    transcript = session.transcripts.order_by("-revision").first()
    if transcript is None:
        raise NotFound("This session has no transcript yet.", code=Code.TRANSCRIPT_NONE)
    units = Unit.objects.filter(transcript=transcript, unit_id__in=(start_unit, end_unit))
    places = dict(units.values_list("unit_id", "position"))
    for unit in (start_unit, end_unit):
        if unit not in places:
            raise NotFound(f"There is no unit {unit} in this transcript.")
    if places[start_unit] > places[end_unit]:
        raise ActionError("The first unit stands after the last one in this transcript.")
    return _keep(
        session.campaign,
        Kind.RANGE,
        ["range", session.number, transcript.source_id, start_unit, end_unit],
        f"units {start_unit} to {end_unit}",
        {"source_id": transcript.source_id, "start": start_unit, "end": end_unit, "names": []},
        note,
        by,
        session=session,
    )


@transaction.atomic
def reveal(*, secret_id: int, by: User | None) -> Secret:
    """Let players know: what the secret alone kept from them is theirs from now on. The row stays as history.

    Raises NotFound for an unknown secret, Conflict for one that is revealed already.
    """
    known = Secret.objects.select_related("campaign").filter(pk=secret_id).first()
    if known is None:
        raise NotFound("There is no such secret.", code=Code.SECRET_UNKNOWN)
    _lock(known.campaign)
    secret = Secret.objects.select_for_update(of=("self",)).select_related("campaign", "session").get(pk=secret_id)
    if secret.revealed_at is not None:
        raise Conflict("This is revealed already.", code=Code.SECRET_REVEALED)
    secret.revealed_at, secret.revealed_by = timezone.now(), by
    secret.save(update_fields=["revealed_at", "revealed_by"])
    _record("secret.reveal", secret, by)
    players.rebuild(campaign=secret.campaign)
    return secret


def _keep(
    campaign: Campaign,
    kind: Secret.Kind,
    identity: JsonValue,
    label: str,
    binding: Mapping[str, Any],
    note: str,
    by: User | None,
    *,
    session: GameSession | None = None,
    entry_kind: str = "",
) -> Secret:
    note = note.strip()
    if len(note) > NOTE_LIMIT or "\x00" in note:
        raise ActionError(f"A note is plain text of at most {NOTE_LIMIT} characters.")
    token = digest(identity)
    if Secret.objects.filter(campaign=campaign, kind=kind, token=token, revealed_at=None).exists():
        raise _kept()
    secret = Secret.objects.create(
        campaign=campaign,
        session=session,
        kind=kind,
        entry_kind=entry_kind,
        token=token,
        label=label[:LABEL_LIMIT],
        binding=dict(binding),
        note=note,
        hidden_by=by,
    )
    _record("secret.hide", secret, by)
    players.rebuild(campaign=campaign)
    return secret


def _record(act: str, secret: Secret, by: User | None) -> None:
    facts: dict[str, int | str] = {"kind": secret.kind}
    if secret.session is not None:
        facts["session"] = secret.session.number
    audit.record(by=by, act=act, subject=secret, campaign=secret.campaign, **facts)


def _lock(campaign: Campaign) -> None:
    """Let two acts on one campaign's secrets come one after the other."""
    lock_campaign(campaign.pk)


def _entry(campaign: Campaign, kind: str, entity_id: str) -> Full:
    """Return the entry as players know it, else as it is approved, else as it is pending."""
    if kind not in KINDS:
        raise NotFound("There is no such registry.", code=Code.ENTRY_UNKNOWN)
    sights = (
        Sight(campaign, Edition.PLAYER, words=True),
        Sight(campaign, Edition.GM, words=True),
        Sight(campaign, Edition.GM, words=True, latest=True),
    )
    for sight in sights[:-1]:
        try:
            return entry(sight, kind, entity_id)
        except NotFound:
            continue
    return entry(sights[-1], kind, entity_id)


def _members(campaign: Campaign, kind: str, entity_id: str) -> list[Member]:
    """Return what is consolidated under any id of the entry, in any session: one for each name, if names tell apart."""
    ids = _one_of(campaign, kind, entity_id)
    rows = versions_of(campaign, kind).usable().order_by("artifact__session__number", "pk")
    groups = [
        identities_of(group)
        for found in rows.values_list("consolidations", flat=True)
        for group in found.get("applied", ())
        if group["id"] in ids
    ]
    shared = {one.key for group in groups for one in group if [each.key for each in group].count(one.key) > 1}
    found: dict[str, Member] = {}
    for one in (one for group in groups for one in group):
        by_name = one.key not in shared
        at = one.key if by_name else one.entity_id
        known = found.get(at, Member(frozenset(), one.name, by_name))
        found[at] = replace(known, ids=known.ids | {one.entity_id})
    return list(found.values())


def _one_of(campaign: Campaign, kind: str, entity_id: str) -> frozenset[str]:
    """Return all ids of the entry as game masters know it, approved and pending."""
    if kind not in KINDS:
        raise NotFound("There is no such registry.", code=Code.ENTRY_UNKNOWN)
    found = {entity_id}
    for latest in (False, True):
        try:
            known = entry(Sight(campaign, Edition.GM, words=True, latest=latest), kind, entity_id)
        except NotFound:
            continue
        found.update((known.entity_id, *known.other_ids))
    return frozenset(found)


def _kept() -> Conflict:
    return Conflict("This is kept from players already.", code=Code.SECRET_KEPT)
