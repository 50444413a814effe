"""The version promise: version 1 only grows, and what is to go says so long before it goes.

An operation that is to go stands in ENDINGS. From then on its answers carry `Deprecation` (RFC 9745), `Sunset`
(RFC 8594) and a link, and the OpenAPI document marks it. It is served until the day of its sunset at least.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.utils.http import http_date

# Raised in its second part by each addition: a client can ask for what it needs.
VERSION = "1.2"
NOTICE = timedelta(days=365)
DOCS = "/api/v1/docs"


@dataclass(frozen=True, slots=True)
class Ending:
    """`instead` names the operation that takes the place of one that goes; `until` is never before a year's notice."""

    since: date
    instead: str
    until: date

    def __post_init__(self) -> None:
        if self.until < self.since + NOTICE:
            raise ValueError("an operation goes a year after it was announced, or later")


ENDINGS: Mapping[str, Ending] = {}


def headers_of(operation: str) -> dict[str, str]:
    """Return what the operation's answers say of its end: nothing as long as none is planned."""
    ending = ENDINGS.get(operation)
    if ending is None:
        return {}
    return {
        "Deprecation": f"@{_seconds(ending.since)}",
        "Sunset": http_date(_seconds(ending.until)),
        "Link": f'<{DOCS}#{ending.instead}>; rel="deprecation"; type="text/html"',
    }


def _seconds(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp())
