"""Reads of a campaign's registries: the approved ones from their rows, the latest ones joined on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from django.db.models import Exists, OuterRef

from campaigns.actions.registry import latest_of, union_of, versions_of
from campaigns.api.answers import Keyset, Row, listing
from campaigns.errors import NotFound
from campaigns.joining import Citation, Entry
from campaigns.models import Campaign, EntryAlias, EntryEvidence, RegistryEntry, RegistryState, Unit
from extraction.canonical import digest
from extraction.codes import Code
from extraction.identity import comparison_key

ORDER = Keyset({"key": str, "entity_id": str})
COLUMNS = ("key", "entity_id", "name", "sessions", "evidence_count")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which part of a registry somebody wants."""

    q: str
    session: int | None
    cursor: str | None
    limit: int

    @property
    def parts(self) -> tuple[str | int | None, ...]:
        return (self.q, self.session, self.cursor, self.limit)


def state(campaign: Campaign, kind: str, latest: bool) -> str:
    """Return a digest that changes whenever the registry does."""
    if latest:
        return digest([campaign.pk, kind, *(version.pk for version in latest_of(campaign, kind))])
    found = RegistryState.objects.filter(campaign=campaign, kind=kind).values_list("digest", flat=True).first()
    return digest([campaign.pk, kind, found or ""])


def page(campaign: Campaign, kind: str, asked: Asked, latest: bool) -> bytes:
    """Return a page of the list as JSON bytes."""
    rows = _latest_rows(campaign, kind, asked) if latest else _approved_rows(campaign, kind, asked)
    shown, cursor = ORDER.page(rows, asked.limit)
    return orjson.dumps(listing([_public(row) for row in shown], cursor))


def entry(campaign: Campaign, kind: str, entity_id: str, latest: bool, quotes: bool) -> bytes:
    """Return one entry with its evidence as JSON bytes, by its id or by one that it has taken the place of.

    Raises NotFound where the id leads to nothing in this registry.
    """
    found = _latest_entry(campaign, kind, entity_id) if latest else _approved_entry(campaign, kind, entity_id)
    if found is None:
        raise NotFound("There is no such entry in this registry.", code=Code.ENTRY_UNKNOWN)
    said = _quotes(campaign, found.evidence) if quotes else {}
    evidence: list[Row] = []
    for cited in found.evidence:
        item: dict[str, object] = {
            "session": cited.session,
            "source_id": cited.source_id,
            "start_unit_id": cited.start_unit_id,
            "end_unit_id": cited.end_unit_id,
        }
        if quotes:
            item["quote"] = said.get(cited)
        evidence.append(item)
    return orjson.dumps({**_public(_row(found)), "evidence": evidence})


def _public(row: Row) -> Row:
    names = {"entity_id": "id"}
    return {names.get(name, name): value for name, value in row.items() if name != "key"}


def _approved_rows(campaign: Campaign, kind: str, asked: Asked) -> Sequence[Row]:
    rows = RegistryEntry.objects.filter(ORDER.beyond(asked.cursor), campaign=campaign, kind=kind)
    if asked.q:
        rows = rows.filter(key__contains=comparison_key(asked.q))
    if asked.session is not None:
        rows = rows.filter(Exists(EntryEvidence.objects.filter(entry=OuterRef("pk"), session__number=asked.session)))
    return [dict(row) for row in rows.order_by(*ORDER.fields).values(*COLUMNS)[: asked.limit + 1]]


def _latest_rows(campaign: Campaign, kind: str, asked: Asked) -> Sequence[Row]:
    after, part = ORDER.after(asked.cursor), comparison_key(asked.q)
    return [
        _row(entry)
        for entry in _latest(campaign, kind)
        if part in entry.order[0]
        and (asked.session is None or asked.session in entry.sessions)
        and (after is None or entry.order > after)
    ]


def _row(entry: Entry) -> Row:
    key, entity_id = entry.order
    return {
        "key": key,
        "entity_id": entity_id,
        "name": entry.name,
        "sessions": entry.sessions,
        "evidence_count": len(entry.evidence),
    }


def _latest_entry(campaign: Campaign, kind: str, entity_id: str) -> Entry | None:
    entries = _latest(campaign, kind)
    return next((entry for entry in entries if entity_id in (entry.entity_id, *entry.other_ids)), None)


def _latest(campaign: Campaign, kind: str) -> list[Entry]:
    newest = [version.pk for version in latest_of(campaign, kind)]
    return union_of(campaign, kind, versions_of(campaign, kind).filter(pk__in=newest))


def _approved_entry(campaign: Campaign, kind: str, entity_id: str) -> Entry | None:
    entries = RegistryEntry.objects.filter(campaign=campaign, kind=kind)
    row = entries.filter(entity_id=entity_id).first()
    if row is None:
        alias = EntryAlias.objects.filter(campaign=campaign, kind=kind, entity_id=entity_id)
        row = entries.filter(pk__in=alias.values("entry")).first()
    if row is None:
        return None
    evidence = row.evidence.order_by("position").values_list(
        "session_id", "session__number", "source_id", "start_unit_id", "end_unit_id"
    )
    return Entry(row.entity_id, row.name, row.sessions, [Citation(*cited) for cited in evidence])


def _quotes(campaign: Campaign, evidence: Sequence[Citation]) -> dict[Citation, str]:
    """Return each cited range as lines of `speaker: text`, in two queries for each transcript cited."""
    quotes: dict[Citation, str] = {}
    for source_id in dict.fromkeys(cited.source_id for cited in evidence):
        mine = [cited for cited in evidence if cited.source_id == source_id]
        units = Unit.objects.filter(transcript__source_id=source_id, transcript__session__campaign=campaign)
        ends = {unit_id for cited in mine for unit_id in (cited.start_unit_id, cited.end_unit_id)}
        places = dict(units.filter(unit_id__in=ends).values_list("unit_id", "position"))
        spans = {
            cited: range(places[cited.start_unit_id], places[cited.end_unit_id] + 1)
            for cited in mine
            if cited.start_unit_id in places and cited.end_unit_id in places
        }
        wanted = {at for span in spans.values() for at in span}
        lines = {
            at: f"{speaker}: {text}" if speaker else text
            for at, speaker, text in units.filter(position__in=wanted).values_list("position", "speaker", "text")
        }
        quotes |= {cited: "\n".join(lines[at] for at in span) for cited, span in spans.items()}
    return quotes
