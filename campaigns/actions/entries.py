"""The rows of a registry in one edition, and what changed in it, written in the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta

from django.db.models import Max
from django.utils import timezone

from campaigns.joining import Entry
from campaigns.library.differences import Difference, Known, differences
from campaigns.models import Campaign, Change, Edition, EntryAlias, EntryEvidence, RegistryEntry, RegistryState
from extraction.canonical import digest
from extraction.identity import comparison_key

KEY_LIMIT = 300
BATCH = 1_000
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


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
    """Tell the edition what changed. The caller has locked the campaign: numbers come one after the other.

    What is told at once begins with the time in microseconds and goes on from there. So a number says when, and neither
    how much another edition was told nor how much was told before and is told no more.
    """
    last = Change.objects.filter(campaign=campaign, edition=edition).aggregate(last=Max("number"))["last"] or 0
    first = max((timezone.now() - EPOCH) // MICROSECOND, last + 1)
    Change.objects.bulk_create(
        (
            Change(
                campaign=campaign,
                edition=edition,
                number=number,
                at=EPOCH + first * MICROSECOND,
                kind=kind,
                change=each.change,
                entity_id=each.entity_id,
                name=each.name,
                was=each.was,
                superseded_by=list(each.superseded_by),
                session=each.session,
            )
            for number, each in enumerate(changed, start=first)
        ),
        batch_size=BATCH,
    )


def close_gaps(campaign: Campaign, edition: Edition, told_at: Iterable[datetime]) -> None:
    """Have what was told at these times be numbered as if nothing else had been told then.

    No row gets a higher number than it had: whoever has read on from a number misses nothing.
    """
    for at in told_at:
        rows = Change.objects.filter(campaign=campaign, edition=edition, at=at).order_by("number")
        for number, (pk, was) in enumerate(rows.values_list("pk", "number"), start=(at - EPOCH) // MICROSECOND):
            if number != was:
                Change.objects.filter(pk=pk).update(number=number)


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
