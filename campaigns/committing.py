"""What is done once a transaction is committed: it cannot undo it any more, so it does not fail the caller either."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import ParamSpec

from django.db import transaction

logger = logging.getLogger(__name__)
P = ParamSpec("P")


def after_commit(act: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """Do it after the commit, or at once outside of a transaction.

    If it fails, what was to follow it still follows, and the log has its name and the error's. Django's own robust
    hooks would log what the error says, which may be a path.
    """

    def done() -> None:
        try:
            act(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller's work is committed
            logger.error("after a commit: %s failed with %s", getattr(act, "__name__", ""), type(error).__name__)

    transaction.on_commit(done)
