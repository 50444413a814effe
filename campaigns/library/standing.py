"""Where the lines that were cited of an earlier revision stand in the newest one: what is linked to, and added up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from campaigns.carried import Way
from campaigns.joining import Citation
from campaigns.library.sight import Sight
from campaigns.library.transcripts import newest_of, quotes
from campaigns.models import Transcript
from extraction.source.carrying import Fate


@dataclass(frozen=True, slots=True)
class Standing:
    """A session's newest transcript with the ways into it. `newest` is None for those without words, and before any."""

    newest: Transcript | None
    _ways: dict[str, Way | None] = field(default_factory=dict)

    def now(self, source_id: str, start: int, end: int) -> tuple[int, int] | None:
        """Return the units that hold the cited words now; None where any word of them is lost."""
        if self.newest is None or source_id == self.newest.source_id:
            return None if self.newest is None else (start, end)
        way = self._way(self.newest, source_id)
        if way is None:
            return None
        landing = way.carrying.land(start, end)
        first, last = landing.start_unit_id, landing.end_unit_id
        return None if landing.fate is Fate.LOST or first is None or last is None else (first, last)

    def citation(self, ref: Citation) -> Citation | None:
        """Return the citation of the newest revision that cites the same words; None where there is none."""
        found = self.now(ref.source_id, ref.start_unit_id, ref.end_unit_id)
        if found is None or self.newest is None:
            return None
        return replace(ref, source_id=self.newest.source_id, start_unit_id=found[0], end_unit_id=found[1])

    def _way(self, newest: Transcript, source_id: str) -> Way | None:
        if source_id not in self._ways:
            before = Transcript.objects.filter(session=newest.session_id, source_id=source_id).first()
            self._ways[source_id] = None if before is None else Way.between(before, newest)
        return self._ways[source_id]


def standing_of(sight: Sight, number: int) -> Standing:
    """Return how citations of the session are found in its newest transcript; NotFound where there is no session."""
    return Standing(newest_of(sight, number) if sight.words else None)


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
