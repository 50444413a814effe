"""Who asks: a bearer token, a signed-in person, or nobody. Each request is counted once it is known whose it is."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import AuthenticationError, HttpError
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from campaigns.access import Actor
from campaigns.actions import tokens
from campaigns.api import limits
from campaigns.errors import Forbidden
from campaigns.models import ApiToken
from extraction.codes import Code
from extraction.errors import InternalError

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class BearerToken(HttpBearer):
    def __call__(self, request: HttpRequest) -> Actor | None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        return self.authenticate(request, token.strip()) if scheme.lower() == "bearer" else None

    def authenticate(self, request: HttpRequest, token: str) -> Actor:
        """Return the token's holder; a token that is not valid is an error, never nobody."""
        found = tokens.authenticate(token, timezone.now())
        if found is None:
            limits.charge_address(request)
            raise AuthenticationError()
        request.api_token = found  # type: ignore[attr-defined]  # what the token itself allows is asked in `token_of`
        limits.charge_known(request, limits.name_of(found))
        return Actor.of_token(found)


class SessionCookie(APIKeyCookie):
    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> Actor | None:
        return self.authenticate(request, None)

    def authenticate(self, request: HttpRequest, key: str | None) -> Actor | None:
        """Return the signed-in person, or None; 403 for a write without the CSRF token."""
        user = request.user
        if not isinstance(user, User):
            return None
        limits.charge_known(request, f"u{user.pk}")
        if check_csrf(request) is not None:
            raise HttpError(403, "CSRF")
        return Actor.of_user(user)


def nobody(request: HttpRequest) -> Actor | None:
    """Let anybody read what is public; a write needs a name."""
    limits.charge_address(request)
    return Actor(None) if request.method in SAFE_METHODS else None


def actor_of(request: HttpRequest) -> Actor:
    """Return who asks, as the authentication before the endpoint found."""
    actor: object = getattr(request, "auth", None)
    if not isinstance(actor, Actor):
        raise InternalError("an endpoint ran without authentication")
    return actor


def token_of(request: HttpRequest) -> ApiToken | None:
    """Return the token that asks, None where a person does."""
    token: object = getattr(request, "api_token", None)
    return token if isinstance(token, ApiToken) else None


def person_of(request: HttpRequest) -> User:
    """Return the person who asks, or whose token does; 401 for nobody."""
    user = actor_of(request).user
    if user is None:
        raise AuthenticationError()
    return user


def caller_of(request: HttpRequest) -> str:
    """Return a short name of who asks: each token has its own, and so has the session of a person."""
    token = token_of(request)
    return limits.name_of(token) if token else f"u{person_of(request).pk}"


def need_write_scope(request: HttpRequest) -> None:
    """Raise Forbidden for a token that may only read."""
    token = token_of(request)
    if token is not None and token.scope == ApiToken.Scope.READ:
        raise Forbidden("This needs a token of the scope write.", code=Code.AUTH_SCOPE)


def need_admin_scope(request: HttpRequest) -> None:
    """Raise Forbidden for a token that may not hand out access or show what is hidden; a person always may."""
    token = token_of(request)
    if token is not None and token.scope != ApiToken.Scope.ADMIN:
        raise Forbidden("This needs a token of the scope admin.", code=Code.AUTH_SCOPE)
