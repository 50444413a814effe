"""What stands before the tools over HTTP: a valid token, and the limits of the API, counted together with it."""

from __future__ import annotations

from dataclasses import dataclass

from django import db
from django.conf import settings
from django.utils import timezone
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from campaigns.actions import tokens
from campaigns.api import limits
from campaigns.api.limits import Allowance


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether the token opens anything now, and what whoever asks has left of this minute."""

    valid: bool
    allowance: Allowance


def gated(app: ASGIApp) -> ASGIApp:
    """Return the application behind a check of the token, which the tools check again for themselves.

    Each request counts as one of the API's: of its token, or of its address where the token is not valid.
    """

    async def gate(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        admission = await run_in_threadpool(_admit, Request(scope))
        headers = admission.allowance.headers()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        refusal = _refusal(admission)
        await (app if refusal is None else refusal)(scope, receive, counted)

    return gate


def bearer_of(request: Request) -> str:
    """Return the token that the request brings, or nothing."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _admit(request: Request) -> Admission:
    try:
        found = tokens.authenticate(bearer_of(request), timezone.now())
    finally:
        db.connections.close_all()
    if found is not None:
        return Admission(True, limits.charge(limits.name_of(found), settings.API_RATE))
    forwarded = ",".join(request.headers.getlist("x-forwarded-for"))
    address = limits.household(forwarded, request.client.host if request.client else "")
    return Admission(False, limits.charge(f"a{address}", settings.API_RATE_ANONYMOUS))


def _refusal(admission: Admission) -> JSONResponse | None:
    if admission.allowance.exceeded:
        wait = {"Retry-After": str(admission.allowance.reset_s)}
        return JSONResponse({"error": "Too many requests: ask again later."}, 429, wait)
    return (
        None
        if admission.valid
        else JSONResponse({"error": "Send a bearer token."}, 401, {"WWW-Authenticate": "Bearer"})
    )
