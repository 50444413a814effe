from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


def clean_environ(folder: Path) -> dict[str, str]:
    environ = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return environ | {"NOTARIUS_DATA_DIR": str(folder)}


def manage(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run manage.py against a new, empty SQLite file, or with these settings."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env=clean_environ(folder) | settings,
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
        pytest.param(("backup", "kept.zip"), id="nothing-to-back-up"),
        pytest.param(("run_pipeline", "--campaign", "c", "--session", "one"), id="no-number"),
        pytest.param(("run_pipeline", "--campaign", "c", "--session", "1", "--cost-cap", "abc"), id="no-amount"),
        pytest.param(("run_pipeline", "--session", "1"), id="option-missing"),
        pytest.param(("migrate", "--no-such-option"), id="a-command-of-django"),
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


def test_a_backup_of_nothing_makes_neither_a_file_nor_a_database(tmp_path: Path) -> None:
    """Whoever forgot the environment would otherwise keep a wrong database, and keep it for good."""
    ended = manage(tmp_path, "backup", str(tmp_path / "kept.zip"))
    made = (tmp_path / "notarius.sqlite3").exists()
    (tmp_path / "notarius.sqlite3").touch()
    empty = manage(tmp_path, "backup", str(tmp_path / "kept.zip"))

    assert (ended.returncode, empty.returncode) == (1, 1)
    assert "nothing to back up" in ended.stderr
    assert ended.stderr == empty.stderr
    assert not made
    assert not (tmp_path / "kept.zip").exists()


@pytest.mark.parametrize("command", ["up", "work", "migrate", "backup", "check"])
def test_a_wrong_setting_stops_every_command_with_one_line(tmp_path: Path, command: str) -> None:
    ended = manage(tmp_path, command, *(["kept.zip"] if command == "backup" else []), NOTARIUS_WORKERS="abc")

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "ImproperlyConfigured: NOTARIUS_WORKERS must be a whole number of at least 1.\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "garbage"),
        ("DATABASE_URL", "mysql://user:hidden@host/name"),
        ("DATABASE_URL", "postgres://user:hidden@host:port/name"),
        ("DATABASE_URL", "postgres://user:hidden@host"),
        ("DATABASE_URL", "postgres://user:[hidden]@host/name"),
        ("DATABASE_URL", "postgres://user:hidden@ho\u2100st/name"),
        ("DATABASE_URL", "sqlite://"),
        ("NOTARIUS_EMAIL_URL", "smtp://user:hidden@ho\u2100st"),
        ("NOTARIUS_BROKER", "redis"),
        ("NOTARIUS_DATA_DIR", "/dev/null/data"),
    ],
    ids=str,
)
def test_a_wrong_setting_is_named_in_one_line_without_what_is_secret(tmp_path: Path, name: str, value: str) -> None:
    ended = manage(tmp_path, "check", **{name: value})

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("ImproperlyConfigured: ")
    assert ended.stderr.count("\n") == 1
    assert "hidden" not in ended.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "postgres://user:hidden@host:port/name"),
        ("DATABASE_URL", "postgres://user:[hidden]@host/name"),
        ("DATABASE_URL", "postgres://user:hidden@ho\u2100st/name"),
        ("NOTARIUS_EMAIL_URL", "smtp://user:hidden@ho\u2100st"),
    ],
    ids=str,
)
def test_a_traceback_of_a_wrong_setting_shows_nothing_secret(tmp_path: Path, name: str, value: str) -> None:
    """As under gunicorn, which prints the error with its causes."""
    ended = manage(tmp_path, "check", "--traceback", **{name: value})

    assert ended.returncode == 1
    assert ended.stderr.startswith("Traceback ")
    assert f"ImproperlyConfigured: {name} must look like" in ended.stderr
    assert "hidden" not in ended.stderr
    assert "another exception" not in ended.stderr
    assert "direct cause" not in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("load_campaign", "none.toml"), id="of-the-command"),
        pytest.param(("run_pipeline", "--session", "1"), id="of-its-options"),
    ],
)
def test_a_traceback_that_was_asked_for_says_where(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ended = manage(tmp_path, *arguments, "--traceback")

    assert ended.returncode == 1
    assert ended.stderr.startswith("Traceback ")
    assert "CommandError: " in ended.stderr


def manage_unread(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run manage.py as with `| head`: the other end of the pipe is closed before anything is printed."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            # What is printed waits in a buffer, as it does unless somebody asks otherwise.
            env=os.environ | {"NOTARIUS_DATA_DIR": str(folder), "PYTHONUNBUFFERED": ""} | settings,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)


def settings_that(folder: Path, *lines: str) -> dict[str, str]:
    """Return the environment in which manage.py comes to these lines as it reads its settings."""
    (folder / "failing.py").write_text("\n".join(lines), encoding="utf-8")
    return {"PYTHONPATH": str(folder), "DJANGO_SETTINGS_MODULE": "failing"}


def test_a_reader_that_has_enough_is_no_fault(tmp_path: Path) -> None:
    ended = manage_unread(tmp_path, "check_pipeline", "complete")

    assert (ended.returncode, ended.stderr) == (1, "")


def test_a_reader_that_has_enough_of_a_long_line_is_no_fault(tmp_path: Path) -> None:
    """Beyond what Python keeps for later, of which nothing is left when it fails."""
    ended = manage_unread(tmp_path, "check", **settings_that(tmp_path, "print('x' * 1_000_000)"))

    assert (ended.returncode, ended.stderr) == (1, "")


def test_a_command_that_prints_nothing_needs_nowhere_to_print(tmp_path: Path) -> None:
    command = f"exec {sys.executable} {ROOT / 'manage.py'} migrate -v0 >&-"
    ended = subprocess.run(  # noqa: S602 - no other way to start with a closed output
        command, shell=True, env=clean_environ(tmp_path), capture_output=True, text=True, timeout=60, check=False
    )

    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    "address", ["postgres://127.0.0.1:9/salt_ferry", "postgres://127.0.0.1:9/salt_ferry?sslmode=no-such"]
)
def test_a_database_that_does_not_answer_is_one_line_that_names_nobody(tmp_path: Path, address: str) -> None:
    ended = manage(tmp_path, "migrate", DATABASE_URL=address, NOTARIUS_SECRET_KEY="only-for-tests")

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "DATABASE_URL" in ended.stderr
    assert "salt_ferry" not in ended.stderr


@pytest.mark.parametrize("error", ["ZeroDivisionError", "CommandError"])
def test_a_fault_is_told_of_though_nobody_reads_what_is_printed(tmp_path: Path, error: str) -> None:
    lines = ("from django.core.management import CommandError", "print('begun')", f"raise {error}('the fault')")
    ended = manage_unread(tmp_path, "check", **settings_that(tmp_path, *lines))

    assert ended.returncode == 1
    assert ended.stderr.endswith(f"{error}: the fault\n")


def test_a_broken_pipe_to_something_else_is_a_fault(tmp_path: Path) -> None:
    lines = ("import os", "reading, writing = os.pipe()", "os.close(reading)", "os.write(writing, b'to a child')")
    ended = manage(tmp_path, "check", **settings_that(tmp_path, *lines))

    assert ended.returncode == 1
    assert ended.stderr.startswith("Traceback ")
    assert "BrokenPipeError" in ended.stderr
