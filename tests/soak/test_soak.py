"""The soak's short form, for every change: some runs on each database, the faults in turn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.postgres import binaries

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 300

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("soak"),
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]


@pytest.mark.parametrize(
    "database",
    ["sqlite", pytest.param("postgres", marks=pytest.mark.skipif(binaries() is None, reason="no PostgreSQL here"))],
)
def test_runs_with_injected_faults_keep_every_promise(database: str) -> None:
    command = [sys.executable, "-m", "tests.soak", "--runs", "2", "--seed", "3", "--database", database, "--short"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 runs" in done.stdout
