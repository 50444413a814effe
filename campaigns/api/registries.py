"""Reads of a campaign's registry: the approved one from its rows, the latest one joined on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import orjson
from django.db.models import Exists, OuterRef

from campaigns.actions.registry import LANES
from campaigns.api.answers import Keyset, Row, listing
from campaigns.errors import NotFound
from campaigns.models import ArtifactVersion, Campaign, EntryEvidence, RegistryEntry, RegistryState, Unit
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


@dataclass(frozen=True, slots=True)
class Cited:
    session: int
    source_id: str
    start_unit_id: int
    end_unit_id: int


@dataclass(frozen=True, slots=True)
class Joined:
    """One identity over the latest versions of all sessions."""

    entity_id: str
    name: str
    evidence: tuple[Cited, ...]

    @property
    def row(self) -> Row:
        sessions = list(dict.fromkeys(cited.session for cited in self.evidence))
        return {
            "key": comparison_key(self.name),
            "entity_id": self.entity_id,
            "name": self.name,
            "sessions": sessions,
            "evidence_count": len(self.evidence),
        }


def state(campaign: Campaign, kind: str, latest: bool) -> str:
    """Return a digest that changes whenever the registry does."""
    if latest:
        return digest([[version.artifact_id, version.digest] for version in _latest(campaign, kind)])
    found = RegistryState.objects.filter(campaign=campaign, kind=kind).values_list("digest", flat=True).first()
    return digest([campaign.pk, kind, found or ""])


def page(campaign: Campaign, kind: str, asked: Asked, latest: bool) -> bytes:
    """Return a page of the list as JSON bytes."""
    rows = _latest_rows(campaign, kind, asked) if latest else _approved_rows(campaign, kind, asked)
    shown, cursor = ORDER.page(rows, asked.limit)
    return orjson.dumps(listing([_public(row) for row in shown], cursor))


def entry(campaign: Campaign, kind: str, entity_id: str, latest: bool, quotes: bool) -> bytes:
    """Return one entry with its evidence as JSON bytes; NotFound where the registry has no such id."""
    found = _joined(campaign, kind).get(entity_id) if latest else _approved_entry(campaign, kind, entity_id)
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
    return orjson.dumps({**_public(found.row), "evidence": evidence})


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
    rows = [
        joined.row
        for joined in _joined(campaign, kind).values()
        if asked.session is None or any(cited.session == asked.session for cited in joined.evidence)
    ]
    keyed = sorted(((str(row["key"]), str(row["entity_id"])), row) for row in rows)
    return [row for key, row in keyed if part in key[0] and (after is None or key > after)]


def _approved_entry(campaign: Campaign, kind: str, entity_id: str) -> Joined | None:
    row = RegistryEntry.objects.filter(campaign=campaign, kind=kind, entity_id=entity_id).first()
    if row is None:
        return None
    evidence = row.evidence.order_by("position").values_list(
        "session__number", "source_id", "start_unit_id", "end_unit_id"
    )
    return Joined(row.entity_id, row.name, tuple(Cited(*cited) for cited in evidence))


def _latest(campaign: Campaign, kind: str) -> list[ArtifactVersion]:
    """Return the newest usable version of each session, in the order of sessions."""
    rows = ArtifactVersion.objects.usable().filter(artifact__lane=LANES[kind][0], artifact__session__campaign=campaign)
    newest = {row.artifact_id: row for row in rows.select_related("artifact__session").order_by("number")}
    return sorted(newest.values(), key=lambda version: version.artifact.session.number)


def _joined(campaign: Campaign, kind: str) -> dict[str, Joined]:
    entries: dict[str, Joined] = {}
    for version in _latest(campaign, kind):
        number = version.artifact.session.number
        for record in orjson.loads(version.payload)[LANES[kind][1]]:
            cited = tuple(
                Cited(number, ref["source_id"], ref["start_unit_id"], ref["end_unit_id"])
                for ref in record["source_refs"]
            )
            known = entries.get(record["id"], Joined(record["id"], record["name"], ()))
            entries[known.entity_id] = replace(known, evidence=known.evidence + cited)
    return entries


def _quotes(campaign: Campaign, evidence: Sequence[Cited]) -> dict[Cited, str]:
    """Return each cited range as lines of `speaker: text`, in two queries for each transcript cited."""
    quotes: dict[Cited, str] = {}
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
