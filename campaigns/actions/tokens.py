"""API tokens: made once in clear, kept as digests."""

from __future__ import annotations

import hmac
import re
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from campaigns.actions import audit
from campaigns.errors import ActionError, NotFound
from campaigns.models import ApiToken, Campaign
from extraction.canonical import bytes_digest
from extraction.codes import Code

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PREFIX = "ntr_"
RAW_TOKEN = re.compile(r"ntr_[A-Za-z0-9_-]{43}")
SHOWN = 12
USE_IS_NOTED_EVERY = timedelta(minutes=1)
NAME_LIMIT = 100


@transaction.atomic
def create(
    *, user: User, name: str, scope: str, campaign: Campaign | None = None, expires_at: datetime | None = None
) -> tuple[ApiToken, str]:
    """Return the token's row and the token itself, which nothing can show again.

    Raises ActionError for an empty or long name, an unknown scope, or an end that has passed.
    """
    name = name.strip()
    if not 1 <= len(name) <= NAME_LIMIT:
        raise ActionError(f"A token needs a name of 1 to {NAME_LIMIT} characters.")
    if scope not in ApiToken.Scope.values:
        raise ActionError(f"A token's scope is one of: {', '.join(ApiToken.Scope.values)}.")
    if expires_at is not None and expires_at <= timezone.now():
        raise ActionError("A token's end must lie in the future.")
    raw = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=raw[:SHOWN],
        digest=_digest(raw),
        scope=scope,
        campaign=campaign,
        expires_at=expires_at,
    )
    audit.record(by=user, act="token.create", subject=token, campaign=campaign, scope=scope)
    return token, raw


@transaction.atomic
def revoke(*, token: ApiToken, by: User) -> ApiToken:
    """Make the token useless from now on; one that is revoked already stays as it was.

    Raises NotFound unless it is the user's own or the user is a site admin.
    """
    if by.pk != token.user_id and not (by.is_active and by.is_superuser):
        raise NotFound("There is no such token.", code=Code.TOKEN_UNKNOWN)
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record(by=by, act="token.revoke", subject=token, campaign=token.campaign)
    token.refresh_from_db(fields=["revoked_at"])
    return token


def authenticate(raw: str, at: datetime) -> ApiToken | None:
    """Return the token whose secret this is, if it is valid at this time and its user is active.

    Looked up by the part that is shown anyway, and compared in constant time. Notes the use at most once a minute.
    """
    if not RAW_TOKEN.fullmatch(raw):
        return None
    digest = _digest(raw)
    rows = ApiToken.objects.select_related("user").filter(prefix=raw[:SHOWN], revoked_at=None)
    token = next((row for row in rows if hmac.compare_digest(row.digest, digest)), None)
    if token is None or not token.user.is_active or (token.expires_at is not None and token.expires_at <= at):
        return None
    before = at - USE_IS_NOTED_EVERY
    if token.last_used_at is None or token.last_used_at <= before:
        # Of many requests at once one writes.
        unnoted = Q(last_used_at=None) | Q(last_used_at__lte=before)
        ApiToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=at)
        token.last_used_at = at
    return token


def _digest(raw: str) -> str:
    return bytes_digest(raw.encode("ascii"))
