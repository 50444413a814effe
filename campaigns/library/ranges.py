"""Passages of transcripts that are withheld from players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from campaigns.library.kept import KeptRange, kept_in
from campaigns.library.sight import Sight
from campaigns.library.stretches import Stretch, united
from campaigns.models import Campaign, Secret, Transcript, Unit
from extraction.source.carrying import Carrying, Fate

__all__ = ["Stretch", "withheld_from_players", "withheld_of"]


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
    sources = Transcript.objects.filter(session__campaign=campaign, source_id__in={one.source_id for one in ranges})
    chosen_in = {transcript.source_id: transcript for transcript in sources}
    return {
        transcript.pk: united(
            stretch
            for kept in ranges
            if kept.session_id == transcript.session_id
            and (stretch := _stretch(_Text.of(chosen_in.get(kept.source_id, transcript)), _Text.of(transcript), kept))
        )
        for transcript in transcripts
        if any(kept.session_id == transcript.session_id for kept in ranges)
    }


@dataclass(frozen=True, slots=True)
class _Text:
    """A transcript by what tells it from all others; its units are read when they are needed."""

    source_id: str
    digest: str
    transcript: Transcript = field(compare=False, repr=False)

    @classmethod
    def of(cls, transcript: Transcript) -> _Text:
        return cls(transcript.source_id, transcript.digest, transcript)

    def units(self) -> list[tuple[int, str]]:
        return list(Unit.objects.filter(transcript=self.transcript).order_by("position").values_list("unit_id", "text"))


@lru_cache(maxsize=512)
def _stretch(chosen_in: _Text, now: _Text, kept: KeptRange) -> Stretch | None:
    """Return where the passage stands now: from the first to the last place of any of its units or words."""
    after = now.units()
    places = {unit_id: at for at, (unit_id, _) in enumerate(after)}
    if chosen_in == now:
        return _hull([places[unit_id] for unit_id in (kept.start_unit_id, kept.end_unit_id) if unit_id in places])
    before = chosen_in.units()
    carrying = Carrying(before, after)
    ids = [unit_id for unit_id, _ in before]
    found: list[int] = []
    for unit_id in ids[ids.index(kept.start_unit_id) : ids.index(kept.end_unit_id) + 1]:
        landing = carrying.land(unit_id, unit_id)
        if landing.start_unit_id is None or landing.end_unit_id is None:
            continue
        first, last = places[landing.start_unit_id], places[landing.end_unit_id]
        # A unit that was reworded keeps its number; one that is gone stood between those around it.
        same = places.get(unit_id)
        found += [same] if landing.fate is Fate.LOST and same is not None and first <= same <= last else [first, last]
    return _hull(found)


def _hull(places: list[int]) -> Stretch | None:
    return Stretch(min(places), max(places) + 1) if places else None
