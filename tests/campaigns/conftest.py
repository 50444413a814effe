from __future__ import annotations

import pytest

from campaigns.api import limits
from campaigns.library import outlines

NOON = 1_924_992_000.0


@pytest.fixture(autouse=True)
def nobody_has_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test begin with the whole allowance of requests, in a minute that does not turn meanwhile."""
    monkeypatch.setattr(limits, "own", limits.Counts())
    monkeypatch.setattr(limits, "time", lambda: NOON)


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    """Let each test begin as a process that has just started, whatever another has read."""
    outlines.forget()
