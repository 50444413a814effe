"""What a balancer and a monitoring program ask: is it alive, can it serve, how is it doing."""

from __future__ import annotations

import hmac
from threading import Event

from django import db
from django.conf import settings
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from campaigns import metrics
from campaigns.actions import pulses

# Set once nothing was missing: whoever comes with newer migrations starts a new process.
MIGRATED = Event()


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Say that the process answers; it looks at nothing else, so that a database's trouble restarts no web server."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether requests can be served: 503 where the database does not answer or lacks a migration.

    A worker that is missing is told, but pages can be read without one. Before the migrations none is seen.
    """
    try:
        _reach_database()
        behind = not _is_migrated()
        # The table that tells of workers may be among what is missing.
        worker = not behind and pulses.any_supervisor(at=timezone.now())
    except db.Error:
        return JsonResponse({"status": "unavailable", "database": False}, status=503)
    ready = {"status": "behind" if behind else "ok", "database": True, "migrated": not behind, "worker": worker}
    return JsonResponse(ready, status=503 if behind else 200)


@require_safe
def metrics_page(request: HttpRequest) -> HttpResponse:
    """Give the numbers to who sends the configured token, and to site admins; Http404 to anybody else."""
    if not (_sends_token(request) or (request.user.is_active and request.user.is_superuser)):
        raise Http404
    return HttpResponse(metrics.exposition(), content_type=metrics.CONTENT_TYPE)


def _sends_token(request: HttpRequest) -> bool:
    expected, sent = settings.METRICS_TOKEN, request.headers.get("Authorization", "")
    return bool(expected) and hmac.compare_digest(sent.encode(), f"Bearer {expected}".encode())


def _reach_database() -> None:
    """Raise db.Error where the database takes no new connection: an open one to a frozen server would never answer."""
    fresh = db.connections.create_connection(db.DEFAULT_DB_ALIAS)
    try:
        fresh.ensure_connection()
    finally:
        fresh.close()


def _is_migrated() -> bool:
    # To look reads every migration file, which nobody should have this page do at each visit.
    if not MIGRATED.is_set() and not _missing_migrations():
        MIGRATED.set()
    return MIGRATED.is_set()


def _missing_migrations() -> list[object]:
    executor = MigrationExecutor(db.connection)
    return list(executor.migration_plan(executor.loader.graph.leaf_nodes()))
