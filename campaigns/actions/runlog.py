"""What becomes of runs, said in the log once it is committed: states, codes and counts."""

from __future__ import annotations

import logging

from campaigns import tracing
from campaigns.committing import after_commit
from campaigns.models import Run

logger = logging.getLogger(__name__)


def say(run: Run, what: str, *values: str | float, lane: int = 0) -> None:
    """Log the sentence with its values once the transaction is done; codes and counts alone may be given.

    The line names the request that did it; where none did, as in a worker or a sweep, the one that started the run.
    """
    request = tracing.current().get("request", "") or run.request_id

    def line() -> None:
        with tracing.tracing(request=request, run=run.pk, lane=lane):
            logger.info(what, *values)

    after_commit(line)
