"""A database's address, read strictly: of the kinds that are served here, and with a name."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from environ import Env

SCHEMES = ("sqlite", "postgres", "postgresql")
FORMS = "postgres://user:password@host/name or sqlite:///path/to/file"


def database_at(url: str) -> dict[str, Any]:
    """Return Django's settings for the database at the address.

    Raises ValueError for one of no kind served here; whoever tells of it must leave its words and its cause out, for
    they may quote the password.
    """
    if urlsplit(url).scheme not in SCHEMES:
        raise ValueError("an unknown scheme")
    found: dict[str, Any] = Env.db_url_config(url)
    # In memory each process would have a database of its own.
    if found["NAME"] in ("", ":memory:"):
        raise ValueError("no name")
    return found
