"""Find entries and units. Both databases find the same, in one order, which is this:

1. entries of the registries, as `names.found_entries` orders them;
2. units in which every word stands as it was typed, in the order of sessions and of the transcript;
3. units with other forms of the words, in the same order.

A page goes on where the one before ended, so nothing is counted and nothing is sorted: the index gives its rows in
this order. What the sight does not see is no hit, and neither is it counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeAlias

from django.utils.safestring import SafeString

from campaigns.errors import ActionError
from campaigns.library import stretches
from campaigns.library.names import Name, names
from campaigns.library.sight import Sight
from campaigns.library.spots import lines_at, withheld_spots
from campaigns.library.stretches import left_out_before, whole_position
from campaigns.library.transcripts import Line
from campaigns.search import cursors
from campaigns.search.backends import backend
from campaigns.search.cursors import AfterEntry, AfterUnit, Mark
from campaigns.search.names import NamedEntry, Suggestion, found_entries, suggestions
from campaigns.search.places import (
    MOST_SESSION,
    Stretch,
    campaign_of,
    campaign_stretch,
    place_of,
    session_and_position,
    session_stretch,
)
from campaigns.search.queries import Query, parse
from campaigns.search.rows import speaker_mark
from campaigns.search.snippets import snippet

Withheld: TypeAlias = "Mapping[int, Sequence[stretches.Stretch]]"
UNIT = "unit"
KINDS = ("npc", "item", "location", UNIT)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which hits are wanted; all of them where nothing is said. A speaker alone has units alone."""

    session: int | None = None
    speaker: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry or a unit. `snippet` is HTML: escaped words with <mark> around what was found."""

    kind: str
    snippet: SafeString
    name: str = ""
    entity_id: str | None = None
    sessions: Sequence[int] = ()
    session: int | None = None
    unit_id: int | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A page. `after` leads to the next one, None where there is none."""

    hits: Sequence[Hit]
    after: str | None
    suggestions: Sequence[Suggestion]


EVERYTHING = Filters()


def search(
    sight: Sight, query: str, filters: Filters = EVERYTHING, *, after: str | None = None, limit: int = 20
) -> Found:
    """Return a page of what the sight sees and the query finds; an empty query finds nothing.

    Raises ActionError for a query that is too long, a kind that there is not, and a cursor that was not given out.
    """
    if filters.kind and filters.kind not in KINDS:
        raise ActionError(f"The kind is one of: {', '.join(KINDS)}.")
    asked, start = parse(query), cursors.read(after)
    if not asked.terms:
        return Found((), None, ())
    book = [] if isinstance(start, AfterUnit) else names(sight)
    entries = _entries(book, asked, filters, start)
    found = chain(entries, _units(sight, asked, filters, start, limit + 1))
    page = list(islice(found, limit + 1))
    return Found(
        hits=[hit for _, hit in page[:limit]],
        after=cursors.written(page[limit - 1][0]) if len(page) > limit else None,
        suggestions=[] if entries or after else suggestions(book, query, asked),
    )


def _entries(book: Sequence[Name], query: Query, filters: Filters, start: Mark | None) -> list[tuple[Mark, Hit]]:
    if filters.kind == UNIT or filters.speaker:
        return []
    found = found_entries(book, query, kind=filters.kind, session=filters.session)
    marked = [(AfterEntry(*each.order), _entry(each, query)) for each in found]
    return [(mark, hit) for mark, hit in marked if start is None or mark > start]


def _entry(found: NamedEntry, query: Query) -> Hit:
    entry = found.entry
    text = entry.name if found.alias is None else f"{entry.name}, also called {found.alias}"
    return Hit(entry.kind, snippet(text, query), entry.name, entry.entity_id, entry.sessions)


def _units(sight: Sight, query: Query, filters: Filters, start: Mark | None, most: int) -> Iterator[tuple[Mark, Hit]]:
    """Yield units in their order, read from the index in portions of `most`."""
    whole = _stretch(sight, filters)
    if not sight.words or filters.kind not in ("", UNIT) or whole is None:
        return
    withheld = withheld_spots(sight)
    begin = start if isinstance(start, AfterUnit) else AfterUnit(False, whole.first - 1)
    # Without plain words there are no other forms of them.
    for later in (False, True) if query.plain else (False,):
        if later >= begin.later:
            first = max(whole.first, _whole_place(begin.place + 1, withheld)) if later == begin.later else whole.first
            asked = _Asked(sight, query, later, speaker_mark(filters.speaker), most)
            for stretch in _readable(Stretch(first, whole.last), withheld):
                for place, line in asked.lines(stretch):
                    yield AfterUnit(later, _seen_place(place, withheld)), _unit(place, line, query)


def _readable(whole: Stretch, withheld: Withheld) -> Iterator[Stretch]:
    """Yield the parts of the stretch in which nothing is withheld: the index is never asked for the rest.

    What is found and dropped afterwards could be told by the time it takes.
    """
    first, campaign = whole.first, campaign_of(whole.first)
    for number, hidden in sorted(withheld.items()):
        for one in hidden:
            begin, end = place_of(campaign, number, one.start), place_of(campaign, number, one.stop)
            if first < begin <= whole.last:
                yield Stretch(first, begin - 1)
            first = max(first, end)
    if first <= whole.last:
        yield Stretch(first, whole.last)


def _seen_place(place: int, withheld: Withheld) -> int:
    """Return the place as a cursor tells it: counted as if what is withheld before it were not there."""
    number, position = session_and_position(place)
    return place - left_out_before(position, withheld.get(number, ()))


def _whole_place(seen: int, withheld: Withheld) -> int:
    number, position = session_and_position(seen)
    return seen - position + whole_position(position, withheld.get(number, ()))


def _unit(place: int, line: Line, query: Query) -> Hit:
    session, _ = session_and_position(place)
    return Hit(UNIT, snippet(line.text, query), session=session, unit_id=line.unit_id, speaker=line.speaker)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Units of one rank, asked of the index in portions of `most`: whoever takes fewer asks no more than once."""

    sight: Sight
    query: Query
    later: bool
    speaker: str
    most: int

    def lines(self, stretch: Stretch) -> Iterator[tuple[int, Line]]:
        """Yield place and line of each unit in the stretch that the sight sees."""
        first, index = stretch.first, backend()
        while True:
            places = index.find(
                self.query,
                exactly=not self.later,
                speaker=self.speaker,
                stretch=Stretch(first, stretch.last),
                limit=self.most,
            )
            lines = lines_at(self.sight, [session_and_position(at) for at in places])
            for at in places:
                line = lines.get(session_and_position(at))
                if line is not None:
                    yield at, line
            if len(places) < self.most:
                return
            first = places[-1] + 1


def _stretch(sight: Sight, filters: Filters) -> Stretch | None:
    campaign = sight.campaign.pk
    if filters.session is None:
        return campaign_stretch(campaign, sight.as_of)
    unseen = sight.as_of is not None and filters.session > sight.as_of
    return None if unseen or not 0 <= filters.session <= MOST_SESSION else session_stretch(campaign, filters.session)
