from __future__ import annotations

import pytest

from campaigns.api import limits


@pytest.fixture(autouse=True)
def nobody_has_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test begin with the whole allowance of requests."""
    monkeypatch.setattr(limits, "own", limits.Counts())
