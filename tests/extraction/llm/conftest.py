from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_foreign_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's proxy or OpenAI variables must not change what a test sends, or where."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.delenv(name, raising=False)
