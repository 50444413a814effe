"""A campaign as files: ordered, asked after, fetched. The game masters' edition needs the scope admin."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from ninja import Query, Router, Schema
from pydantic import ConfigDict, Field

from campaigns.actions import exports
from campaigns.api.answers import Keyset, json_answer, listing
from campaigns.api.auth import actor_of, need_admin_scope, need_write_scope, person_of
from campaigns.api.once import once
from campaigns.api.schemas import SESSION_MOST, AnEdition, Closed, ListQuery, RowId, Slug
from campaigns.api.shown import example
from campaigns.models import Edition, Export

router = Router(tags=["exports"])
own_router = Router(tags=["exports"])
BEFORE = Keyset({"id": int})
ZIP = "application/zip"
FILE = {"description": "The zip.", "content": {ZIP: {"schema": {"type": "string", "format": "binary"}}}}


class ExportIn(Closed):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"format": "markdown"}]})

    format: Literal["json", "markdown", "csv", "foundry"]
    edition: AnEdition = "player"
    as_of: int | None = Field(None, ge=1, le=SESSION_MOST, description="Of the players' edition: up to this session.")


class ExportOut(Schema):
    model_config = example(
        id=3,
        campaign="glass-tithe",
        format="markdown",
        edition="player",
        as_of=None,
        state="succeeded",
        done=12,
        total=12,
        size=48_213,
        digest="9b" * 32,
        error_code=None,
        ordered_at="2031-05-04T20:15:00Z",
        finished_at="2031-05-04T20:15:02Z",
        expires_at="2031-05-05T20:15:02Z",
    )

    id: int
    campaign: str
    format: str
    edition: AnEdition
    as_of: int | None
    state: Literal["queued", "running", "succeeded", "failed", "expired"]
    done: int
    total: int
    size: int
    digest: str | None = Field(description="SHA-256 of the file.")
    error_code: str | None
    ordered_at: datetime
    finished_at: datetime | None
    expires_at: datetime | None


class ExportList(Schema):
    items: list[ExportOut]
    next_cursor: str | None


@router.get("/{slug}/exports", response=ExportList)
def list_exports(request: HttpRequest, slug: Slug, query: Query[ListQuery]) -> HttpResponse:
    """The exports of the campaign that you may see, the newest first."""
    before = BEFORE.after(query.cursor)
    rows = [row for row in exports.exports_of(actor_of(request), slug) if before is None or row.pk < int(before[0])]
    shown = [_shown(row) for row in rows[: query.limit + 1]]
    return json_answer(listing(*BEFORE.page(shown, query.limit)))


@router.post("/{slug}/exports", response={202: ExportOut})
@once
def order_export(request: HttpRequest, slug: Slug, wanted: ExportIn) -> HttpResponse:
    """Order an export; a worker makes it. Players' edition for members, the game masters' for them (scope admin)."""
    by = person_of(request)
    need_write_scope(request)
    if wanted.edition == "gm":
        need_admin_scope(request)
    export = exports.order(
        who=actor_of(request), slug=slug, format=wanted.format, edition=wanted.edition, as_of=wanted.as_of, by=by
    )
    return json_answer(_shown(export), status=202, location=reverse("notarius-api:get_export", args=[export.pk]))


@own_router.get("/{export_id}", response=ExportOut)
def get_export(request: HttpRequest, export_id: RowId) -> HttpResponse:
    """One export: how far it is, and until when it can be fetched."""
    return json_answer(_shown(exports.export_for(actor_of(request), export_id)))


@own_router.get("/{export_id}/file", openapi_extra={"responses": {200: FILE}})
def download_export(request: HttpRequest, export_id: RowId) -> HttpResponseBase:
    """The file of a finished export."""
    actor = actor_of(request)
    export = exports.export_for(actor, export_id)
    if export.edition == Edition.GM:
        need_admin_scope(request)
    file = exports.opened(export, actor)
    return FileResponse(file, as_attachment=True, filename=export.file_name, content_type=ZIP)


@own_router.post("/{export_id}/discard", response={204: None})
def discard_export(request: HttpRequest, export_id: RowId) -> HttpResponse:
    """Remove an export and its file before its time."""
    by = person_of(request)
    export = exports.export_for(actor_of(request), export_id)
    need_write_scope(request)
    exports.discard(export=export, by=by)
    return HttpResponse(status=204)


def _shown(export: Export) -> dict[str, object]:
    return {
        "id": export.pk,
        "campaign": export.campaign.slug,
        "format": export.format,
        "edition": export.edition,
        "as_of": export.as_of,
        "state": export.state,
        "done": export.done,
        "total": export.total,
        "size": export.size,
        "digest": export.digest or None,
        "error_code": export.error_code or None,
        "ordered_at": export.ordered_at,
        "finished_at": export.finished_at,
        "expires_at": export.expires_at,
    }
