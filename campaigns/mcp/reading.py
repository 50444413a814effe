"""What the tools answer: the library's and the search's answers, bounded, in the sight of the token's user."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping

from campaigns.access import Actor, Need, visible_campaigns
from campaigns.errors import ActionError
from campaigns.joining import Citation
from campaigns.library import artifacts, changes, occurrences, registry, sessions, transcripts
from campaigns.library.sight import Sight, sight_of
from campaigns.library.sources import KINDS
from campaigns.mcp.answers import (
    CampaignLine,
    Campaigns,
    ChangeLine,
    Changes,
    Entry,
    Hit,
    Hits,
    OccurrenceLine,
    Occurrences,
    Present,
    Quote,
    Scene,
    Session,
    Sessions,
    SessionSummary,
    Transcript,
    UnitLine,
    WhoIs,
)
from campaigns.search.finding import Filters, search

MOST_CAMPAIGNS = 200
MOST_ENTRIES = 3
MOST_QUOTES = 20
MOST_SIGNS = 1_200
MOST_UNITS = 200
MOST_LISTED = 100


def campaigns(actor: Actor) -> Campaigns:
    """Return the campaigns that the token's user sees."""
    rows = visible_campaigns(actor).order_by("name", "pk").values_list("slug", "name", "public")[:MOST_CAMPAIGNS]
    return Campaigns(campaigns=[CampaignLine(slug=slug, name=name, public=public) for slug, name, public in rows])


def who_is(actor: Actor, campaign: str, name: str, quotes: int) -> WhoIs:
    """Return who or what is called so, each with its first quotes."""
    sight = sight_of(actor, campaign)
    found = search(sight, name, limit=MOST_LISTED)
    named = [(hit.kind, hit.entity_id) for hit in found.hits if hit.entity_id is not None][:MOST_ENTRIES]
    return WhoIs(
        entries=[_entry(sight, kind, entity_id, quotes) for kind, entity_id in named],
        did_you_mean=[each.name for each in found.suggestions],
    )


def entry(actor: Actor, campaign: str, kind: str, entity_id: str, quotes: int) -> Entry:
    """Return one entry by its id, or by one that it has taken the place of."""
    return _entry(sight_of(actor, campaign), _kind(kind), entity_id, quotes)


def find(actor: Actor, campaign: str, query: str, kind: str, session: int | None, cursor: str | None) -> Hits:
    """Return entries and lines that have these words."""
    found = search(sight_of(actor, campaign), query, Filters(session=session, kind=kind), after=cursor)
    return Hits(
        hits=[
            Hit(
                kind=hit.kind,
                name=hit.name,
                id=hit.entity_id,
                session=hit.session,
                unit_id=hit.unit_id,
                speaker=hit.speaker,
                snippet=_plain(hit.snippet),
            )
            for hit in found.hits
        ],
        did_you_mean=[each.name for each in found.suggestions],
        next_cursor=found.after,
    )


def places_of(actor: Actor, campaign: str, kind: str, entity_id: str, quotes: int) -> Occurrences:
    """Return where the entry occurs, in the order of the story."""
    sight = sight_of(actor, campaign)
    name = registry.entry(sight, _kind(kind), entity_id).name
    found = occurrences.places_of(sight, kind, entity_id)
    shown = occurrences.occurrences_at(sight, found[:MOST_LISTED])
    words = transcripts.quotes(sight, [ref for each in shown for ref in each.refs][: _bounded(quotes)])
    lines = [
        OccurrenceLine(
            session=each.session,
            kind=each.kind,
            detail=each.detail,
            actor=each.actor,
            recipient=each.recipient,
            scene=each.scene,
            evidence=[_quote(ref, words) for ref in each.refs],
        )
        for each in shown
    ]
    return Occurrences(name=name, total=len(found), occurrences=lines)


def evenings(actor: Actor, campaign: str) -> Sessions:
    """Return the campaign's sessions."""
    return Sessions(sessions=[_session(line) for line in sessions.sessions(sight_of(actor, campaign))[-MOST_LISTED:]])


def summary(actor: Actor, campaign: str, number: int) -> SessionSummary:
    """Return a session's outline and who was there."""
    sight = sight_of(actor, campaign)
    line = sessions.session(sight, number)
    scenes = [
        Scene(index=at, **{name: scene[name] for name in ("title", "primary_mode", "start_unit_id", "end_unit_id")})
        for at, scene in enumerate(artifacts.records(sight, number, "scenes")[:MOST_LISTED])
    ]
    told = artifacts.records(sight, number, "npc-occurrences")
    counted = Counter((record["name"], record["npc_id"]) for record in told)
    people = [Present(name=name, id=npc_id, times=times) for (name, npc_id), times in counted.most_common(MOST_LISTED)]
    return SessionSummary(**_session(line).model_dump(), scenes=scenes, people=people)


def stretch(
    actor: Actor, campaign: str, number: int, start: int | None, end: int | None, after: int | None, limit: int
) -> Transcript:
    """Return lines of a transcript, for those who may read it."""
    sight = sight_of(actor, campaign, need=Need.READ)
    most = max(1, min(limit, MOST_UNITS))
    try:
        found = transcripts.reading(sight, number, start_unit=start, end_unit=end, after_position=after, limit=most)
    except transcripts.BackToFront as error:
        raise ActionError("start_unit_id stands after end_unit_id in this transcript.") from error
    return Transcript(
        source_id=found.source_id,
        unit_count=found.unit_count,
        units=[UnitLine(unit_id=line.unit_id, speaker=line.speaker, text=_cut(line.text)) for line in found.lines],
        next_position=found.lines[-1].position if len(found.lines) == most else None,
    )


def news(actor: Actor, campaign: str, after: int) -> Changes:
    """Return what became of people, items and places after that change."""
    rows = changes.changes(sight_of(actor, campaign), after=after, limit=MOST_LISTED)
    told = [
        ChangeLine(
            number=row.number,
            at=row.at,
            change=row.change,
            kind=row.kind,
            id=row.entity_id,
            name=row.name,
            was=row.was,
            superseded_by=row.superseded_by,
        )
        for row in rows
    ]
    return Changes(changes=told, next_after=rows[-1].number if rows else after)


def _entry(sight: Sight, kind: str, entity_id: str, quotes: int) -> Entry:
    found = registry.entry(sight, kind, entity_id)
    cited = found.evidence[: _bounded(quotes)]
    words = transcripts.quotes(sight, cited)
    return Entry(
        kind=kind,
        id=found.entity_id,
        name=found.name,
        also_called=found.also_called,
        sessions=found.sessions,
        evidence_count=found.evidence_count,
        evidence=[_quote(each, words) for each in cited],
    )


def _quote(cited: Citation, words: Mapping[Citation, str | None]) -> Quote:
    text = words.get(cited)
    return Quote(
        session=cited.session,
        source_id=cited.source_id,
        start_unit_id=cited.start_unit_id,
        end_unit_id=cited.end_unit_id,
        text=None if text is None else _cut(text),
        shortened=text is not None and len(text) > MOST_SIGNS,
    )


def _session(line: sessions.SessionLine) -> Session:
    return Session(
        number=line.number, title=line.title, unit_count=line.unit_count, records=dict(sorted(line.families.items()))
    )


def _kind(kind: str) -> str:
    if kind not in KINDS:
        raise ActionError(f"The kind is one of: {', '.join(KINDS)}.")
    return kind


def _bounded(quotes: int) -> int:
    return max(0, min(quotes, MOST_QUOTES))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SIGNS else text[: MOST_SIGNS - 1] + "…"


def _plain(snippet: str) -> str:
    """Return a snippet of the search as text: it is HTML with marks around what was found."""
    return html.unescape(re.sub(r"</?mark>", "", snippet))
