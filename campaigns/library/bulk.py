"""A whole registry with its proof, a batch at a time, for those who copy it."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Prefetch, Q

from campaigns.joining import Citation
from campaigns.library.editions import stored_edition
from campaigns.library.registry import Full, full, is_joined, joined
from campaigns.library.sight import Sight
from campaigns.models import EntryAlias, EntryEvidence, RegistryEntry

BATCH = 500


def whole(sight: Sight, kind: str) -> Iterator[Full]:
    """Yield every entry in the order of (key, id), in three queries a batch.

    An entry that comes or goes meanwhile is there or is not; every other one comes once.
    """
    if is_joined(sight):
        for entry in joined(sight, kind):
            yield full(kind, entry.order[0], entry)
        return
    after = Q()
    while rows := _batch(sight, kind, after):
        yield from (_full(kind, row) for row in rows)
        last = rows[-1]
        after = Q(key__gt=last.key) | Q(key=last.key, entity_id__gt=last.entity_id)


def _batch(sight: Sight, kind: str, after: Q) -> list[RegistryEntry]:
    rows = RegistryEntry.objects.filter(after, campaign=sight.campaign, edition=stored_edition(sight), kind=kind)
    evidence = EntryEvidence.objects.order_by("entry", "position").select_related("session")
    aliases = EntryAlias.objects.order_by("entity_id")
    wanted = rows.prefetch_related(Prefetch("evidence", evidence), Prefetch("aliases", aliases))
    return list(wanted.order_by("key", "entity_id")[:BATCH])


def _full(kind: str, row: RegistryEntry) -> Full:
    cited = [
        Citation(one.session_id, one.session.number, one.source_id, one.start_unit_id, one.end_unit_id)
        for one in row.evidence.all()
    ]
    others = [alias.entity_id for alias in row.aliases.all()]
    return Full(
        kind,
        row.entity_id,
        row.name,
        row.key,
        row.sessions,
        row.evidence_count,
        evidence=cited,
        other_ids=others,
        also_called=row.also_called,
    )
