"""Checks at start-up: a setting that would fail later fails now, in one sentence with an id.

notarius.E001  a language model setting or the profiles file is wrong
notarius.E002  the data directory cannot be written
notarius.E003  the queue would hand a lane out again while it is still being worked on
notarius.W002  accounts of which the names differ in case alone
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import cast

from django.apps import AppConfig
from django.conf import settings
from django.contrib.auth.models import User
from django.core.checks import CheckMessage, Error, Warning
from django.db import DEFAULT_DB_ALIAS, connection

from campaigns.adapters.providers import profiles
from extraction.errors import InputError

# What django-q2 adds to a task's timeout before it gives the task up.
GUARD_S = 3


def check_profiles(app_configs: Sequence[AppConfig] | None, **options: object) -> list[CheckMessage]:
    """Report the first thing wrong with the language model settings; no provider is called."""
    try:
        profiles()
    except InputError as error:
        return [Error(str(error), id="notarius.E001")]
    return []


def check_data_directory(app_configs: Sequence[AppConfig] | None, **options: object) -> list[CheckMessage]:
    """Report a data directory that is no directory, or that this user can neither write nor make."""
    folder = Path(settings.DATA_DIR).absolute()
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return []
    hint = "Let NOTARIUS_DATA_DIR name a folder that this user may write."
    return [Error("The data directory cannot be written.", hint=hint, id="notarius.E002")]


def check_queue(app_configs: Sequence[AppConfig] | None, **options: object) -> list[CheckMessage]:
    """Report a retry that does not outlast a task and all that may wait in front of it in one cluster."""
    queue = cast("dict[str, int]", settings.Q_CLUSTER)
    ahead = ceil((queue["queue_limit"] + 1) / queue["workers"]) + 1
    least = (queue["timeout"] + GUARD_S) * ahead
    if queue["retry"] > least:
        return []
    return [Error(f"Q_CLUSTER: retry is {queue['retry']} and must be more than {least}.", id="notarius.E003")]


def check_names(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **options: object
) -> list[CheckMessage]:
    """Report how many accounts, made before that was refused, have another's name but for the case; none by name."""
    asked = databases and DEFAULT_DB_ALIAS in databases
    if not asked or User._meta.db_table not in connection.introspection.table_names():
        return []
    counted = Counter(name.lower() for name in User.objects.values_list("username", flat=True))
    alike = sum(times for times in counted.values() if times > 1)
    if not alike:
        return []
    hint = "Each signs in with the exact name; rename all but one in the admin, under Users."
    return [Warning(f"The names of {alike} accounts differ in case alone.", hint=hint, id="notarius.W002")]


ALL = (check_profiles, check_data_directory, check_queue)
