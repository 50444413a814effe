from __future__ import annotations

from pathlib import Path

import pytest
from django.core.checks import CheckMessage
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from pytest_django import Settings

from campaigns import checks
from tests.factories import make_user


def ids(messages: list[CheckMessage]) -> list[str | None]:
    return [message.id for message in messages]


@pytest.mark.parametrize("check", checks.ALL, ids=lambda check: check.__name__)
def test_check_passes_with_the_projects_settings(check: object, settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    assert callable(check)

    assert check(None) == []


def test_check_profiles_reports_a_wrong_setting_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTARIUS_LLM_API_KEY", "sk-very-secret")

    found = checks.check_profiles(None)

    assert ids(found) == ["notarius.E001"]
    assert "sk-very-secret" not in str(found)


def test_check_profiles_reports_a_missing_file(settings: Settings, tmp_path: Path) -> None:
    settings.LLM_PROFILES_FILE = str(tmp_path / "none.toml")

    assert ids(checks.check_profiles(None)) == ["notarius.E001"]


def test_check_data_directory_that_can_be_made(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "new" / "data"

    assert checks.check_data_directory(None) == []
    assert not (tmp_path / "new").exists()


def test_check_data_directory_that_is_a_file(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.write_text("")

    assert ids(checks.check_data_directory(None)) == ["notarius.E002"]


@pytest.mark.parametrize(("retry", "found"), [(309, ["notarius.E003"]), (310, [])])
def test_check_queue_retry_must_outlast_what_waits(settings: Settings, retry: int, found: list[str]) -> None:
    settings.Q_CLUSTER = {"workers": 2, "queue_limit": 2, "timeout": 100, "retry": retry}

    assert ids(checks.check_queue(None)) == found


@pytest.mark.django_db
def test_check_names_counts_accounts_that_differ_in_case_alone_and_names_none() -> None:
    call_command("check", databases=["default"])
    for name in ("anna", "Anna", "greta"):
        make_user(name)

    found = checks.check_names(None, ["default"])

    assert ids(found) == ["notarius.W002"]
    assert "names of 2 accounts" in str(found[0])
    assert "anna" not in str(found).lower()
    with pytest.raises(SystemCheckError, match=r"notarius\.W002"):
        call_command("check", databases=["default"], fail_level="WARNING")
    # Without leave the database is not asked.
    assert checks.check_names(None) == []
