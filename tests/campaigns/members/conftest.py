from __future__ import annotations

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def quick_hashes(settings: Settings) -> None:
    """Passwords are hashed at once: a real hash takes a good part of a second, and these tests make many."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
