from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


def manage(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run manage.py against a new, empty SQLite file."""
    environ = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env=environ | {"NOTARIUS_DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("load_campaign", "none.toml"), id="missing-file"),
        pytest.param(
            ("import_transcript", str(ROOT / "manage.py"), "--campaign", "salt-ferry", "--session", "1"),
            id="no-tables-yet",
        ),
        pytest.param(
            ("export_artifact", "--campaign", "c", "--session", "1", "--lane", "npcs", "--version", "1"),
            id="our-version-option",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_1(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ended = manage(tmp_path, *arguments)

    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.startswith("CommandError: ")
    assert ended.stderr.count("\n") == 1
