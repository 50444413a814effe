"""`review`: what a review costs a person in keys and clicks, and what its pages weigh, in headless Chromium."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from bench.report import Row

COMMAND = "python -m bench review"


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "bench.review_run"],
            env={**os.environ, "NOTARIUS_DATA_DIR": folder, "DATABASE_URL": "", "NOTARIUS_DEBUG": "1"},
            stdout=subprocess.PIPE,
            check=True,
        )
    for line in done.stdout.decode().splitlines():
        if line.startswith("{"):
            figures: dict[str, int | float | str | None] = json.loads(line)
            yield Row("review", str(figures.pop("what")), COMMAND, figures)
