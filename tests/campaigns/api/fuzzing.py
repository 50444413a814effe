"""Schemathesis over the whole document, every check on, in this process: each request is rolled back after it.

The long form asks a site that is served, with `schemathesis.toml` beside this file (docs/api.md says how).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from tests.campaigns.api.world import World

DOCUMENT = "/api/v1/openapi.json"
CONFIG = Path(__file__).with_name("schemathesis.toml")
Loose: TypeAlias = Any  # Any: schemathesis' own objects


def fuzz(world: World, role: str, examples: int) -> int:
    """Ask every operation as this one of the cast and return how many there are; a broken promise fails."""
    app = get_wsgi_application()
    count = 0
    with _one_connection():
        schema = schemathesis.openapi.from_wsgi(DOCUMENT, app, config=SchemathesisConfig.from_path(CONFIG))
        operations: Loose = schema.get_all_operations()
        for found in operations:
            count += 1
            for cases in _cases(found.ok(), world):
                _ask(cases, {**world.headers(role), "Accept-Encoding": "identity"}, examples)
    return count


@contextmanager
def _one_connection() -> Iterator[None]:
    """Let requests leave the test's connection open, as Django's own test client does."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


def _cases(operation: Loose, world: World) -> Iterator[SearchStrategy[Loose]]:
    """Yield what to ask: what is right about something that there is, and what is wrong."""
    named = {name: value for name, value in world.ids.items() if f"{{{name}}}" in operation.path}
    yield operation.as_strategy(GenerationMode.POSITIVE, path_parameters=named or None)
    if operation.query or operation.body:
        yield operation.as_strategy(GenerationMode.NEGATIVE, path_parameters=named or None)
    elif named:
        yield operation.as_strategy(GenerationMode.NEGATIVE)


def _ask(cases: SearchStrategy[Loose], headers: dict[str, str], examples: int) -> None:
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def ask(case: Loose) -> None:
        with transaction.atomic():
            try:
                case.call_and_validate(headers=headers)
            finally:
                transaction.set_rollback(True)

    ask()
