"""What is kept secret in a campaign, as plain data: the bindings of its secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.models import Campaign, Secret
from extraction.canonical import JsonValue
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
    """One of those that are told as one: its id, its name and the name's comparison key."""

    entity_id: str
    name: str

    @property
    def key(self) -> str:
        return comparison_key(self.name)


@dataclass(frozen=True, slots=True)
class KeptEntry:
    pk: int
    kind: str
    ids: frozenset[str]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """One of those that must not be known to be one. Its name stands for it where no other member has the same."""

    ids: frozenset[str]
    name: str
    by_name: bool = True

    @property
    def key(self) -> str:
        return comparison_key(self.name)

    def as_json(self) -> dict[str, JsonValue]:
        return {"ids": sorted(self.ids), "name": self.name, "by_name": self.by_name}

    def is_one_of(self, identities: Sequence[Identity]) -> bool:
        return any(one.entity_id in self.ids or (self.by_name and one.key == self.key) for one in identities)


@dataclass(frozen=True, slots=True)
class KeptMerge:
    pk: int
    kind: str
    members: tuple[Member, ...]

    def joins(self, identities: Sequence[Identity]) -> bool:
        """Say whether two of the members are among these."""
        return sum(member.is_one_of(identities) for member in self.members) > 1


@dataclass(frozen=True, slots=True)
class KeptOccurrence:
    pk: int
    session_id: int
    family: str
    subject: tuple[str, ...]
    refs: frozenset[tuple[int, int]]


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


def _entry(secret: Secret) -> KeptEntry:
    return KeptEntry(secret.pk, secret.entry_kind, frozenset(secret.binding["ids"]), tuple(secret.binding["names"]))


def _merge(secret: Secret) -> KeptMerge:
    members = tuple(
        Member(frozenset(member["ids"]), member["name"], member["by_name"]) for member in secret.binding["members"]
    )
    return KeptMerge(secret.pk, secret.entry_kind, members)


def _occurrence(secret: Secret) -> KeptOccurrence:
    binding = secret.binding
    refs = frozenset((start, end) for start, end in binding["refs"])
    return KeptOccurrence(secret.pk, secret.session_id or 0, binding["family"], tuple(binding["subject"]), refs)


def _range(secret: Secret) -> KeptRange:
    binding = secret.binding
    return KeptRange(secret.pk, secret.session_id or 0, binding["source_id"], binding["start"], binding["end"])
