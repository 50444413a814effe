"""Who sits at the table, by comparison key, and registries without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from extraction.dnd.artifacts.registry import Entity
from extraction.framework import Code, Finding, JsonValue, Scope, comparison_key, warning


def without_table(records: Sequence[Entity], scope: Scope) -> tuple[tuple[Entity, ...], tuple[Finding, ...]]:
    """Return the records without those that name a player, a player character or the GM, and what to report.

    Names are compared by key and in full. One warning counts the names left out; none where nothing was.
    """
    table = party_keys(scope.table)
    keys = [comparison_key(record.name) for record in records]
    kept = tuple(record for record, key in zip(records, keys, strict=True) if key not in table)
    left_out = set(keys) & table
    return kept, (warning(Code.IDENTITY_ROSTER, names=len(left_out)),) if left_out else ()


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
