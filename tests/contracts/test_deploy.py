"""The files under deploy/ agree with the program: settings, commands, limits, and what must not be in an image."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

from tests.contracts.test_docs import settings_read

__all__ = ("settings_read",)

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.iterdir() if path.is_file())
UNITS = sorted(DEPLOY.glob("*.service"))


def read(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_settings_and_commands_that_are_named_exist(file: Path, settings_read: set[str]) -> None:
    text = file.read_text(encoding="utf-8")
    named = set(re.findall(r"\bNOTARIUS_[A-Z_]*[A-Z]\b", text))
    commands = set(re.findall(r"manage\.py,? ([a-z_]+)\b(?!\.)", text))

    assert named <= settings_read
    assert commands <= set(get_commands())


def test_days_of_retention_in_the_example_are_the_defaults() -> None:
    given = dict(re.findall(r"^NOTARIUS_(KEEP_\w+)=(\d+)$", read("env.example"), flags=re.MULTILINE))

    assert {name: int(days) for name, days in given.items()} == {
        name: getattr(settings, name) for name in ("KEEP_EXCHANGES_DAYS", "KEEP_CHECKPOINTS_DAYS", "KEEP_REJECTED_DAYS")
    }


def test_proxy_lets_through_what_the_program_takes_and_little_more() -> None:
    [megabytes] = re.findall(r"client_max_body_size (\d+)m;", read("nginx.conf"))

    assert 0 < int(megabytes) * 2**20 - settings.UPLOAD_MAX_BYTES <= 4 * 2**20


def test_proxy_says_itself_who_asks() -> None:
    """What a visitor claims in X-Forwarded-For must not arrive: the count of proxies is one."""
    text = read("nginx.conf")

    assert "proxy_add_x_forwarded_for" not in text
    assert text.count("X-Forwarded-For $remote_addr") == text.count("proxy_pass") == 2
    assert "NOTARIUS_TRUSTED_PROXIES=1" in read("env.example")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_run_as_nobody_in_particular_and_leave_the_system_alone(unit: Path) -> None:
    lines = set(unit.read_text(encoding="utf-8").splitlines())

    assert {"User=notarius", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="} <= lines
    assert {"KillMode=mixed", "StateDirectory=notarius", "EnvironmentFile=/etc/notarius/env"} <= lines


def asked_of_systemd(folder: Path, *arguments: str, status: int = 0) -> list[str]:
    """Return what notarius-manage hands to systemd-run, which ends with this status."""
    (folder / "systemd-run").write_text(f'#!/bin/sh\nprintf "%s\\0" "$@"\nexit {status}\n', encoding="utf-8")
    (folder / "systemd-run").chmod(0o755)
    ended = subprocess.run(
        [DEPLOY / "notarius-manage", *arguments],
        env={"PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (status, "")
    return ended.stdout.split("\0")[:-1]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_commands_run_by_hand_run_as_the_units_do(unit: Path, tmp_path: Path) -> None:
    """Without the user, the environment and the state directory a command works on another, new database."""
    lines = unit.read_text(encoding="utf-8").splitlines()
    asked = asked_of_systemd(tmp_path, "migrate")
    given = [each.removeprefix("--property=") for each in asked if each.startswith("--property=")]
    where = {line.partition("=")[0] for line in given}

    assert where >= {"User", "Group", "WorkingDirectory", "EnvironmentFile", "StateDirectory", "UMask"}
    assert sorted(given) == sorted(line for line in lines if line.partition("=")[0] in where)


def test_a_command_gets_its_words_unbroken_and_tells_how_it_ended(tmp_path: Path) -> None:
    words = ("backup", "/var/backups/a b.zip", "it's", '"quoted"', "*", "")
    asked = asked_of_systemd(tmp_path, *words, status=3)

    assert asked[-len(words) - 2 :] == ["/opt/notarius/.venv/bin/python", "manage.py", *words]
    assert "--wait" in asked


def test_the_guide_for_servers_names_no_command_that_runs_without_their_environment() -> None:
    guide = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    servers = guide.partition("## On a server")[2]
    by_hand = re.findall(r"manage\.py ([a-z_]+)", servers)

    assert "notarius-manage migrate" in servers
    assert by_hand == []


def test_web_servers_open_no_control_socket_in_a_home_that_they_may_not_write() -> None:
    for file in ("deploy/notarius.service", "deploy/Dockerfile", "campaigns/management/commands/up.py"):
        assert "--no-control-socket" in (ROOT / file).read_text(encoding="utf-8"), file


def test_image_takes_in_what_is_named_and_no_data() -> None:
    ignored = read("Dockerfile.dockerignore").splitlines()
    taken = {line[1:] for line in ignored if line.startswith("!")}
    copied = {
        word for line in re.findall(r"^COPY (.+) \S+$", read("Dockerfile"), flags=re.MULTILINE) for word in line.split()
    }

    assert "*" in ignored
    assert taken == copied
    assert all((ROOT / name).exists() for name in taken)
    assert re.search(r"^USER \d+$", read("Dockerfile"), flags=re.MULTILINE)


def test_backups_can_be_made_where_commands_run_in_containers() -> None:
    """pg_dump refuses a server that is newer than itself."""
    [client] = re.findall(r"apt-get install .*\bpostgresql-client-(\d+)=\1\.", read("Dockerfile"))
    [server] = re.findall(r"image: postgres:(\d+)-(\w+)", read("compose.yaml"))

    assert server == (client, *re.findall(r"^FROM python:3\.11-slim-(\w+)$", read("Dockerfile"), flags=re.MULTILINE))


def test_containers_get_every_setting_from_a_file_that_is_never_committed() -> None:
    """Without it a worker in a container would know of no model."""
    shared = read("compose.yaml").partition("x-notarius:")[2].partition("\nservices:")[0]

    assert "  env_file: [.env]\n" in shared
    assert "NOTARIUS_DATA_DIR: /data\n" in shared
    assert ".env" in read(".gitignore").splitlines()


def test_no_file_holds_a_secret() -> None:
    for file in FILES:
        text = re.sub(r"\$\{.*?\}", "given", file.read_text(encoding="utf-8"))
        values = re.findall(r"(?:SECRET_KEY|API_KEY|TOKEN|PASSWORD)[=:] *(\S+)", text)
        assert set(values) <= {"given"}, file.name
