"""Who sits at the table, by comparison key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from extraction.framework import JsonValue, comparison_key


def party_keys(table: Mapping[str, JsonValue]) -> frozenset[str]:
    """Return the keys of the player characters' names and other names, of the players and of the GM."""
    keys = {comparison_key(name) for name in _names(table)}
    return frozenset(keys - {""})


def _names(table: Mapping[str, JsonValue]) -> Iterator[str]:
    gm, party = table.get("gm"), table.get("party")
    people = [gm] if isinstance(gm, Mapping) else []
    people += [person for person in party if isinstance(person, Mapping)] if isinstance(party, (list, tuple)) else []
    for person in people:
        for field in ("player", "character", "speaker_labels", "other_names"):
            value = person.get(field)
            if isinstance(value, str):
                yield value
            elif isinstance(value, (list, tuple)):
                yield from (name for name in value if isinstance(name, str))
