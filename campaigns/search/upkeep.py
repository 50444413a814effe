"""The index's table: made after the migrations, filled where it is new, and looked for by the checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.apps import AppConfig
from django.core.checks import CheckMessage, Warning
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model

from campaigns.models import Campaign, Transcript
from campaigns.search.backends import backend
from campaigns.search.index import index_newest
from campaigns.search.places import Stretch, campaign_stretch, session_stretch

TABLES: tuple[type[Model], ...] = (Campaign, Transcript)


def make_index(using: str = DEFAULT_DB_ALIAS, **signal: object) -> None:
    """Make the table where there is none, and fill it with what an older installation has."""
    tables = set(connection.introspection.table_names())
    if using != DEFAULT_DB_ALIAS or not all(model._meta.db_table in tables for model in TABLES):
        return
    if not backend().exists():
        backend().create()
        rebuild()


def rebuild(campaign: Campaign | None = None, progress: Callable[[Transcript], None] | None = None) -> int:
    """Index the newest transcript of each session anew, of one campaign or of all; return how many there are.

    One session a transaction, so that others can write in between; what stands between two sessions goes.
    """
    table = backend()
    table.create()
    count = 0
    for each in Campaign.objects.all() if campaign is None else [campaign]:
        whole = campaign_stretch(each.pk)
        first = whole.first
        for session in each.sessions.order_by("number"):
            stretch = session_stretch(each.pk, session.number)
            table.remove(Stretch(first, stretch.first - 1))
            first = stretch.last + 1
            transcript = index_newest(session)
            if transcript is not None:
                count += 1
                if progress is not None:
                    progress(transcript)
        table.remove(Stretch(first, whole.last))
    return count


def check_index(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **options: object
) -> list[CheckMessage]:
    """Report an index without its table; a database before its first migration has none and is no mistake."""
    if not databases or DEFAULT_DB_ALIAS not in databases:
        return []
    if Transcript._meta.db_table not in connection.introspection.table_names() or backend().exists():
        return []
    hint = "Run `manage.py migrate` or `manage.py reindex`."
    return [Warning("The search index has no table: nothing is found.", hint=hint, id="notarius.W001")]
