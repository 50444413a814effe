"""The campaign's people, items and places as one sight sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from campaigns.errors import NotFound
from campaigns.joining import Citation, Entry
from campaigns.library.editions import stored_edition, veiling_of
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS, latest_of, union_of, versions_of
from campaigns.models import Edition, EntryAlias, EntryEvidence, RegistryEntry, RegistryState
from extraction.canonical import digest
from extraction.codes import Code
from extraction.identity import comparison_key

COLUMNS = ("entity_id", "name", "key", "sessions", "evidence_count")


@dataclass(frozen=True, slots=True)
class Line:
    """One entry as a list has it; `key` and `entity_id` are its place there."""

    kind: str
    entity_id: str
    name: str
    key: str
    sessions: list[int]
    evidence_count: int


@dataclass(frozen=True, slots=True)
class Full(Line):
    """One entry with its proof. `also_called` are the names of consolidated records that this sight may know."""

    evidence: list[Citation] = field(default_factory=list)
    other_ids: list[str] = field(default_factory=list)
    also_called: list[str] = field(default_factory=list)


def entries(
    sight: Sight,
    kind: str,
    *,
    q: str = "",
    session: int | None = None,
    after: tuple[str, str] | None = None,
    limit: int,
) -> list[Line]:
    """Return at most `limit` entries in the order of (key, id), after that place; `q` is a part of the name."""
    part = comparison_key(q)
    if is_joined(sight):
        found = (
            _line(kind, entry)
            for entry in joined(sight, kind)
            if part in entry.order[0]
            and (session is None or session in entry.sessions)
            and (after is None or entry.order > after)
        )
        return [line for line, _ in zip(found, range(limit), strict=False)]
    return [
        Line(kind, entity_id, name, key, orjson.loads(sessions), count)
        for entity_id, name, key, sessions, count in stored(sight, kind, part, session, after)[:limit]
    ]


def stored(
    sight: Sight, kind: str, part: str = "", session: int | None = None, after: tuple[str, str] | None = None
) -> QuerySet[RegistryEntry, tuple[str, str, str, str, int]]:
    """Return the rows of a registry that is stored as the sight sees it: id, name, key, sessions as JSON, evidence.

    `part` is a part of the key. The field's own decoder of JSON would take as long for a page as all the rest.
    """
    rows = RegistryEntry.objects.filter(campaign=sight.campaign, edition=stored_edition(sight), kind=kind)
    if part:
        rows = rows.filter(key__contains=part)
    if session is not None:
        rows = rows.filter(Exists(EntryEvidence.objects.filter(entry=OuterRef("pk"), session__number=session)))
    if after is not None:
        rows = rows.filter(Q(key__gt=after[0]) | Q(key=after[0], entity_id__gt=after[1]))
    told = rows.annotate(told=Cast("sessions", TextField())).order_by("key", "entity_id")
    return told.values_list("entity_id", "name", "key", "told", "evidence_count")


def entry(sight: Sight, kind: str, entity_id: str) -> Full:
    """Return the entry of this id, or the one that has taken its place; NotFound where it leads to nothing."""
    if not entity_id.isprintable():
        # No id has such a sign, and a database may not even compare it.
        found = None
    else:
        found = _joined_entry(sight, kind, entity_id) if is_joined(sight) else _stored_entry(sight, kind, entity_id)
    if found is None:
        raise NotFound("There is no such entry in this registry.", code=Code.ENTRY_UNKNOWN)
    return found


def counts(sight: Sight) -> Mapping[str, int]:
    """Return how many entries of each kind there are."""
    if is_joined(sight):
        return {kind: len(joined(sight, kind)) for kind in KINDS}
    rows = RegistryEntry.objects.filter(campaign=sight.campaign, edition=stored_edition(sight)).order_by()
    counted = dict(rows.values("kind").annotate(total=Count("pk")).values_list("kind", "total"))
    return {kind: counted.get(kind, 0) for kind in KINDS}


def registry_digest(sight: Sight, kind: str) -> str:
    """Return a digest that changes whenever what this sight sees of the registry does."""
    if sight.latest:
        newest = latest_of(sight.campaign, kind, sight.as_of)
        return digest([sight.campaign.pk, kind, sight.as_of, "latest", *(version.pk for version in newest)])
    if sight.as_of is not None:
        return digest([sight.campaign.pk, kind, *(entry.as_json() for entry in joined(sight, kind))])
    # One query for both editions: which one is stored for the sight is in it.
    rows = RegistryState.objects.filter(campaign=sight.campaign).values_list("edition", "kind", "digest")
    states = {(edition, each): said for edition, each, said in rows}
    own = Edition.PLAYER if sight.is_player and any(each == Edition.PLAYER for each, _ in states) else Edition.GM
    sight.memo["edition"] = own
    return digest([sight.campaign.pk, kind, states.get((own, kind), "")])


def joined(sight: Sight, kind: str) -> list[Entry]:
    """Return the registry as it is joined from the versions that the sight shows, in the order of names."""
    if kind not in sight.memo:
        sight.memo[kind] = _joined(sight, kind)
    found: list[Entry] = sight.memo[kind]
    return found


def _joined(sight: Sight, kind: str) -> list[Entry]:
    veiling = veiling_of(sight)
    if veiling is not None:
        return list(veiling.veil.by_kind[kind].entries)
    versions = versions_of(sight.campaign, kind, sight.as_of)
    if sight.latest:
        newest = [version.pk for version in latest_of(sight.campaign, kind, sight.as_of)]
        return union_of(sight.campaign, kind, versions.filter(pk__in=newest), sight.as_of)
    return union_of(sight.campaign, kind, versions.approved(), sight.as_of)


def leads(sight: Sight, kind: str) -> Mapping[str, Line]:
    """Return every id that leads somewhere with the entry that it leads to."""
    if is_joined(sight):
        return {
            entity_id: line
            for entry in joined(sight, kind)
            for line in [_line(kind, entry)]
            for entity_id in (entry.entity_id, *entry.other_ids)
        }
    edition = stored_edition(sight)
    rows = RegistryEntry.objects.filter(campaign=sight.campaign, edition=edition, kind=kind)
    by_pk = {pk: Line(kind, *row) for pk, *row in rows.values_list("pk", *COLUMNS)}
    aliases = EntryAlias.objects.filter(campaign=sight.campaign, edition=edition, kind=kind)
    others = {entity_id: by_pk[pk] for entity_id, pk in aliases.values_list("entity_id", "entry_id")}
    return others | {line.entity_id: line for line in by_pk.values()}


def is_joined(sight: Sight) -> bool:
    """Say whether the registry is joined on the way, because what the sight sees is not stored as a whole."""
    return sight.latest or sight.as_of is not None


def _line(kind: str, entry: Entry) -> Line:
    key, entity_id = entry.order
    return Line(kind, entity_id, entry.name, key, entry.sessions, len(entry.evidence))


def _joined_entry(sight: Sight, kind: str, entity_id: str) -> Full | None:
    for found in joined(sight, kind):
        if entity_id in (found.entity_id, *found.other_ids):
            return full(kind, found.order[0], found)
    return None


def _stored_entry(sight: Sight, kind: str, entity_id: str) -> Full | None:
    mine: dict[str, object] = {"campaign": sight.campaign, "edition": stored_edition(sight), "kind": kind}
    rows = RegistryEntry.objects.filter(**mine)
    row = rows.filter(entity_id=entity_id).first()
    if row is None:
        alias = EntryAlias.objects.filter(**mine, entity_id=entity_id)
        row = rows.filter(pk__in=alias.values("entry")).first()
    if row is None:
        return None
    evidence = row.evidence.order_by("position").values_list(
        "session_id", "session__number", "source_id", "start_unit_id", "end_unit_id"
    )
    others = list(row.aliases.order_by("entity_id").values_list("entity_id", flat=True))
    cited = [Citation(*each) for each in evidence]
    return full(kind, row.key, Entry(row.entity_id, row.name, row.sessions, cited, others, row.also_called))


def full(kind: str, key: str, entry: Entry) -> Full:
    """Return a joined entry, whose place in lists is `key`, as the library gives it."""
    return Full(
        kind,
        entry.entity_id,
        entry.name,
        key,
        entry.sessions,
        len(entry.evidence),
        evidence=entry.evidence,
        other_ids=sorted(entry.other_ids),
        also_called=entry.also_called,
    )
