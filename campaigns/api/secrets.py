"""What game masters keep from players: hidden and revealed with a token of the scope admin, or signed in."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from django.http import HttpRequest, HttpResponse
from ninja import Body, Query, Router, Schema
from pydantic import ConfigDict, Field

from campaigns.access import Need, campaign_for, may, version_for
from campaigns.actions import secrets
from campaigns.api.act_schemas import Place, RowNumber, UnitId
from campaigns.api.answers import Keyset, json_answer, listing
from campaigns.api.auth import actor_of, need_admin_scope, person_of
from campaigns.api.once import once
from campaigns.api.schemas import PLAIN, SESSION_MOST, Kind, ListQuery, RowId, Slug
from campaigns.api.sessions import session_of
from campaigns.api.shown import example
from campaigns.errors import Forbidden, NotFound
from campaigns.models import Campaign, Secret
from extraction.codes import Code

router = Router(tags=["secrets"])
own_router = Router(tags=["secrets"])
ORDER = Keyset({"id": int})


class SecretIn(Schema):
    model_config = ConfigDict(extra="forbid")

    note: str = Field("", max_length=2_000, pattern=PLAIN)


class EntrySecretIn(SecretIn):
    """An entry: it, its occurrences and its name, in every session."""

    kind: Literal["entry"]
    entry_kind: Kind
    entity_id: str = Field(max_length=120, pattern=PLAIN)


class MergeSecretIn(SecretIn):
    """That what was united in an entry is one."""

    kind: Literal["merge"]
    entry_kind: Kind
    entity_id: str = Field(max_length=120, pattern=PLAIN)


class OccurrenceSecretIn(SecretIn):
    """One record of an occurrence, a turn, a cast or an event."""

    kind: Literal["occurrence"]
    version: RowNumber = Field(description="The id of the version that the record is in.")
    record: Place


class RangeSecretIn(SecretIn):
    """A passage of a session's transcript, with all that nothing else proves."""

    kind: Literal["range"]
    session: int = Field(ge=1, le=SESSION_MOST)
    start_unit_id: UnitId
    end_unit_id: UnitId


ASecret: TypeAlias = Annotated[
    EntrySecretIn | MergeSecretIn | OccurrenceSecretIn | RangeSecretIn, Field(discriminator="kind")
]


class SecretOut(Schema):
    model_config = example(
        id=5,
        kind="entry",
        label="Sister Corwen",
        session=None,
        note="Until they find the ledger.",
        hidden_at="2031-05-04T20:15:00Z",
        revealed_at=None,
    )

    id: int
    kind: Literal["entry", "occurrence", "range", "merge"]
    label: str
    session: int | None
    note: str
    hidden_at: datetime
    revealed_at: datetime | None


class SecretList(Schema):
    items: list[SecretOut]
    next_cursor: str | None


@router.get("/{slug}/secrets", response=SecretList)
def list_secrets(request: HttpRequest, slug: Slug, query: Query[ListQuery]) -> HttpResponse:
    """What is kept from players, and what was and is revealed, oldest first; for game masters."""
    campaign = campaign_for(actor_of(request), slug, Need.SEE_PENDING)
    need_admin_scope(request)
    after = ORDER.after(query.cursor)
    rows = campaign.secrets.select_related("session").order_by("pk")
    wanted = rows if after is None else rows.filter(pk__gt=after[0])
    found = [_shown(secret) for secret in wanted[: query.limit + 1]]
    return json_answer(listing(*ORDER.page(found, query.limit)))


@router.post("/{slug}/secrets", response={201: SecretOut})
@once
def hide(request: HttpRequest, slug: Slug, one_of: Body[ASecret]) -> HttpResponse:
    """Keep something from players from now on: an entry, a merge, an occurrence or a passage."""
    by = person_of(request)
    campaign = campaign_for(actor_of(request), slug, Need.EDIT)
    need_admin_scope(request)
    match one_of:
        case EntrySecretIn() | MergeSecretIn():
            act = secrets.hide_entry if isinstance(one_of, EntrySecretIn) else secrets.hide_merge
            kept = act(campaign=campaign, kind=one_of.entry_kind, entity_id=one_of.entity_id, note=one_of.note, by=by)
        case OccurrenceSecretIn():
            version = version_for(actor_of(request), one_of.version, Need.EDIT)
            _of_campaign(version.artifact.session.campaign_id, campaign)
            kept = secrets.hide_occurrence(version=version, record=one_of.record, note=one_of.note, by=by)
        case RangeSecretIn():
            kept = secrets.hide_range(
                session=session_of(actor_of(request), campaign, one_of.session),
                start_unit=one_of.start_unit_id,
                end_unit=one_of.end_unit_id,
                note=one_of.note,
                by=by,
            )
    return json_answer(_shown(kept), status=201)


@own_router.post("/{secret_id}/reveal", response=SecretOut)
@once
def reveal_secret(request: HttpRequest, secret_id: RowId) -> HttpResponse:
    """Let players know: what this alone kept from them is theirs from now on."""
    actor, by = actor_of(request), person_of(request)
    known = Secret.objects.select_related("campaign").filter(pk=secret_id).first()
    if known is None or not may(actor, known.campaign, Need.SEE_PENDING):
        raise NotFound("There is no such secret.", code=Code.SECRET_UNKNOWN)
    if not may(actor, known.campaign, Need.EDIT):
        raise Forbidden("You may read this campaign, but not change it.")
    need_admin_scope(request)
    return json_answer(_shown(secrets.reveal(secret_id=secret_id, by=by)))


def _of_campaign(campaign_id: int, campaign: Campaign) -> None:
    if campaign_id != campaign.pk:
        raise NotFound("There is no such artifact version.", code=Code.VERSION_UNKNOWN)


def _shown(secret: Secret) -> dict[str, object]:
    return {
        "id": secret.pk,
        "kind": secret.kind,
        "label": secret.label,
        "session": secret.session.number if secret.session else None,
        "note": secret.note,
        "hidden_at": secret.hidden_at,
        "revealed_at": secret.revealed_at,
    }
