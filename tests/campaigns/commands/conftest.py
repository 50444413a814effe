from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

Run = Callable[..., str]
Refused = Callable[..., str]


@pytest.fixture
def run(db: None) -> Run:
    """Run a command as from the shell and return what it wrote to standard output."""

    def run_command(name: str, *arguments: object) -> str:
        out, err = StringIO(), StringIO()
        call_command(name, *(str(argument) for argument in arguments), stdout=out, stderr=err)

        assert err.getvalue() == ""
        return out.getvalue()

    return run_command


@pytest.fixture
def refused(db: None) -> Refused:
    """Run a command that must refuse, and return its one sentence."""

    def refused_command(name: str, *arguments: object) -> str:
        out = StringIO()
        with pytest.raises(CommandError) as error:
            call_command(name, *(str(argument) for argument in arguments), stdout=out, stderr=StringIO())

        assert out.getvalue() == ""
        assert error.value.returncode == 1
        assert "\n" not in str(error.value)
        return str(error.value)

    return refused_command
