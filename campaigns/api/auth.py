"""Who asks: a bearer token, a signed-in person, or nobody."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from ninja.errors import AuthenticationError, HttpError
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from campaigns.access import Actor
from campaigns.actions import tokens
from extraction.errors import InternalError

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class BearerToken(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> Actor:
        """Return the token's holder; a token that is not valid is an error, never nobody."""
        found = tokens.authenticate(token, timezone.now())
        if found is None:
            raise AuthenticationError()
        return Actor.of_token(found)


class SessionCookie(APIKeyCookie):
    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> Actor | None:
        return self.authenticate(request, None)

    def authenticate(self, request: HttpRequest, key: str | None) -> Actor | None:
        """Return the signed-in person, or None; 403 for a write without the CSRF token."""
        if not request.user.is_authenticated:
            return None
        if check_csrf(request) is not None:
            raise HttpError(403, "CSRF")
        return Actor.of_user(request.user)


def nobody(request: HttpRequest) -> Actor | None:
    """Let anybody read what is public; a write needs a name."""
    return Actor(None) if request.method in SAFE_METHODS else None


def actor_of(request: HttpRequest) -> Actor:
    """Return who asks, as the authentication before the endpoint found."""
    actor: object = getattr(request, "auth", None)
    if not isinstance(actor, Actor):
        raise InternalError("an endpoint ran without authentication")
    return actor
