"""How the log is written: codes, counts and places, never an exception's words or an address asked for."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import TypeAlias

from campaigns import tracing

CONSOLE = "{asctime} {levelname} {name} {message}"
ExcInfo: TypeAlias = "tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]"


class ContentSafeFormatter(logging.Formatter):
    """Formats an exception as its type and its frames, and ends the line with the ids of the work it belongs to.

    An exception's text may quote a transcript, a name or a row of the database; source lines are ours.
    """

    def formatException(self, ei: ExcInfo) -> str:
        kind, _, trace = ei
        frames = "".join(traceback.format_tb(trace)) if trace is not None else ""
        return f"{frames}{kind.__name__ if kind else 'unknown exception'} (its text is not logged)"

    def formatMessage(self, record: logging.LogRecord) -> str:
        ids = " ".join(f"{name}={value}" for name, value in tracing.ids_of(record).items())
        return super().formatMessage(record) + (f" [{ids}]" if ids else "")


def console_formatter() -> logging.Formatter:
    """Return what formats lines for people."""
    return ContentSafeFormatter(CONSOLE, style="{")


class JsonFormatter(ContentSafeFormatter):
    """Formats a record as one line of JSON: `at`, `level`, `logger`, `message`, the ids, `error` where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **tracing.ids_of(record),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


class ViewInsteadOfAddress(logging.Filter):
    """Names the view that was asked for in place of the address, which may hold names."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        match = getattr(request, "resolver_match", None)
        if request is not None:
            status = getattr(record, "status_code", "error")
            record.msg, record.args = "%s in %s", (status, match.view_name if match else "no view")
        return True


class NothingAskedFor(logging.Filter):
    """Takes out of gunicorn's own lines what was asked for and by whom: of a broken request it would quote all.

    Such a line is written while the exception is dealt with; its kind is what is told.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        said = str(record.msg)
        if said.startswith("Invalid request"):
            kind = sys.exc_info()[0]
            record.msg, record.args = "refused a request: %s", (kind.__name__ if kind else "unknown",)
        elif said.startswith("Error handling request"):
            record.msg, record.args = "a request failed outside of the site", ()
        elif "\n" in said:
            # What comes after the first line is the text of an exception, or the whole configuration.
            record.msg, record.args = said.partition("\n")[0], ()
        return True
