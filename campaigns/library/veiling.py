"""The players' edition of a campaign, worked out from what is stored: its registries, and any approved artifact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import orjson

from campaigns.library.kept import Kept, KeptRecord, kept_of
from campaigns.library.pages import Page
from campaigns.library.ranges import standing_in, withheld_from_players
from campaigns.library.seen import seen_count, seen_digest
from campaigns.library.sources import KINDS, read_chosen, versions_of
from campaigns.library.stretches import Stretch
from campaigns.library.veil import Telling, Veil, veiled
from campaigns.library.veiled import Names, Players
from campaigns.models import ArtifactVersion, Campaign, Transcript, Unit
from campaigns.redaction import records_key
from extraction.canonical import canonical_json


def veiling_for(campaign: Campaign, as_of: int | None = None) -> Veiling | None:
    """Return the players' edition, of the sessions up to `as_of`; None where nothing is kept: then it is the GM's."""
    kept = kept_of(campaign)
    return Veiling(campaign, kept, as_of) if kept else None


class Veiling:
    """Reads what it needs when it is needed: all registries at once, a transcript only where a secret touches it."""

    def __init__(self, campaign: Campaign, kept: Kept, as_of: int | None = None) -> None:
        self._campaign, self._kept, self._as_of = campaign, kept, as_of
        self._players: dict[tuple[int, int], Players] = {}

    @cached_property
    def veil(self) -> Veil:
        """Return all registries as players may know them."""
        return veiled({kind: self._telling(kind) for kind in KINDS}, self._kept, self._keeps)

    def payload(self, version: ArtifactVersion) -> tuple[str, int]:
        """Return the version's canonical JSON as players may read it, and how many records it has."""
        payload: dict[str, Any] = orjson.loads(version.payload)
        key = records_key(payload)
        shown = self._players_of(version).shown(_family(version), payload[key])
        source = self._sources.get(version.transcript_id, payload["source"])
        if shown == payload[key] and source == payload["source"]:
            return version.payload, len(shown)
        return canonical_json({**payload, key: shown, "source": source}).decode(), len(shown)

    def count(self, version: ArtifactVersion) -> int:
        """Return how many records of the version players may know of."""
        payload: dict[str, Any] = orjson.loads(version.payload)
        return self._players_of(version).count(_family(version), payload[records_key(payload)])

    @cached_property
    def _sources(self) -> Mapping[int, Mapping[str, str | int]]:
        """Return by transcript what artifacts say of it, where something of it is withheld: what players see of it."""
        return {
            pk: {
                "source_id": transcript.source_id,
                "digest": seen_digest(transcript, stretches),
                "unit_count": seen_count(transcript, stretches),
            }
            for pk, (transcript, stretches) in self._hidden.items()
        }

    def _players_of(self, version: ArtifactVersion) -> Players:
        at = (version.artifact.session_id, version.transcript_id)
        if at not in self._players:
            self._players[at] = Players(self.veil, at[0], self._page(at[1]), self._names)
        return self._players[at]

    @cached_property
    def _names(self) -> Names:
        return Names(self.veil)

    @cached_property
    def _transcripts(self) -> Mapping[int, Transcript]:
        return Transcript.objects.filter(session__campaign=self._campaign).in_bulk()

    def _transcript(self, pk: int) -> Transcript:
        # One that came since they were read is asked for by itself.
        return self._transcripts.get(pk) or Transcript.objects.get(pk=pk)

    def _telling(self, kind: str) -> Telling:
        rows = versions_of(self._campaign, kind, self._as_of)
        current, earlier = read_chosen(self._campaign, kind, rows.approved(), self._as_of)
        others = rows.exclude(state=ArtifactVersion.State.APPROVED)
        told = others.values_list("artifact__session_id", "created_at", "consolidations")
        elsewhere = [
            (session_id, made_at, group) for session_id, made_at, found in told for group in found.get("applied", ())
        ]
        return Telling(current, earlier, elsewhere)

    @cached_property
    def _hidden(self) -> Mapping[int, tuple[Transcript, Sequence[Stretch]]]:
        """Return the transcripts of which something is withheld, and what."""
        if not self._kept.ranges:
            return {}
        sessions = {kept.session_id for kept in self._kept.ranges}
        transcripts = {pk: one for pk, one in self._transcripts.items() if one.session_id in sessions}
        hidden = withheld_from_players(self._campaign, transcripts.values())
        return {pk: (transcripts[pk], stretches) for pk, stretches in hidden.items() if stretches}

    @cached_property
    def _withheld(self) -> Mapping[str, Page]:
        """Return the pages of which something is withheld, by source id."""
        return {one.source_id: self._page(pk, stretches) for pk, (one, stretches) in self._hidden.items()}

    def _keeps(self, ref: Mapping[str, Any]) -> bool:
        page = self._withheld.get(ref["source_id"])
        return page is None or page.keeps(ref)

    def _page(self, transcript_id: int, withheld: Sequence[Any] | None = None) -> Page:
        if withheld is None and self._kept.ranges:
            known = self._withheld.get(self._transcript(transcript_id).source_id)
            if known is not None:
                return known
        units = Unit.objects.filter(transcript=transcript_id).order_by("position").values_list("unit_id", "text")
        return Page(lambda: list(units), withheld or (), self._standing(transcript_id))

    def _standing(self, transcript_id: int) -> Mapping[KeptRecord, frozenset[Stretch]]:
        """Return where in the transcript stands what was kept in another revision of it."""
        transcript = self._transcript(transcript_id)
        mine = (kept for kept in self._kept.occurrences if kept.session_id == transcript.session_id)
        records = [record for kept in mine for record in kept.records]
        return standing_in(records, transcript) if records else {}


def _family(version: ArtifactVersion) -> str:
    return version.artifact.lane.rpartition("/")[2]
