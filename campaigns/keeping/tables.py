"""What the archive holds, table by table, and digests that are equal wherever it is stored.

Left out is what says nothing tomorrow: seats and pulses of workers, the cache, the queue and people's sessions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS
from django.db.models import Field, Model

PASSING = frozenset({"campaigns.CallSeat", "campaigns.WorkerPulse", "campaigns.CacheRow", "sessions.Session"})
PASSING_APPS = frozenset({"django_q"})
ROWS_AT_ONCE = 2_000


def kept_models() -> list[type[Model]]:
    """Return every model whose rows are the archive, the tables between two models among them, by label."""
    models = apps.get_models(include_auto_created=True)
    return sorted(
        (
            model
            for model in models
            if model._meta.managed
            and not model._meta.proxy
            and model._meta.label not in PASSING
            and model._meta.app_label not in PASSING_APPS
        ),
        key=lambda model: model._meta.label,
    )


def columns_of(model: type[Model]) -> list[Field[Any, Any]]:
    """Return the model's columns in the order of their names, in which every database has them."""
    return sorted(model._meta.concrete_fields, key=lambda field: field.attname)


def rows_of(model: type[Model], using: str = DEFAULT_DB_ALIAS) -> Iterator[tuple[Any, ...]]:
    """Return the rows' values in the order of their keys."""
    names = [field.attname for field in columns_of(model)]
    rows = model._base_manager.using(using).order_by("pk").values_list(*names)
    return rows.iterator(chunk_size=ROWS_AT_ONCE)


def digests(using: str = DEFAULT_DB_ALIAS) -> dict[str, tuple[int, str]]:
    """Return the number of rows and their SHA-256 of each table, by the model's label."""
    return {model._meta.label: _digest(model, using) for model in kept_models()}


def digest_of(tables: Mapping[str, tuple[int, str]]) -> str:
    """Return one digest of all tables' digests."""
    lines = (f"{label} {count} {digest}\n" for label, (count, digest) in sorted(tables.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _digest(model: type[Model], using: str) -> tuple[int, str]:
    count, running = 0, hashlib.sha256()
    for row in rows_of(model, using):
        count += 1
        running.update(json.dumps([_plain(value) for value in row], sort_keys=True).encode())
    return count, running.hexdigest()


def _plain(value: Any) -> Any:
    """Return the value as JSON that does not depend on how a database hands it out."""
    match value:
        case bytes() | bytearray() | memoryview():
            return hashlib.sha256(value).hexdigest()
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="microseconds")
        case date():
            return value.isoformat()
        case Decimal():
            return format(value.normalize(), "f")
        case None | bool() | int() | float() | str() | list() | dict():
            return value
    return str(value)
