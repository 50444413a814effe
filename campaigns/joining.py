"""How the registries of a campaign's sessions become one: the same for what is approved and for what is latest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from extraction.canonical import JsonValue
from extraction.identity import comparison_key


class Ref(TypedDict):
    source_id: str
    start_unit_id: int
    end_unit_id: int


class Record(TypedDict):
    """A record of a stored registry, which has passed its lane's validators."""

    id: str
    name: str
    source_refs: list[Ref]


@dataclass(frozen=True, slots=True)
class SessionRegistry:
    """One session's registry. `replaced` maps the id of each member of a consolidation to the id of its result.

    `called` are the names that a result's members have, by its id.
    """

    session_id: int
    number: int
    records: Sequence[Record]
    replaced: Mapping[str, str]
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Citation:
    session_id: int
    session: int
    source_id: str
    start_unit_id: int
    end_unit_id: int


@dataclass(slots=True, eq=False)
class Entry:
    """One identity while it is put together; sessions and evidence arrive in order.

    `other_ids` are those of records that were joined and of members that were consolidated: all of them lead here.
    `also_called` are the names of those members that are other names than its own.
    """

    entity_id: str
    name: str
    sessions: list[int] = field(default_factory=list)
    evidence: list[Citation] = field(default_factory=list)
    other_ids: list[str] = field(default_factory=list)
    also_called: list[str] = field(default_factory=list)

    @property
    def order(self) -> tuple[str, str]:
        return comparison_key(self.name), self.entity_id

    def add(self, registry: SessionRegistry, record: Record) -> None:
        if registry.number not in self.sessions:
            self.sessions.append(registry.number)
        self.evidence += [
            Citation(registry.session_id, registry.number, ref["source_id"], ref["start_unit_id"], ref["end_unit_id"])
            for ref in record["source_refs"]
        ]
        known = {comparison_key(name) for name in (self.name, *self.also_called)}
        for name in registry.called.get(record["id"], ()):
            if (key := comparison_key(name)) not in known:
                known.add(key)
                self.also_called.append(name)

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "id": self.entity_id,
            "name": self.name,
            "sessions": self.sessions,
            "evidence": [[cited.source_id, cited.start_unit_id, cited.end_unit_id] for cited in self.evidence],
            "other_ids": sorted(self.other_ids),
            "also_called": self.also_called,
        }


def join(
    registries: Sequence[SessionRegistry], *, by_name: bool, earlier: Sequence[SessionRegistry] = ()
) -> list[Entry]:
    """Return the union of the registries, which stand in the order of their sessions, in the order of names.

    Records of one id are one entry. With `by_name` those of one comparison key are too, unless a session has two of
    them: then nobody can say which is which, and all stay apart. An entry takes id and name of its earliest record.
    `earlier`, newest first, are registries that these have taken the place of: they add nothing but their ids.
    """
    union = _Union(_told_twice(registries) if by_name else None)
    for registry in registries:
        for record in registry.records:
            union.add(registry, record)
    for registry in registries:
        union.lead(registry.replaced)
    for registry in earlier:
        for record in registry.records:
            union.succeed(registry, record)
        union.lead(registry.replaced)
    return sorted(union.entries, key=lambda entry: entry.order)


def _told_twice(registries: Sequence[SessionRegistry]) -> frozenset[str]:
    """Return the keys that some session has two records of."""
    return frozenset(
        key
        for registry in registries
        for key, times in Counter(comparison_key(record["name"]) for record in registry.records).items()
        if times > 1
    )


class _Union:
    """`apart` are the keys that join nothing; None where names join nothing at all."""

    def __init__(self, apart: frozenset[str] | None) -> None:
        self._apart = apart
        self.entries: list[Entry] = []
        self._by_id: dict[str, Entry] = {}
        self._by_key: dict[str, list[Entry]] = {}

    def add(self, registry: SessionRegistry, record: Record) -> None:
        key = comparison_key(record["name"])
        named = self._by_key.setdefault(key, [])
        entry = self._by_id.get(record["id"])
        if entry is None and named and self._apart is not None and key not in self._apart:
            entry = named[0]
        if entry is None:
            entry = Entry(record["id"], record["name"])
            self.entries.append(entry)
        if entry not in named:
            named.append(entry)
        self._resolve(record["id"], entry)
        entry.add(registry, record)

    def lead(self, replaced: Mapping[str, str]) -> None:
        """Have the ids that were consolidated lead where their results are; an id that leads somewhere stays."""
        for old, new in replaced.items():
            if new in self._by_id:
                self._resolve(old, self._by_id[new])

    def succeed(self, registry: SessionRegistry, record: Record) -> None:
        """Have the id of an earlier record lead to the one entry that has its place now, if that can be told."""
        named = self._by_key.get(comparison_key(record["name"]), [])
        heirs = [entry for entry in named if registry.number in entry.sessions] or named
        if len(heirs) > 1:
            cited = {(registry.number, ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"]}
            heirs = [
                entry
                for entry in heirs
                if any((at.session, at.start_unit_id, at.end_unit_id) in cited for at in entry.evidence)
            ]
        if len(heirs) == 1:
            self._resolve(record["id"], heirs[0])

    def _resolve(self, entity_id: str, entry: Entry) -> None:
        if entity_id not in self._by_id:
            self._by_id[entity_id] = entry
            if entity_id != entry.entity_id:
                entry.other_ids.append(entity_id)
