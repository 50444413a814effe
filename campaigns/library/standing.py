"""Where the lines that were cited of an earlier revision stand in the newest one: what is linked to, and added up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from campaigns.carried import Way
from campaigns.joining import Citation
from campaigns.library.ranges import withheld_of
from campaigns.library.sight import Sight
from campaigns.library.stretches import Stretch
from campaigns.library.transcripts import newest_of, quotes
from campaigns.models import Transcript, Unit
from extraction.source.carrying import Fate


@dataclass(frozen=True)
class Standing:
    """A session's newest transcript with the ways into it. `newest` is None for those without words, and before any.

    Words that now stand in a line which is `withheld` are lost: a correction may have joined them to what is kept.
    """

    newest: Transcript | None
    withheld: Sequence[Stretch] = ()
    _ways: dict[str, Way | None] = field(default_factory=dict)

    def now(self, source_id: str, start: int, end: int) -> tuple[int, int] | None:
        """Return the units that hold the cited words now, of a range that was partly reworded the first that stand.

        None where all of them are lost.
        """
        return next(iter(self._standing(source_id, start, end)), None)

    def citations(self, ref: Citation) -> list[Citation]:
        """Return the citations of the newest revision that cite the same words: none where all of them are lost."""
        found = self._standing(ref.source_id, ref.start_unit_id, ref.end_unit_id)
        source_id = "" if self.newest is None else self.newest.source_id
        return [replace(ref, source_id=source_id, start_unit_id=start, end_unit_id=end) for start, end in found]

    def reworded(self, ref: Citation) -> bool:
        """Say whether some of the cited words are not in the newest revision; nobody without words is told."""
        if self.newest is None or ref.source_id == self.newest.source_id:
            return False
        way = self._way(self.newest, ref.source_id)
        if way is None:
            return True
        parts = way.parts(ref.start_unit_id, ref.end_unit_id)
        landed = way.standing(ref.start_unit_id, ref.end_unit_id)
        return any(part.landing.fate is Fate.LOST for part in parts) or self._seen(landed) != landed

    def _standing(self, source_id: str, start: int, end: int) -> list[tuple[int, int]]:
        if self.newest is None or source_id == self.newest.source_id:
            return [] if self.newest is None else [(start, end)]
        way = self._way(self.newest, source_id)
        return [] if way is None else self._seen(way.standing(start, end))

    def _seen(self, landed: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return those of these units of the newest transcript that hold nothing withheld."""
        if not self.withheld or not landed:
            return landed
        places = self._places
        return [
            (start, end)
            for start, end in landed
            if not any(one.meets(range(places[start], places[end] + 1)) for one in self.withheld)
        ]

    @cached_property
    def _places(self) -> Mapping[int, int]:
        rows = Unit.objects.filter(transcript=self.newest)
        return dict(rows.values_list("unit_id", "position"))

    def _way(self, newest: Transcript, source_id: str) -> Way | None:
        if source_id not in self._ways:
            before = Transcript.objects.filter(session=newest.session_id, source_id=source_id).first()
            self._ways[source_id] = None if before is None else Way.between(before, newest)
        return self._ways[source_id]


def standing_of(sight: Sight, number: int) -> Standing:
    """Return how citations of the session are found in its newest transcript; NotFound where there is no session."""
    newest = newest_of(sight, number) if sight.words else None
    return Standing(newest, () if newest is None else withheld_of(sight, [newest]).get(newest.pk, ()))


def unmoved(sight: Sight, said: Mapping[Citation, str | None]) -> frozenset[Citation]:
    """Return those quotes that the newest revision of their session has under the same numbers, word by word.

    Of many sessions at once: to find what has moved, each would have to be read as a whole.
    """
    quoted = [ref for ref, text in said.items() if text is not None]
    newest = _newest_sources(ref.session_id for ref in quoted)
    now = {ref: replace(ref, source_id=newest[ref.session_id]) for ref in quoted if ref.session_id in newest}
    words = quotes(sight, [there for ref, there in now.items() if there != ref])
    return frozenset(ref for ref, there in now.items() if there == ref or words[there] == said[ref])


def _newest_sources(session_ids: Iterable[int]) -> Mapping[int, str]:
    rows = Transcript.objects.filter(session__in=set(session_ids)).order_by("revision")
    return dict(rows.values_list("session_id", "source_id"))
