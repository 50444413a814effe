"""An entry's part in the fights of a campaign: its turns, its spells, and what it did to enemies or had done to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.joining import Citation
from campaigns.library.editions import payloads, records_of
from campaigns.library.registry import entry
from campaigns.library.sight import Sight
from extraction.identity import comparison_key

FAMILIES = ("combat-turns", "spells", "enemy-events")
# The fields that name one person; all others that name somebody name targets.
ROLES = ("actor", "caster", "enemy")
TARGET = "target"


@dataclass(frozen=True, slots=True)
class Part:
    """A record that names the entry; `roles` say as whom, `index` is its place in the artifact."""

    session: int
    family: str
    index: int
    roles: tuple[str, ...]
    record: Mapping[str, Any]
    refs: list[Citation]


def combat_of(sight: Sight, kind: str, entity_id: str) -> list[Part]:
    """Return the records of fights that name the entry, by session, family and place. NotFound where there is none.

    Such records have names and no ids: an entry is named by its own name and by those of what was united in it.
    """
    found = entry(sight, kind, entity_id)
    keys = {comparison_key(name) for name in (found.name, *found.also_called)}
    return list(_parts(sight, keys))


def _parts(sight: Sight, keys: set[str]) -> Iterator[Part]:
    chosen = payloads(sight, FAMILIES)
    for (session, family), (version, payload) in sorted(chosen.items(), key=lambda one: one[0]):
        for index, record in enumerate(records_of(payload)):
            roles = tuple(dict.fromkeys(_roles(record, keys)))
            if roles:
                refs = [
                    Citation(
                        version.artifact.session_id, session, ref["source_id"], ref["start_unit_id"], ref["end_unit_id"]
                    )
                    for ref in record["source_refs"]
                ]
                yield Part(session, family, index, roles, record, refs)


def _roles(record: Mapping[str, Any], keys: set[str]) -> Iterator[str]:
    yield from (role for role in ROLES if record.get(role) and comparison_key(record[role]) in keys)
    targets = [*record.get("targets", ()), *(name for one in record.get("actions", ()) for name in one["targets"])]
    if any(comparison_key(name) in keys for name in targets):
        yield TARGET
