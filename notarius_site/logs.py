"""How the log is written: codes, counts and places, never the words of an exception."""

from __future__ import annotations

import logging
import traceback
from types import TracebackType
from typing import TypeAlias

ExcInfo: TypeAlias = "tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]"


class ContentSafeFormatter(logging.Formatter):
    """Formats an exception as its type and its frames.

    An exception's text may quote a transcript, a name or a row of the database; source lines are ours.
    """

    def formatException(self, ei: ExcInfo) -> str:
        kind, _, trace = ei
        frames = "".join(traceback.format_tb(trace)) if trace is not None else ""
        return f"{frames}{kind.__name__ if kind else 'unknown exception'} (its text is not logged)"
