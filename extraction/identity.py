"""Comparison keys and durable ids: equal names are one identity on every machine, and nothing is approximate."""

from __future__ import annotations

import unicodedata

from extraction.canonical import digest

# Each of these is typed or recognised for an apostrophe. They are folded before NFKC, which would take the acute
# accent and the full-width form apart into a space and a mark.
APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u0060\u00b4\u2032\uff07", "'"))


def comparison_key(name: str) -> str:
    """Return the spelling that decides whether two names are equal; the empty key is not eligible for anything."""
    folded = unicodedata.normalize("NFKC", name.translate(APOSTROPHES)).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def npc_id(key: str) -> str:
    """Return the durable id of the NPC with this comparison key."""
    return f"npc:sha256:{digest(['npc-identity.v1', key])}"


def item_id(key: str) -> str:
    """Return the durable id of the item with this comparison key."""
    return f"item:sha256:{digest(['item-identity.v1', key])}"


def location_id(key: str, scope: str, start_unit_id: int) -> str:
    """Return the durable id of a place.

    `scope` is `<campaign>.s<n>`, without the transcript revision; `start_unit_id` begins its earliest evidence.
    """
    return f"location:sha256:{digest(['location-identity.v1', key, scope, start_unit_id])}"
