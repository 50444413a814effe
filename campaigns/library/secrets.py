"""What is kept from players, for those who keep it: marks on what game masters see, and the list of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.library.kept import SUBJECTS, Kept, kept_of, ranges_of, subject_of
from campaigns.library.sight import Sight
from campaigns.models import Secret


@dataclass(frozen=True, slots=True)
class Marks:
    """The unrevealed secrets of a campaign, to be asked what of it they keep. Each answer is a secret's pk or None."""

    kept: Kept
    sessions: Mapping[int, int]

    def entry(self, kind: str, entity_id: str) -> int | None:
        return next((one.pk for one in self.kept.entries if one.kind == kind and entity_id in one.ids), None)

    def merge(self, kind: str, entity_id: str, other_ids: tuple[str, ...] | list[str] = ()) -> int | None:
        """Say what keeps apart what is merged under these ids."""
        ids = {entity_id, *other_ids}
        found = (one for one in self.kept.merges if one.kind == kind)
        return next((one.pk for one in found if sum(bool(member.ids & ids) for member in one.members) > 1), None)

    def record(self, session: int, family: str, record: Mapping[str, Any]) -> int | None:
        """Say what keeps this very record."""
        if family not in SUBJECTS:
            return None
        subject, refs = subject_of(family, record), ranges_of(record)
        mine = (one for one in self.kept.occurrences if self.sessions.get(one.session_id) == session)
        wanted = (family, subject, refs)
        return next((one.pk for one in mine if (one.family, one.subject, one.refs) == wanted), None)

    def ranges(self, session: int) -> list[tuple[int, int, int]]:
        """Return first unit, last unit and pk of each passage of the session that is kept."""
        return [
            (one.start_unit_id, one.end_unit_id, one.pk)
            for one in self.kept.ranges
            if self.sessions.get(one.session_id) == session
        ]


def marks(sight: Sight) -> Marks:
    """Return the marks; nothing is marked for a sight of the players' edition."""
    if sight.is_player:
        return Marks(Kept(), {})
    return Marks(kept_of(sight.campaign), dict(sight.campaign.sessions.values_list("pk", "number")))


def secrets_of(sight: Sight) -> list[Secret]:
    """Return the campaign's secrets, the newest first, those that are revealed among them; none for players."""
    if sight.is_player:
        return []
    rows = Secret.objects.filter(campaign=sight.campaign)
    return list(rows.select_related("session", "hidden_by", "revealed_by").order_by("-pk"))
