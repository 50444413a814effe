"""A campaign leaves with everything of it: what that is can be seen before, and nothing of it stays after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Model, QuerySet

from campaigns.actions import audit, exports
from campaigns.actions.locking import lock_campaign
from campaigns.adapters import uploads
from campaigns.committing import after_commit
from campaigns.errors import ActionError
from campaigns.keeping import erasing
from campaigns.models import (
    ArtifactVersion,
    Campaign,
    Checkpoint,
    Decision,
    Exchange,
    Run,
    Transcript,
    Unit,
)
from campaigns.search.backends import backend
from campaigns.search.places import campaign_stretch

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def contents(campaign: Campaign) -> Mapping[str, int]:
    """Return what would go, by words that a person knows."""
    parts: Mapping[str, QuerySet[Model]] = {
        "sessions": campaign.sessions.all(),
        "transcript revisions": Transcript.objects.filter(session__campaign=campaign),
        "lines": Unit.objects.filter(transcript__session__campaign=campaign),
        "artifact versions": ArtifactVersion.objects.filter(artifact__session__campaign=campaign),
        "decisions": Decision.objects.filter(session__campaign=campaign),
        "runs": Run.objects.filter(session__campaign=campaign),
        "recorded exchanges": Exchange.objects.filter(lane__run__session__campaign=campaign),
        "checkpoints": Checkpoint.objects.filter(session__campaign=campaign),
        "secrets": campaign.secrets.all(),
        "members": campaign.memberships.all(),
        "exports": campaign.exports.all(),
    }
    return {name: rows.count() for name, rows in parts.items()}


@transaction.atomic
def remove_campaign(*, campaign: Campaign, confirmed: str, by: User | None) -> None:
    """Delete the campaign and everything of it: rows, what searches find, and the files of its exports and uploads.

    What stays is the audit, which holds ids and counts. Raises ActionError where `confirmed` is not the campaign's
    slug, Conflict while a run of it has not ended.
    """
    locked = lock_campaign(campaign.pk, to_remove=True)
    if confirmed != locked.slug:
        raise ActionError("Write the campaign's short name exactly as it stands, to confirm.")
    counts = contents(locked)
    audit.record(
        by=by,
        act="campaign.remove",
        subject=locked,
        campaign=locked,
        **{name.replace(" ", "_"): count for name, count in counts.items()},
    )
    exports.discard_all(campaign=locked)
    after_commit(uploads.discard_all, campaign_id=locked.pk)
    backend().remove(campaign_stretch(locked.pk))
    locked.delete()
    erasing.erase_deleted()
