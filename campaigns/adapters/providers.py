"""What a lane is run with that does not come from the archive: profiles and prompts."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from django.conf import settings

from extraction.llm.profiles import Profile, load_profiles
from extraction.prompts.catalog import Catalog


def profiles() -> dict[str, Profile]:
    """Return the configured profiles by name."""
    file = settings.LLM_PROFILES_FILE
    return load_profiles(os.environ, Path(file) if file else None)


@cache
def catalog() -> Catalog:
    """Return the prompts, read once a process."""
    return Catalog.load(settings.ASSETS_DIR / "dnd")
