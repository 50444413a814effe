"""What the three registries do in the same way: list their entries, show one, tell where it occurs, hand all out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import orjson
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from campaigns.api.answers import Keyset, Row, conditional, etag_of, hashed, is_known, listing, not_modified, tagged
from campaigns.api.schemas import (
    ENTRY_FIELDS,
    EntryQuery,
    ListQuery,
    OccurrencesQuery,
    RegistryQuery,
    SightedListQuery,
    kept,
)
from campaigns.api.sights import need_words, seen
from campaigns.errors import ActionError
from campaigns.joining import Citation
from campaigns.library import bulk, combat, occurrences, registry, transcripts
from campaigns.library.registry import Full, Line
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from extraction.identity import comparison_key

Item = TypeVar("Item")

ORDER = Keyset({"key": str, "id": str})
EVERY_FIELD = ",".join(ENTRY_FIELDS)
RECORDS = Keyset({"session": int, "family": str, "index": int})
OTHERS = Keyset({"kind": str, "id": str})
NDJSON = "application/x-ndjson"
BATCH = 100
LINES = {
    "description": "One entry a line, in the shape of the detail address.",
    "content": {NDJSON: {"schema": {"type": "string"}}},
}


def list_of(request: HttpRequest, slug: str, kind: str, query: RegistryQuery) -> HttpResponse:
    """Answer with a page of the registry in the order of names, approved or latest."""
    sight = seen(request, slug, query)
    asked = (query.q, query.session, query.cursor, query.limit, query.fields)
    return conditional(request, (*_state(sight, kind), *asked), lambda: _page(sight, kind, query))


def one_of(request: HttpRequest, slug: str, kind: str, entity_id: str, query: EntryQuery) -> HttpResponse:
    """Answer with the entry that the id leads to; quotes are for members alone."""
    sight = seen(request, slug, query)
    if not query.quotes:
        parts = (*_state(sight, kind), entity_id, query.fields)
        return conditional(request, parts, lambda: _entry(sight, kind, entity_id, query))
    need_words(request, sight)
    return hashed(request, _entry(sight, kind, entity_id, query))


def all_of(request: HttpRequest, slug: str, kind: str, query: EntryQuery) -> HttpResponseBase:
    """Answer with every entry of the registry, a line of JSON each, as they are read."""
    sight = seen(request, slug, query)
    if query.quotes:
        need_words(request, sight)
    etag = etag_of((*_state(sight, kind), "ndjson", query.fields))
    if not query.quotes and is_known(request, etag):
        return not_modified(etag)
    answer = StreamingHttpResponse(_lines(sight, kind, query), content_type=NDJSON)
    return answer if query.quotes else tagged(answer, etag)


def occurrences_of(request: HttpRequest, slug: str, kind: str, entity_id: str, query: OccurrencesQuery) -> HttpResponse:
    """Answer with where the entry occurs, in the order of sessions and of what was said."""
    sight, family = seen(request, slug, query), KINDS[kind].occurrences
    places = [
        place for place in occurrences.places_of(sight, kind, entity_id) if query.session in (None, place.session)
    ]
    shown, cursor = stretch(places, query, RECORDS, lambda place: (place.session, family, place.index))
    items = [
        {
            "session": one.session,
            "family": one.family,
            "kind": one.kind,
            "name": one.name,
            "detail": one.detail,
            "actor": one.actor,
            "recipient": one.recipient,
            "scene": one.scene,
            "index": one.index,
            "evidence": cited_as(one.refs),
        }
        for one in occurrences.occurrences_at(sight, shown)
    ]
    return hashed(request, orjson.dumps(listing(items, cursor)))


def combat_of(request: HttpRequest, slug: str, kind: str, entity_id: str, query: OccurrencesQuery) -> HttpResponse:
    """Answer with the entry's part in fights: turns, spells and what became of enemies."""
    found = combat.combat_of(seen(request, slug, query), kind, entity_id)
    items = [
        {
            "session": one.session,
            "family": one.family,
            "index": one.index,
            "roles": one.roles,
            "record": one.record,
            "evidence": cited_as(one.refs),
        }
        for one in found
        if query.session in (None, one.session)
    ]
    return hashed(request, paged(items, query, RECORDS))


def companions_of(request: HttpRequest, slug: str, kind: str, entity_id: str, query: SightedListQuery) -> HttpResponse:
    """Answer with who and what else occurs in the entry's scenes, those of most shared scenes first."""
    found = occurrences.companions(seen(request, slug, query), kind, entity_id)
    items = [{"kind": one.kind, "id": one.entity_id, "name": one.name, "scenes": one.scenes} for one in found]
    return hashed(request, paged(items, query, OTHERS))


def _state(sight: Sight, kind: str) -> tuple[tuple[int | str | bool | None, ...], str, str]:
    return sight.key, kind, registry.registry_digest(sight, kind)


def _page(sight: Sight, kind: str, query: RegistryQuery) -> bytes:
    found = _joined_rows(sight, kind, query) if registry.is_joined(sight) else _stored_rows(sight, kind, query)
    shown, cursor = ORDER.page(found, query.limit)
    return orjson.dumps(listing([kept(row, query.fields or EVERY_FIELD) for row in shown], cursor))


def _stored_rows(sight: Sight, kind: str, query: RegistryQuery) -> list[Row]:
    """Return the rows with their sessions as they are stored: parsing them would only be to write them again."""
    part = comparison_key(query.q or "")
    return [
        {"id": entity_id, "name": name, "sessions": orjson.Fragment(sessions), "evidence_count": count, "key": key}
        for entity_id, name, key, sessions, count in registry.stored(
            sight, kind, part, query.session, _after(query.cursor)
        )[: query.limit + 1]
    ]


def _joined_rows(sight: Sight, kind: str, query: RegistryQuery) -> list[Row]:
    found = registry.entries(
        sight, kind, q=query.q or "", session=query.session, after=_after(query.cursor), limit=query.limit + 1
    )
    return [{**_line(line), "key": line.key} for line in found]


def _after(cursor: str | None) -> tuple[str, str] | None:
    key = ORDER.after(cursor)
    return None if key is None else (str(key[0]), str(key[1]))


def _entry(sight: Sight, kind: str, entity_id: str, query: EntryQuery) -> bytes:
    found = registry.entry(sight, kind, entity_id)
    said = transcripts.quotes(sight, found.evidence) if query.quotes else None
    return orjson.dumps(kept(_full(found, said), query.fields))


def _lines(sight: Sight, kind: str, query: EntryQuery) -> Iterator[bytes]:
    rows = iter(bulk.whole(sight, kind))
    while batch := list(islice(rows, BATCH)):
        cited = [one for row in batch for one in row.evidence]
        said = transcripts.quotes(sight, cited) if query.quotes else None
        yield b"".join(orjson.dumps(kept(_full(row, said), query.fields)) + b"\n" for row in batch)


def _line(line: Line) -> dict[str, object]:
    return {
        "id": line.entity_id,
        "name": line.name,
        "sessions": line.sessions,
        "evidence_count": line.evidence_count,
    }


def _full(found: Full, said: dict[Citation, str | None] | None) -> dict[str, object]:
    return {
        **_line(found),
        "evidence": cited_as(found.evidence, said),
        "other_ids": found.other_ids,
        "also_called": found.also_called,
    }


def cited_as(evidence: Iterable[Citation], said: dict[Citation, str | None] | None = None) -> list[Row]:
    """Return evidence as it is shown, with its words where `said` has them."""
    return [
        {
            "session": cited.session,
            "source_id": cited.source_id,
            "start_unit_id": cited.start_unit_id,
            "end_unit_id": cited.end_unit_id,
        }
        | ({} if said is None else {"quote": said.get(cited)})
        for cited in evidence
    ]


def paged(items: Sequence[Row], query: ListQuery, identity: Keyset) -> bytes:
    """Return a page of a list that is made as a whole, as `stretch` finds it."""
    shown, cursor = stretch(items, query, identity, lambda item: tuple(item[name] for name in identity.fields))
    return orjson.dumps(listing(shown, cursor))


def stretch(
    items: Sequence[Item], query: ListQuery, identity: Keyset, key_of: Callable[[Item], tuple[object, ...]]
) -> tuple[Sequence[Item], str | None]:
    """Return the items behind the one that the cursor names, and the cursor to go on with if there are more.

    Raises ActionError where that item is not there any more.
    """
    start, after = 0, identity.after(query.cursor)
    if after is not None:
        keys = [key_of(item) for item in items]
        if after not in keys:
            raise ActionError("What the cursor led on from is not there any more: start again without it.")
        start = keys.index(after) + 1
    end = start + query.limit
    return items[start:end], identity.cursor(key_of(items[end - 1])) if end < len(items) else None
