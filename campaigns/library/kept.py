"""What is kept secret in a campaign, as plain data: the bindings of its secrets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from campaigns.models import Campaign, Secret
from campaigns.spelling import name_key
from extraction.canonical import JsonValue, digest
from extraction.identity import comparison_key

Kind = Secret.Kind
# What names the subject of a record that has no entry of its own, by family.
SUBJECTS: Mapping[str, tuple[str, ...]] = {
    "npc-occurrences": ("npc_id",),
    "item-occurrences": ("item_id",),
    "location-occurrences": ("location_id",),
    "spells": ("caster", "spell"),
    "combat-turns": ("actor",),
    "enemy-events": ("enemy",),
}


@dataclass(frozen=True, slots=True)
class Identity:
    """One of those that are told as one: its id, its name and what tells that name from others."""

    entity_id: str
    name: str

    @property
    def key(self) -> str:
        return name_key(self.name)


@dataclass(frozen=True, slots=True)
class KeptEntry:
    pk: int
    kind: str
    ids: frozenset[str]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """One of those that must not be known to be one. Its name stands for it where no other member has the same.

    `also` are the names of others that players are told to be one with it.
    """

    ids: frozenset[str]
    name: str
    by_name: bool = True
    also: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        return name_key(self.name)

    @property
    def names(self) -> frozenset[str]:
        return self.also | {self.name}

    @property
    def keys(self) -> frozenset[str]:
        """Return the keys of the names that stand for it."""
        return frozenset(map(name_key, self.names if self.by_name else self.also))

    def as_json(self) -> dict[str, JsonValue]:
        return {"ids": sorted(self.ids), "name": self.name, "by_name": self.by_name, "also": sorted(self.also)}

    def is_one_of(self, identities: Sequence[Identity]) -> bool:
        keys = self.keys
        return any(one.entity_id in self.ids or one.key in keys for one in identities)

    def with_all(self, identities: Sequence[Identity], shared: Collection[str]) -> Member:
        """Return the member with these as one with it; names of `shared` keys stand for nobody."""
        also = {one.name for one in identities if one.key not in self.keys and one.key not in shared}
        return replace(self, ids=self.ids | {one.entity_id for one in identities}, also=self.also | also)


@dataclass(frozen=True, slots=True)
class KeptMerge:
    """`since` is when it was kept: what was pending then it keeps apart as well."""

    pk: int
    kind: str
    members: tuple[Member, ...]
    since: datetime | None = None

    def joins(self, identities: Sequence[Identity]) -> bool:
        """Say whether two of the members are among these."""
        return sum(member.is_one_of(identities) for member in self.members) > 1

    def with_name(self, result: Identity) -> KeptMerge:
        """Return the merge with the name under which its members were told as one, which may be none of theirs."""
        if any(member.is_one_of([result]) for member in self.members) or result.key in self._shared():
            return self
        return replace(self, members=(*self.members, Member(frozenset({result.entity_id}), result.name)))

    def with_told(self, identities: Sequence[Identity]) -> KeptMerge:
        """Return the merge with these as one with the member that is among them, if one is."""
        shared = self._shared()
        members = tuple(
            member.with_all(identities, shared) if member.is_one_of(identities) else member for member in self.members
        )
        return self if members == self.members else replace(self, members=members)

    def _shared(self) -> frozenset[str]:
        """Return the keys that tell no member from another."""
        return frozenset(member.key for member in self.members if not member.by_name)


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """One way in which a kept record was told. `said` is the digest of all that it says but for its evidence.

    `refs` are unit ids of the revision `source_id`: in another one its lines stand elsewhere. `given` is a record
    beside it that a review had cite lines of it: it tells the secret too, but where it stands the kept one need not.
    `earlier` is one that the kept one was made from: it need not tell all of it. `likely` is one that may have been the
    kept one and may have been another: it belongs to the secret, and where it is found, the kept one may be besides.
    """

    source_id: str
    subject: tuple[str, ...]
    refs: frozenset[tuple[int, int]]
    said: str
    given: bool = field(default=False, compare=False)
    earlier: bool = field(default=False, compare=False)
    likely: bool = field(default=False, compare=False)

    @classmethod
    def of(
        cls, source_id: str, family: str, record: Mapping[str, Any], *, given: bool = False, likely: bool = False
    ) -> KeptRecord:
        refs, said = ranges_of(record), said_of(record)
        return cls(source_id, subject_of(family, record), refs, said, given=given, likely=likely)

    def as_json(self) -> dict[str, JsonValue]:
        refs: list[JsonValue] = [list(ref) for ref in sorted(self.refs)]
        told: dict[str, JsonValue] = {"source_id": self.source_id, "subject": list(self.subject), "refs": refs}
        marks: dict[str, JsonValue] = {"given": self.given, "earlier": self.earlier, "likely": self.likely}
        return {**told, "said": self.said, **{name: True for name, is_so in marks.items() if is_so}}


@dataclass(frozen=True, slots=True)
class KeptOccurrence:
    """A record that is kept for itself, as it was hidden and as reviews have told it since."""

    pk: int
    session_id: int
    family: str
    records: tuple[KeptRecord, ...]


@dataclass(frozen=True, slots=True)
class KeptRange:
    """From one unit to another of the transcript that the game master looked at."""

    pk: int
    session_id: int
    source_id: str
    start_unit_id: int
    end_unit_id: int


@dataclass(frozen=True, slots=True)
class Kept:
    """`released` are the merges that were kept once and are revealed."""

    entries: tuple[KeptEntry, ...] = ()
    merges: tuple[KeptMerge, ...] = ()
    released: tuple[KeptMerge, ...] = ()
    occurrences: tuple[KeptOccurrence, ...] = ()
    ranges: tuple[KeptRange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries or self.merges or self.occurrences or self.ranges)


def kept_of(campaign: Campaign) -> Kept:
    """Return what the campaign's unrevealed secrets bind, in one query."""
    return kept_in(list(Secret.objects.filter(campaign=campaign).order_by("pk")))


def kept_in(secrets: Sequence[Secret]) -> Kept:
    """Return what these secrets bind; of revealed ones only which merges they were about."""
    live = [secret for secret in secrets if secret.revealed_at is None]
    merges = [secret for secret in secrets if secret.kind == Kind.MERGE]
    return Kept(
        tuple(_entry(secret) for secret in live if secret.kind == Kind.ENTRY),
        tuple(_merge(secret) for secret in merges if secret.revealed_at is None),
        tuple(_merge(secret) for secret in merges if secret.revealed_at is not None),
        tuple(_occurrence(secret) for secret in live if secret.kind == Kind.OCCURRENCE),
        tuple(_range(secret) for secret in live if secret.kind == Kind.RANGE),
    )


def subject_of(family: str, record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return who or what the record is about, whatever way the name is spelled."""
    return tuple(comparison_key(str(record[field])) for field in SUBJECTS[family])


def ranges_of(record: Mapping[str, Any]) -> frozenset[tuple[int, int]]:
    return frozenset((ref["start_unit_id"], ref["end_unit_id"]) for ref in record["source_refs"])


def said_of(record: Mapping[str, Any]) -> str:
    return digest({field: value for field, value in record.items() if field != "source_refs"})


def _entry(secret: Secret) -> KeptEntry:
    return KeptEntry(secret.pk, secret.entry_kind, frozenset(secret.binding["ids"]), tuple(secret.binding["names"]))


def _merge(secret: Secret) -> KeptMerge:
    members = tuple(
        Member(frozenset(member["ids"]), member["name"], member["by_name"], frozenset(member.get("also", ())))
        for member in secret.binding["members"]
    )
    return KeptMerge(secret.pk, secret.entry_kind, members, secret.hidden_at)


def _occurrence(secret: Secret) -> KeptOccurrence:
    records = tuple(
        KeptRecord(
            told["source_id"],
            tuple(told["subject"]),
            frozenset((start, end) for start, end in told["refs"]),
            told["said"],
            told.get("given", False),
            told.get("earlier", False),
            told.get("likely", False),
        )
        for told in secret.binding["records"]
    )
    return KeptOccurrence(secret.pk, secret.session_id or 0, secret.binding["family"], records)


def _range(secret: Secret) -> KeptRange:
    binding = secret.binding
    return KeptRange(secret.pk, secret.session_id or 0, binding["source_id"], binding["start"], binding["end"])
