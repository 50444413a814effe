from __future__ import annotations

import pytest

from extraction.lanes import side_by_side


@pytest.fixture(autouse=True)
def short_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here waits for a provider, so the runner need not look up seldom."""
    monkeypatch.setattr(side_by_side, "TICK_S", 0.001)
