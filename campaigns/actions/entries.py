"""The rows of a registry in one edition, and what changed in it, written in the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from campaigns.joining import Entry
from campaigns.library.differences import Difference, Known, differences
from campaigns.models import Campaign, Change, Edition, EntryAlias, EntryEvidence, RegistryEntry, RegistryState
from extraction.canonical import digest
from extraction.identity import comparison_key

KEY_LIMIT = 300
BATCH = 1_000


def known_entries(campaign: Campaign, edition: Edition, kind: str) -> list[Known]:
    """Return the entries as they are stored, for what changes to be told."""
    rows = RegistryEntry.objects.filter(campaign=campaign, edition=edition, kind=kind)
    others: dict[int, list[str]] = {}
    aliases = EntryAlias.objects.filter(campaign=campaign, edition=edition, kind=kind)
    for entry_id, entity_id in aliases.values_list("entry_id", "entity_id"):
        others.setdefault(entry_id, []).append(entity_id)
    return [
        Known(entity_id, name, frozenset(others.get(pk, ())), sessions[0] if sessions else None)
        for pk, entity_id, name, sessions in rows.values_list("pk", "entity_id", "name", "sessions")
    ]


def store(
    campaign: Campaign,
    edition: Edition,
    kind: str,
    entries: Sequence[Entry],
    *,
    told_to: Iterable[Edition],
    session: int | None,
    before: Sequence[Known] | None = None,
    untold: Callable[[Difference], bool] = lambda _: False,
) -> RegistryState:
    """Have the edition store these entries of this kind, and tell what changed from `before`, or from what was.

    `told_to` are the editions that are told; what is `untold` stays out of it.
    """
    found = known_entries(campaign, edition, kind) if before is None else before
    changed = differences(found, [Known.of(entry) for entry in entries], session=session, untold=untold)
    for reader in told_to:
        _tell(campaign, reader, kind, changed)
    said = digest([entry.as_json() for entry in entries])
    states = RegistryState.objects.filter(campaign=campaign, edition=edition, kind=kind)
    # The digest is of all that the rows say: with an equal one they are there already.
    if not states.filter(digest=said).exists():
        RegistryEntry.objects.filter(campaign=campaign, edition=edition, kind=kind).delete()
        _write(campaign, edition, kind, entries)
    state, _ = RegistryState.objects.update_or_create(
        campaign=campaign, edition=edition, kind=kind, defaults={"digest": said}
    )
    return state


def _tell(campaign: Campaign, edition: Edition, kind: str, changed: Iterable[Difference]) -> None:
    Change.objects.bulk_create(
        (
            Change(
                campaign=campaign,
                edition=edition,
                kind=kind,
                change=each.change,
                entity_id=each.entity_id,
                name=each.name,
                was=each.was,
                superseded_by=list(each.superseded_by),
                session=each.session,
            )
            for each in changed
        ),
        batch_size=BATCH,
    )


def _write(campaign: Campaign, edition: Edition, kind: str, entries: Sequence[Entry]) -> None:
    rows = RegistryEntry.objects.bulk_create(
        RegistryEntry(
            campaign=campaign,
            edition=edition,
            kind=kind,
            entity_id=entry.entity_id,
            name=entry.name,
            key=comparison_key(entry.name)[:KEY_LIMIT],
            sessions=entry.sessions,
            evidence_count=len(entry.evidence),
            also_called=entry.also_called,
        )
        for entry in entries
    )
    pairs = list(zip(rows, entries, strict=True))
    EntryAlias.objects.bulk_create(
        (
            EntryAlias(entry=row, campaign=campaign, edition=edition, kind=kind, entity_id=entity_id)
            for row, entry in pairs
            for entity_id in entry.other_ids
        ),
        batch_size=BATCH,
    )
    EntryEvidence.objects.bulk_create(
        (
            EntryEvidence(
                entry=row,
                session_id=cited.session_id,
                position=position,
                source_id=cited.source_id,
                start_unit_id=cited.start_unit_id,
                end_unit_id=cited.end_unit_id,
            )
            for row, entry in pairs
            for position, cited in enumerate(entry.evidence)
        ),
        batch_size=BATCH,
    )
