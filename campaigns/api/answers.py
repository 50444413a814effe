"""How answers are made: bytes, strong ETags checked after access, and lists that are paged by key."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import orjson
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from ninja.errors import HttpError

from campaigns.errors import ActionError
from extraction.canonical import bytes_digest, digest

JSON = "application/json"
Row: TypeAlias = "Mapping[str, object]"
Part: TypeAlias = "str | int | bool | Sequence[str | int | bool | None] | None"
CURSOR_LIMIT = 2_000
R = TypeVar("R", bound=HttpResponseBase)


def json_answer(data: object, *, status: int = 200, location: str | None = None) -> HttpResponse:
    response = HttpResponse(orjson.dumps(data), status=status, content_type=JSON)
    if location is not None:
        response["Location"] = location
    return response


def conditional(
    request: HttpRequest, parts: Sequence[Part], body: Callable[[], bytes], media_type: str = JSON
) -> HttpResponse:
    """Return the body, or 304 where the client has it. `parts` must tell apart everything the body depends on.

    Call it after access was checked: then a 304 says nothing that the body would not.
    """
    etag = etag_of(parts)
    return (
        not_modified(etag) if is_known(request, etag) else tagged(HttpResponse(body(), content_type=media_type), etag)
    )


def hashed(request: HttpRequest, body: bytes, media_type: str = JSON) -> HttpResponse:
    """Return the body, or 304 where the client has it: for what nothing but the body itself tells apart."""
    return conditional(request, (bytes_digest(body),), lambda: body, media_type)


def not_modified(etag: str) -> HttpResponse:
    response = HttpResponse(status=304)
    del response["Content-Type"]
    return tagged(response, etag)


def etag_of(parts: Sequence[Part]) -> str:
    return f'"{digest(list(parts))}"'


def is_known(request: HttpRequest, etag: str) -> bool:
    """Say whether the client has what the tag stands for."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    # The comparison is weak here (RFC 9110, If-None-Match): compression marks the tag as weak.
    return "*" in known or etag in (tag.removeprefix("W/") for tag in known)


def tagged(response: R, etag: str) -> R:
    """Return the answer with its tag, and told that it is for nobody else."""
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ("Authorization", "Cookie"))
    return response


def need_match(request: HttpRequest, etag: str) -> None:
    """Raise the error of status 412 where the request says by If-Match that it is about something else."""
    wanted = request.headers.get("If-Match")
    if wanted is not None and not {"*", etag} & {tag.removeprefix("W/") for tag in parse_etags(wanted)}:
        raise HttpError(412, "If-Match")


@dataclass(frozen=True, slots=True)
class Keyset:
    """The order of a list: fields that together are unique, ascending, each with its type."""

    fields: Mapping[str, type[str] | type[int]]

    def after(self, cursor: str | None) -> tuple[str | int, ...] | None:
        """Return the key that the cursor stands for; ActionError for one that we did not make for this list."""
        if not cursor:
            return None
        try:
            if len(cursor) > CURSOR_LIMIT:
                raise ValueError
            key = orjson.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
            kinds = tuple(self.fields.values())
            if not isinstance(key, list) or tuple(map(type, key)) != kinds or not all(map(_storable, key)):
                raise ValueError
        except (ValueError, binascii.Error) as error:
            raise ActionError("The cursor is not one that this list gave out.") from error
        return tuple(key)

    def beyond(self, cursor: str | None) -> Q:
        """Return the filter for rows after the cursor's."""
        key = self.after(cursor)
        found, equal = Q(), Q()
        for name, value in zip(self.fields, key or (), strict=False):
            found |= equal & Q(**{f"{name}__gt": value})
            equal &= Q(**{name: value})
        return found

    def page(self, rows: Sequence[Row], limit: int) -> tuple[Sequence[Row], str | None]:
        """Return the first `limit` rows, and the cursor to go on with if there are more."""
        if len(rows) <= limit:
            return rows, None
        last = rows[limit - 1]
        return rows[:limit], self.cursor([last[name] for name in self.fields])

    def cursor(self, key: Sequence[object]) -> str:
        """Return what leads on from the row of this key."""
        return base64.urlsafe_b64encode(orjson.dumps(list(key))).decode("ascii")


def _storable(part: str | int) -> bool:
    """Say whether a database can compare with it: no NUL, and at most eight bytes."""
    return "\x00" not in part if isinstance(part, str) else abs(part) < 2**63


def listing(items: Sequence[Row], cursor: str | None) -> dict[str, object]:
    return {"items": items, "next_cursor": cursor}
