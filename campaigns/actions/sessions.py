"""Game sessions: removed with everything that was made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from campaigns.actions import audit, exports, idempotency, players, registry
from campaigns.actions.locking import lock_session
from campaigns.adapters import uploads
from campaigns.committing import after_commit
from campaigns.errors import NotFound
from campaigns.keeping import erasing
from campaigns.library.sources import kind_of
from campaigns.models import ArtifactVersion, GameSession, Run, Unit
from campaigns.search.index import forget
from extraction.codes import Code

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def unfinished_runs(session: GameSession) -> list[Run]:
    """Return the runs that wait or are at work: they stand in the way of removing the session."""
    return list(session.runs.filter(state__in=Run.UNENDED))


@transaction.atomic
def remove(*, session_id: int, by: User | None) -> None:
    """Delete the session with its transcripts, runs, artifacts and decisions, and rebuild the campaign's registry.

    The campaign's exports go with it, the uploads that wait for it, and the answers kept for programs: they hold the
    session, or may.

    Raises NotFound for a session that there is not, Conflict while a run of it waits or is at work.
    """
    known = GameSession.objects.filter(pk=session_id).first()
    if known is None:
        raise NotFound("There is no such session.", code=Code.SESSION_UNKNOWN)
    session = lock_session(known, to_remove=True)
    versions = ArtifactVersion.objects.filter(artifact__session=session)
    lanes = set(versions.exclude(decided_at=None).values_list("artifact__lane", flat=True))
    facts = {
        "session": session.number,
        "revisions": session.transcripts.count(),
        "units": Unit.objects.filter(transcript__session=session).count(),
        "versions": versions.count(),
    }
    audit.record(by=by, act="session.remove", subject=session, campaign=session.campaign, **facts)
    campaign = session.campaign
    exports.discard_all(campaign=campaign)
    after_commit(uploads.discard_all, campaign_id=campaign.pk)
    forget(session)
    session.delete()
    for kind in sorted(kind for lane in lanes if (kind := kind_of(lane)) is not None):
        registry.rebuild(campaign=campaign, kind=kind)
    players.rebuild(campaign=campaign)
    idempotency.forget(campaign=campaign)
    erasing.erase_deleted()
