"""The registries as players may know them: a pure function of what is told and what is kept secret.

A group is a consolidation. It is taken apart where a merge is kept, and where a part of it must not be known; what is
taken apart shows its members, each with the id and the evidence that it had. An identity is hidden where a secret
binds one of its ids, where its name says a hidden name, and where all its evidence is withheld.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeAlias

from campaigns.joining import Entry, join
from campaigns.library.growing import Joined, grown
from campaigns.library.kept import Identity, Kept, KeptMerge
from campaigns.library.mentions import Mentions
from campaigns.library.sources import KINDS, Told, session_registry
from campaigns.spelling import name_key

Record: TypeAlias = "dict[str, Any]"  # Any: JSON of a stored record
Ref: TypeAlias = "Mapping[str, Any]"
Keeps: TypeAlias = "Callable[[Ref], bool]"  # says whether players may see all that is cited


@dataclass(frozen=True, slots=True)
class Telling:
    """All that the versions of one kind tell: those shown, those they took the place of, and groups of any others.

    What is told `elsewhere` was never approved; with it stands when it was made.
    """

    current: Sequence[Told]
    earlier: Sequence[Told] = ()
    elsewhere: Sequence[tuple[int, datetime, Mapping[str, Any]]] = ()

    def groups(self, merges: Sequence[KeptMerge]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield every group with its session; of what was never approved, what was there when a merge was kept."""
        for told in (*self.current, *self.earlier):
            yield from ((told.session_id, group) for group in told.groups)
        for session_id, made_at, group in self.elsewhere:
            identities = identities_of(group)
            if any(merge.since is not None and made_at <= merge.since and merge.joins(identities) for merge in merges):
                yield session_id, group

    def ids(self) -> Mapping[str, frozenset[str]]:
        """Return by a name's key all ids that were told under it."""
        found: dict[str, set[str]] = {}
        for told in (*self.current, *self.earlier):
            for record in (*told.records, *(member for group in told.groups for member in group["members"])):
                found.setdefault(name_key(record["name"]), set()).add(record["id"])
        return {key: frozenset(ids) for key, ids in found.items()}


@dataclass(frozen=True, slots=True)
class Parted:
    """A group that players see apart: all that it joins, every id of it, and the ids of what they may know of it."""

    identities: tuple[Identity, ...]
    ids: frozenset[str]
    shown: frozenset[str]


@dataclass(frozen=True, slots=True)
class Registries:
    """One kind's registries in the players' edition.

    `hidden` are ids, `unproven` those of them whose evidence is all withheld. `parted` are the groups taken apart by
    session, `names` all names by id. `grown` are by secret the ids that it binds by now.
    """

    told: Sequence[Told] = ()
    entries: Sequence[Entry] = ()
    hidden: frozenset[str] = frozenset()
    parted: Mapping[int, Sequence[Parted]] = field(default_factory=dict)
    unproven: frozenset[str] = frozenset()
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    grown: Mapping[int, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Veil:
    """What players may know of all registries, and the names that they must not.

    `unknown` are names that kept merges gave, under which players know nothing.
    """

    kept: Kept
    by_kind: Mapping[str, Registries]
    names: frozenset[str]

    @property
    def unknown(self) -> frozenset[str]:
        known = self.known_keys()
        names = frozenset().union(*(member.names for merge in self.kept.merges for member in merge.members))
        return frozenset(name for name in names if name_key(name) not in known)

    def unknown_ids(self) -> frozenset[str]:
        """Return the ids that kept merges gave, under which players know nothing."""
        known = {
            entity_id
            for one in self.by_kind.values()
            for entry in one.entries
            for entity_id in (entry.entity_id, *entry.other_ids)
        }
        ids = frozenset().union(*(member.ids for merge in self.kept.merges for member in merge.members))
        return ids - known

    def hidden(self) -> frozenset[str]:
        return frozenset().union(*(one.hidden for one in self.by_kind.values()))

    def unproven(self) -> frozenset[str]:
        return frozenset().union(*(one.unproven for one in self.by_kind.values()))

    def names_of(self, ids: Iterable[str]) -> frozenset[str]:
        """Return every name that the identities of these ids were ever told under."""
        found = [one.names[entity_id] for one in self.by_kind.values() for entity_id in ids if entity_id in one.names]
        return frozenset().union(*found)

    def known_keys(self) -> frozenset[str]:
        """Return the keys of all names that players know as an entry's."""
        return frozenset(
            name_key(name)
            for one in self.by_kind.values()
            for entry in one.entries
            for name in (entry.name, *entry.also_called)
        )


def veiled(telling: Mapping[str, Telling], kept: Kept, keeps: Keeps) -> Veil:
    """Return the players' edition of what is told. `keeps` says which references they may see."""
    views = {kind: _View(kind, told, kept, keeps) for kind, told in telling.items()}
    for view in views.values():
        view.close()
    names = {name for entry in kept.entries for name in entry.names}
    names.update(name for view in views.values() for name in view.hidden_names())
    mentions = Mentions.of(names)
    merges = {merge.pk: merge for view in views.values() for merge in view.merges}
    kept = replace(kept, merges=tuple(merges.get(merge.pk, merge) for merge in kept.merges))
    return Veil(kept, {kind: view.registries(mentions) for kind, view in views.items()}, frozenset(names))


def identities_of(group: Mapping[str, Any]) -> tuple[Identity, ...]:
    """Return the members of a group and, where its name is none of theirs, its result."""
    members = tuple(Identity(member["id"], member["name"]) for member in group["members"])
    result = _result_of(group)
    known = any(result.entity_id == one.entity_id or result.key == one.key for one in members)
    return members if known or not result.key else (*members, result)


def _result_of(group: Mapping[str, Any]) -> Identity:
    return Identity(group["id"], str(group.get("canonical") or ""))


class _View:
    """One kind while it is worked out."""

    def __init__(self, kind: str, telling: Telling, kept: Kept, keeps: Keeps) -> None:
        self._kind, self._telling, self._keeps = kind, telling, keeps
        self._entries = [entry for entry in kept.entries if entry.kind == kind]
        self.merges = self._grown([merge for merge in kept.merges if merge.kind == kind])
        self._groups = list(telling.groups(self.merges))
        self._released = [merge for merge in kept.released if merge.kind == kind]
        self._withheld = frozenset(self._unproven())
        self._bound: set[str] = set()
        self._hidden: set[str] = set()
        self._mentions = Mentions(())

    def close(self) -> None:
        """Hide with each bound id all that are told as one with it, and what nothing proves to players."""
        self._bound = self._reach({entity_id for entry in self._entries for entity_id in entry.ids})
        self._hidden = self._bound | self._withheld
        for told in self._telling.current:
            for group in told.groups:
                if {member["id"] for member in group["members"]} <= self._hidden:
                    self._hidden.add(group["id"])

    def _grown(self, merges: Sequence[KeptMerge]) -> Sequence[KeptMerge]:
        """Return the merges with all that their members are known as.

        Once they have grown, more of what was pending joins two of their members, which lets them grow again.
        """
        before: Sequence[KeptMerge] = ()
        while merges != before:
            before = merges
            told = [Joined(identities_of(group), _result_of(group)) for _, group in self._telling.groups(before)]
            merges = grown(before, told, self._telling.ids())
        return merges

    def hidden_names(self) -> Iterator[str]:
        yield from (name for entity_id, names in self._names().items() if entity_id in self._hidden for name in names)

    def _names(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for told in (*self._telling.current, *self._telling.earlier):
            for record in told.records:
                found.setdefault(record["id"], set()).add(record["name"])
        for _, group in self._groups:
            for one in identities_of(group):
                found.setdefault(one.entity_id, set()).add(one.name)
        return {entity_id: frozenset(names) for entity_id, names in found.items()}

    def registries(self, mentions: Mentions) -> Registries:
        """Return what players may know, given all names that are hidden."""
        grown = {entry.pk: frozenset(self._reach(set(entry.ids))) for entry in self._entries}
        self._mentions = mentions
        told = [self._shown(one) for one in self._telling.current]
        earlier = [self._shown(one) for one in self._telling.earlier]
        hidden = self._hidden | self._named_hidden()
        entries = join(
            [session_registry(one) for one in told],
            by_name=KINDS[self._kind].by_name,
            earlier=[session_registry(one) for one in earlier],
        )
        for entry in entries:
            entry.other_ids = [entity_id for entity_id in entry.other_ids if entity_id not in hidden]
        return Registries(
            told,
            entries,
            frozenset(hidden),
            self._parted_by_session(),
            self._withheld,
            self._names(),
            grown,
        )

    def _unproven(self) -> Iterator[str]:
        """Yield the ids of atoms that lost all their evidence."""
        proven: dict[str, bool] = {}
        for told in self._telling.current:
            groups = {group["id"]: group["members"] for group in told.groups}
            for record in told.records:
                for atom in groups.get(record["id"]) or [record]:
                    refs = atom.get("source_refs", ())
                    seen = not refs or any(map(self._keeps, refs))
                    proven[atom["id"]] = proven.get(atom["id"], False) or seen
        yield from (entity_id for entity_id, seen in proven.items() if not seen)

    def _reach(self, ids: set[str]) -> set[str]:
        """Return the ids with all that are one with them, as far as no merge is or was kept between them."""
        found = set(ids)
        while True:
            before = len(found)
            for group in (group for told in self._telling.current for group in told.groups):
                members = {member["id"] for member in group["members"]}
                if not self._is_apart(group) and not self._is_released(group):
                    if group["id"] in found:
                        found |= members
                    elif members and members <= found:
                        found.add(group["id"])
            for entry in self._joined(found):
                one = {entry.entity_id, *entry.other_ids}
                if one & found:
                    found |= one
            if len(found) == before:
                return found

    def _joined(self, hidden: set[str]) -> list[Entry]:
        """Return the entries with what is hidden among them, but taken apart from what is not."""
        whole = [self._taken_apart(told, hidden) for told in self._telling.current]
        earlier = [self._taken_apart(told, hidden) for told in self._telling.earlier]
        return join(
            [session_registry(told) for told in whole],
            by_name=KINDS[self._kind].by_name,
            earlier=[session_registry(told) for told in earlier],
        )

    def _taken_apart(self, told: Told, hidden: set[str]) -> Told:
        """Return the registry with every group as its members that is kept apart, or of which a part is hidden."""
        groups = {group["id"]: group for group in told.groups}
        apart = {
            entity_id
            for entity_id, group in groups.items()
            if self._is_apart(group)
            or (
                any(member["id"] in hidden for member in group["members"])
                and (entity_id not in hidden or self._is_released(group))
            )
        }
        records = [
            atom
            for record in told.records
            for atom in (groups[record["id"]]["members"] if record["id"] in apart else [record])
        ]
        left = [group for entity_id, group in groups.items() if entity_id not in apart]
        return replace(told, records=_united(records), groups=left)

    def _shown(self, told: Told) -> Told:
        """Return the registry as players see it."""
        groups = {group["id"]: group for group in told.groups}
        records, left = [], []
        for record in told.records:
            group = groups.get(record["id"])
            if group is None or self._is_intact(group):
                records += self._seen([record])
                left += [group] if group is not None and record["id"] not in self._hidden else []
            elif not self._is_hidden_whole(group):
                records += self._seen(group["members"])
        return replace(told, records=_united(records), groups=left)

    def _seen(self, atoms: Iterable[Record]) -> list[Record]:
        found = []
        for atom in atoms:
            refs = [ref for ref in atom.get("source_refs", ()) if self._keeps(ref)]
            if refs and not self._is_hidden(atom["id"], atom["name"]):
                found.append({"id": atom["id"], "name": atom["name"], "source_refs": refs})
        return found

    def _is_hidden(self, entity_id: str, name: str) -> bool:
        return entity_id in self._hidden or bool(self._mentions.named(name))

    def _is_hidden_whole(self, group: Mapping[str, Any]) -> bool:
        return group["id"] in self._bound and not self._is_apart(group) and not self._is_released(group)

    def _is_intact(self, group: Mapping[str, Any]) -> bool:
        """Say whether the group is shown as the one that it is: nothing in it is kept apart, hidden or withheld."""
        return (
            not self._is_apart(group)
            and not any(self._is_hidden(one.entity_id, one.name) for one in identities_of(group))
            and all(any(map(self._keeps, refs)) for member in group["members"] if (refs := member.get("source_refs")))
        )

    def _is_apart(self, group: Mapping[str, Any]) -> bool:
        return _any_joins(self.merges, group)

    def _is_released(self, group: Mapping[str, Any]) -> bool:
        return _any_joins(self._released, group)

    def _named_hidden(self) -> set[str]:
        """Return the ids of those that are hidden for their names."""
        return {entity_id for entity_id, names in self._names().items() if any(map(self._mentions.named, names))}

    def _parted_by_session(self) -> Mapping[int, Sequence[Parted]]:
        found: dict[int, list[Parted]] = {}
        for session_id, group in self._groups:
            identities = identities_of(group)
            if len(identities) > 1 and not self._is_intact(group):
                members = {member["id"] for member in group["members"]}
                hidden = {one.entity_id for one in identities if self._is_hidden(one.entity_id, one.name)}
                parted = Parted(identities, frozenset({*members, group["id"]}), frozenset(members - hidden))
                if parted not in found.setdefault(session_id, []):
                    found[session_id].append(parted)
        return found


def _any_joins(merges: Iterable[KeptMerge], group: Mapping[str, Any]) -> bool:
    identities = identities_of(group)
    return any(merge.joins(identities) for merge in merges)


def _united(records: Iterable[Record]) -> list[Record]:
    """Return the records with those of one id as one, which has the evidence of all."""
    found: dict[str, Record] = {}
    for record in records:
        known = found.get(record["id"])
        if known is None:
            found[record["id"]] = record
        else:
            refs = [*known["source_refs"], *(ref for ref in record["source_refs"] if ref not in known["source_refs"])]
            found[record["id"]] = {**known, "source_refs": refs}
    return list(found.values())
