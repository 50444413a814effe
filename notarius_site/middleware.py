"""What goes around every request: an id for the log, a measurement, and headers of the answer."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from campaigns import metrics, tracing
from campaigns.api import gate
from campaigns.views import errors

NO_DEVICES = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "microphone", "payment", "usb")
PERMISSIONS_POLICY = ", ".join(f"{name}=()" for name in NO_DEVICES)


def request_ids(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Return middleware that gives each request an id, which its log lines, its runs and its answer carry."""

    def middleware(request: HttpRequest) -> HttpResponse:
        own = tracing.request_id(request.headers.get("X-Request-ID"))
        request.META[tracing.META_KEY] = own
        with tracing.tracing(request=own), metrics.measured(request) as measure:
            response = get_response(request)
            measure(response)
        response.headers["X-Request-ID"] = own
        return response

    return middleware


def body_limit(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Return middleware that refuses what is far too large before a byte of it is read or kept.

    The check of a form's token would read all of it first, and put the file on the disk of the server. The API
    looks for no such token before its gate, which has limits of its own.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        most = settings.UPLOAD_MAX_BYTES + gate.FORM_BYTES
        if gate.length_of(request) > most and not request.path_info.startswith(errors.API):
            return errors.too_large(request)
        return get_response(request)

    return middleware


def content_security_policy(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Return middleware that sets the one strict policy; Django 5.2 has none of its own."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        return response

    return middleware
