"""How gunicorn serves, whoever starts it: `gunicorn --config python:notarius_site.serving`.

What it says itself is written as all else is (docs/operations.md, *What is logged*), and its workers count HTTP answers
together for `/metrics` however often they are replaced. Workers, threads and addresses are said where it is started.
"""

from __future__ import annotations

import os
import sys
from itertools import count
from typing import Any  # gunicorn has no types

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from notarius_site import logs

# As in campaigns.metrics, which needs the settings; only workers read those.
SHARED = "PROMETHEUS_MULTIPROC_DIR"
OURS = ("notarius_site", "campaigns", "extraction")


class ContentSafeLogger(Logger):  # type: ignore[misc]
    def setup(self, cfg: Any) -> None:
        """Write and filter gunicorn's own lines as the site's; called again at each reload, with handlers made anew."""
        super().setup(cfg)
        # The site's settings refuse a word that is neither, in a sentence of their own.
        format = logs.JsonFormatter() if os.environ.get("NOTARIUS_LOG_FORMAT") == "json" else logs.console_formatter()
        for handler in self.error_log.handlers:
            handler.setFormatter(format)
            handler.addFilter(logs.NothingAskedFor())


logger_class = ContentSafeLogger


def pre_request(worker: Any, req: Any) -> None:
    """Log nothing: gunicorn itself would log the address, where its log is to tell everything."""


def pre_fork(server: Any, worker: Any) -> None:
    """Give the worker the lowest number that none of those alive has: one that ended has its successor go on.

    Each number has a file of counts. Under the process's own id, as is usual, the files of all that ever ended would
    stay and be read at each visit to /metrics; what they counted may not be lost.
    """
    taken = {sibling.number for sibling in server.WORKERS.values()}
    worker.number = next(number for number in count(1) if number not in taken)


def post_fork(server: Any, worker: Any) -> None:
    """Have the worker count in the file of its number, apart from what another server counts in the same folder.

    It forgets what the main process read of us at its start, for after a reload that may be the release before. Not
    with `--preload`, where the main process loads the site itself.
    """
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    if os.environ.get(SHARED):
        from prometheus_client import values  # by the worker, not by the main process: of the release that it serves

        name = f"{worker.ppid}-{worker.number}"
        values.ValueClass = values.MultiProcessValue(lambda: name)  # type: ignore[no-untyped-call]
