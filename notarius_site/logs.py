"""How the log is written: codes, counts and places, never an exception's words or an address asked for."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import TypeAlias

from campaigns import tracing

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
