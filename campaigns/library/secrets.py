"""What is kept from players, for those who keep it: marks on what game masters see, and the list of a campaign."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from campaigns.library.editions import records_of
from campaigns.library.kept import SUBJECTS, Kept, kept_of
from campaigns.library.pages import Page
from campaigns.library.ranges import passages_in, standing_in
from campaigns.library.sight import Sight
from campaigns.library.veiled import bound_records
from campaigns.models import ArtifactVersion, Campaign, Secret, Transcript, Unit


@dataclass(frozen=True, slots=True)
class Marks:
    """The unrevealed secrets of a campaign, to be asked what of it they keep. Each answer is a secret's pk or None."""

    campaign: Campaign
    kept: Kept

    def entry(self, kind: str, entity_id: str) -> int | None:
        return next((one.pk for one in self.kept.entries if one.kind == kind and entity_id in one.ids), None)

    def merge(self, kind: str, entity_id: str, other_ids: tuple[str, ...] | list[str] = ()) -> int | None:
        """Say what keeps apart what is merged under these ids."""
        ids = {entity_id, *other_ids}
        found = (one for one in self.kept.merges if one.kind == kind)
        return next((one.pk for one in found if sum(bool(member.ids & ids) for member in one.members) > 1), None)

    def record(self, version: ArtifactVersion, number: int) -> int | None:
        """Say what keeps this record of the version for itself, however it is told there."""
        artifact = version.artifact
        at = (artifact.session_id, artifact.lane.rpartition("/")[2])
        kept = [one for one in self.kept.occurrences if (one.session_id, one.family) == at]
        if not kept:
            return None
        records = records_of(orjson.loads(version.payload))
        # A review also shows a record that lacks a field, which no secret is about.
        whole = [one for one in records if one.keys() >= {"source_refs", *SUBJECTS[at[1]]}]
        units = Unit.objects.filter(transcript=version.transcript_id).order_by("position")
        told = standing_in([telling for one in kept for telling in one.records], version.transcript)
        # What the units say is not asked for: a record is bound by where it cites.
        page = Page(lambda: [(unit_id, "") for unit_id in units.values_list("unit_id", flat=True)], standing=told)
        return next((one.pk for one in kept if records[number] in bound_records(one, whole, page)), None)

    def ranges(self, session: int) -> list[tuple[int, int, int]]:
        """Return first unit, last unit and pk of each kept passage as it stands in the session's newest transcript."""
        if not self.kept.ranges:
            return []
        rows = Transcript.objects.filter(session__campaign=self.campaign, session__number=session)
        newest = rows.order_by("-revision").first()
        if newest is None:
            return []
        found = passages_in(self.kept.ranges, newest)
        ends = {at for _, stretch in found for at in (stretch.start, stretch.stop - 1)}
        units = Unit.objects.filter(transcript=newest, position__in=ends)
        names = dict(units.values_list("position", "unit_id"))
        return [(names[stretch.start], names[stretch.stop - 1], one.pk) for one, stretch in found]


def marks(sight: Sight) -> Marks:
    """Return the marks; nothing is marked for a sight of the players' edition."""
    if sight.is_player:
        return Marks(sight.campaign, Kept())
    return Marks(sight.campaign, kept_of(sight.campaign))


def secrets_of(sight: Sight) -> list[Secret]:
    """Return the campaign's secrets, the newest first, those that are revealed among them; none for players."""
    if sight.is_player:
        return []
    rows = Secret.objects.filter(campaign=sight.campaign)
    return list(rows.select_related("session", "hidden_by", "revealed_by").order_by("-pk"))
