"""Passages of transcripts that are withheld from players, and where cited lines stand in another revision."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

from campaigns.library.kept import KeptRange, KeptRecord, kept_in
from campaigns.library.sight import Sight
from campaigns.library.stretches import Stretch, united
from campaigns.models import Campaign, Secret, Transcript, Unit
from extraction.source.carrying import NOWHERE, Named, Place, aligned

__all__ = ["Stretch", "passages_in", "standing_in", "withheld_from_players", "withheld_of"]


def withheld_of(sight: Sight, transcripts: Iterable[Transcript]) -> Mapping[int, list[Stretch]]:
    """Return by transcript the stretches that this sight must not read, in order and apart from each other."""
    if not sight.is_player:
        return {}
    asked = list(transcripts)
    place = (Stretch, *(transcript.pk for transcript in asked))
    if place not in sight.memo:
        sight.memo[place] = withheld_from_players(sight.campaign, asked)
    found: Mapping[int, list[Stretch]] = sight.memo[place]
    return found


def withheld_from_players(campaign: Campaign, transcripts: Iterable[Transcript]) -> Mapping[int, list[Stretch]]:
    """Return by transcript the stretches that are kept from players.

    A passage was chosen in one revision of a transcript. In another one it is where its units and their words are.
    """
    rows = Secret.objects.filter(campaign=campaign, kind=Secret.Kind.RANGE, revealed_at=None)
    ranges = kept_in(list(rows.order_by("pk"))).ranges
    if not ranges:
        return {}
    chosen_in = _sources(one.source_id for one in ranges)
    return {
        transcript.pk: united(stretch for _, stretch in _passages(ranges, chosen_in, transcript))
        for transcript in transcripts
        if any(kept.session_id == transcript.session_id for kept in ranges)
    }


def passages_in(ranges: Sequence[KeptRange], transcript: Transcript) -> list[tuple[KeptRange, Stretch]]:
    """Return each kept passage of the transcript's session with where it stands there, but for those that are gone."""
    return list(_passages(ranges, _sources(one.source_id for one in ranges), transcript))


def standing_in(records: Iterable[KeptRecord], transcript: Transcript) -> Mapping[KeptRecord, frozenset[Stretch]]:
    """Return where the lines stand here that each record cites of another revision of the transcript."""
    told = [record for record in records if record.source_id != transcript.source_id]
    cited_in = _sources(record.source_id for record in told)
    now = _Text.of(transcript)
    return {
        record: frozenset(stretch for ref in record.refs for stretch in _stretches(_Text.of(source), now, *ref))
        for record in told
        if (source := cited_in.get(record.source_id)) and source.session_id == transcript.session_id
    }


def _sources(source_ids: Iterable[str]) -> Mapping[str, Transcript]:
    wanted = set(source_ids)
    found = Transcript.objects.filter(source_id__in=wanted) if wanted else ()
    return {transcript.source_id: transcript for transcript in found}


def _passages(
    ranges: Iterable[KeptRange], chosen_in: Mapping[str, Transcript], transcript: Transcript
) -> Iterable[tuple[KeptRange, Stretch]]:
    now = _Text.of(transcript)
    for kept in ranges:
        if kept.session_id == transcript.session_id:
            source = _Text.of(chosen_in.get(kept.source_id, transcript))
            for stretch in _stretches(source, now, kept.start_unit_id, kept.end_unit_id):
                yield kept, stretch


@dataclass(frozen=True, slots=True)
class _Text:
    """A transcript by what tells it from all others; its units are read when they are needed."""

    pk: int
    source_id: str
    digest: str

    @classmethod
    def of(cls, transcript: Transcript) -> _Text:
        return cls(transcript.pk, transcript.source_id, transcript.digest)

    def units(self) -> list[Named]:
        return list(Unit.objects.filter(transcript=self.pk).order_by("position").values_list("unit_id", "text"))


@lru_cache(maxsize=512)
def _stretches(chosen_in: _Text, now: _Text, start_unit_id: int, end_unit_id: int) -> tuple[Stretch, ...]:
    """Return where the lines stand now: from the first to the last place of any of their units or words.

    What was moved to elsewhere is there too. Nothing where they do not resolve, and where nothing took their place.
    """
    return _way(chosen_in, now).stretches(start_unit_id, end_unit_id)


@lru_cache(maxsize=8)
def _way(chosen_in: _Text, now: _Text) -> _Way:
    return _Way(chosen_in.units(), now.units())


class _Way:
    """From one revision into another: like `Carrying`, but careful with what is lost, for it may be a secret.

    It outlives the request, so it holds positions and unit ids and no words, which somebody may withdraw.
    """

    def __init__(self, before: Sequence[Named], after: Sequence[Named]) -> None:
        self._ids = array("q", (unit_id for unit_id, _ in before))
        self._ids_now = array("q", (unit_id for unit_id, _ in after))
        self._at = {unit_id: at for at, unit_id in enumerate(self._ids)}
        self._places: list[Place | None] = aligned([text for _, text in before], [text for _, text in after])
        found = [place is not None for place in self._places]
        self._astray = self._moved(before, after)
        self._alone = frozenset(at for at in self._beside_lost() if self._is_alone(at, before, after))
        # The nearest unit that was found, before each one and behind it.
        self._left = list(accumulate((at if known else NOWHERE for at, known in enumerate(found)), max))
        behind = (at if found[at] else len(found) for at in reversed(range(len(found))))
        self._right = list(accumulate(behind, min))[::-1]

    def stretches(self, start_unit_id: int, end_unit_id: int) -> tuple[Stretch, ...]:
        first, last = self._at.get(start_unit_id), self._at.get(end_unit_id)
        if first is None or last is None:
            return ()
        units = range(first, last + 1)
        astray = [Stretch(there, there + 1) for at in units for there in self._astray.get(at, ())]
        return tuple(united([*_hull([self._now(at) for at in units]), *astray]))

    def _moved(self, before: Sequence[Named], after: Sequence[Named]) -> Mapping[int, Sequence[int]]:
        """Return by lost unit the lines with its text that nothing was found in: it may have moved out of its order."""
        claimed = {at for place in self._places if place is not None for at in range(place[0], place[1] + 1)}
        unclaimed: dict[str, list[int]] = {}
        for at, (_, text) in enumerate(after):
            if at not in claimed:
                unclaimed.setdefault(text, []).append(at)
        lost = (at for at, place in enumerate(self._places) if place is None)
        return {at: unclaimed[before[at][1]] for at in lost if before[at][1] in unclaimed}

    def _now(self, at: int) -> range:
        """Return the positions of the unit's words; of a lost unit, all that may have taken its place.

        A unit that was reworded keeps its number. That it is the same one is believed only where it also stands as
        far from the lines around it as before, and where those are found.
        """
        place = self._places[at]
        if place is not None:
            return range(place[0], place[1] + 1)
        left, right = self._left[at], self._right[at]
        gap = range(self._after_left(left), self._before_right(right))
        there = gap.start + at - left - 1
        fits = left in self._alone and right in self._alone and len(gap) == right - left - 1
        return range(there, there + 1) if fits and self._ids_now[there] == self._ids[at] else gap

    def _after_left(self, left: int) -> int:
        place = self._places[left] if left != NOWHERE else None
        return 0 if place is None else place[1] + (left in self._alone)

    def _before_right(self, right: int) -> int:
        place = self._places[right] if right < len(self._places) else None
        return len(self._ids_now) if place is None else place[0] + (right not in self._alone)

    def _beside_lost(self) -> Iterator[int]:
        """Yield the units that were found next to ones that were not."""
        for at, (one, other) in enumerate(pairwise(self._places)):
            if (one is None) != (other is None):
                yield at + (one is None)

    def _is_alone(self, at: int, before: Sequence[Named], after: Sequence[Named]) -> bool:
        """Say whether the lines that hold the unit's words hold no others: those might be of what is lost."""
        first, last = self._places[at] or (0, NOWHERE)
        said = [word for _, text in after[first : last + 1] for word in text.split()]
        return said == before[at][1].split()


def _hull(places: Iterable[range]) -> list[Stretch]:
    found = [place for place in places if place]
    return [Stretch(min(place.start for place in found), max(place.stop for place in found))] if found else []
