"""A person's own tokens. Listing and making them needs the scope admin; each may look at itself and end itself."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import AwareDatetime, ConfigDict, Field

from campaigns.access import Need, campaign_for
from campaigns.actions import tokens
from campaigns.api.answers import Keyset, json_answer, listing
from campaigns.api.auth import actor_of, need_admin_scope, person_of, token_of
from campaigns.api.schemas import Closed, ListQuery, RowId
from campaigns.api.shown import example
from campaigns.errors import NotFound
from campaigns.models import ApiToken, Campaign
from extraction.codes import Code

router = Router(tags=["tokens"])
ORDER = Keyset({"id": int})


class TokenIn(Closed):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"name": "Our Discord bot", "scope": "read"}]}
    )

    name: str = Field(min_length=1, max_length=100, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")
    scope: Literal["read", "write", "admin"]
    campaign: str | None = Field(
        None, max_length=60, description="Bound to this campaign alone; to all of yours without."
    )
    expires_at: AwareDatetime | None = Field(
        None, description="With an offset from UTC. Without, it is good until revoked."
    )


class TokenOut(Schema):
    model_config = example(
        id=7,
        name="Our Discord bot",
        prefix="ntr_4Fq2bX0k",
        scope="read",
        campaign="glass-tithe",
        created_at="2031-05-04T20:15:00Z",
        expires_at=None,
        revoked_at=None,
        last_used_at=None,
    )

    id: int
    name: str
    prefix: str
    scope: Literal["read", "write", "admin"]
    campaign: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class TokenMade(TokenOut):
    model_config = example(
        id=7,
        name="Our Discord bot",
        prefix="ntr_4Fq2bX0k",
        scope="read",
        campaign=None,
        created_at="2031-05-04T20:15:00Z",
        expires_at=None,
        revoked_at=None,
        last_used_at=None,
        token=f"ntr_4Fq2bX0k{'x' * 35}",
    )

    token: str = Field(description="The token itself. Nothing can show it again.")


class TokenList(Schema):
    items: list[TokenOut]
    next_cursor: str | None


@router.get("", response=TokenList)
def list_tokens(request: HttpRequest, query: Query[ListQuery]) -> HttpResponse:
    """Your tokens, the newest last, those of no use any more among them. Needs the scope admin."""
    need_admin_scope(request)
    after = ORDER.after(query.cursor)
    rows = _own(request) if after is None else _own(request).filter(pk__gt=after[0])
    found = [_shown(token) for token in rows.order_by("pk")[: query.limit + 1]]
    return json_answer(listing(*ORDER.page(found, query.limit)))


@router.get("/current", response=TokenOut)
def get_current_token(request: HttpRequest) -> HttpResponse:
    """The token that this request was sent with: what it may do, and until when."""
    token = token_of(request)
    if token is None:
        raise NotFound("This request was sent without a token.", code=Code.TOKEN_UNKNOWN)
    return json_answer(_shown(token))


@router.post("", response={201: TokenMade})
def create_token(request: HttpRequest, wanted: TokenIn) -> HttpResponse:
    """Make a token of your own; it is shown this once. Needs the scope admin.

    A token that is bound to a campaign makes others for that one alone.
    """
    need_admin_scope(request)
    token, raw = tokens.create(
        user=person_of(request),
        name=wanted.name,
        scope=wanted.scope,
        campaign=_campaign(request, wanted.campaign),
        expires_at=wanted.expires_at,
    )
    answer = json_answer({**_shown(token), "token": raw}, status=201)
    answer["Cache-Control"] = "no-store"
    return answer


@router.post("/{token_id}/revoke", response=TokenOut)
def revoke_token(request: HttpRequest, token_id: RowId) -> HttpResponse:
    """End a token of your own, from now on and for good. Needs the scope admin, unless it is the one you ask with."""
    asking = token_of(request)
    if asking is None or asking.pk != token_id:
        need_admin_scope(request)
    token = _own(request).filter(pk=token_id).first()
    if token is None:
        raise NotFound("You have no such token.", code=Code.TOKEN_UNKNOWN)
    return json_answer(_shown(tokens.revoke(token=token, by=person_of(request))))


def _own(request: HttpRequest) -> QuerySet[ApiToken]:
    """Return the person's tokens, as far as the one that asks reaches."""
    rows = ApiToken.objects.filter(user=person_of(request)).select_related("campaign")
    asking = token_of(request)
    return rows if asking is None or asking.campaign is None else rows.filter(campaign=asking.campaign)


def _campaign(request: HttpRequest, slug: str | None) -> Campaign | None:
    asking = token_of(request)
    if slug is None:
        return None if asking is None else asking.campaign
    campaign = campaign_for(actor_of(request), slug, Need.READ)
    if asking is not None and asking.campaign_id not in (None, campaign.pk):
        raise NotFound("There is no such campaign.", code=Code.CAMPAIGN_UNKNOWN)
    return campaign


def _shown(token: ApiToken) -> dict[str, object]:
    return {
        "id": token.pk,
        "name": token.name,
        "prefix": token.prefix,
        "scope": token.scope,
        "campaign": token.campaign and token.campaign.slug,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "revoked_at": token.revoked_at,
        "last_used_at": token.last_used_at,
    }
