"""The one order in which rows are locked: campaign, then session, then artifact or run, then whatever belongs to them.

Whoever locks a row below locks its campaign first, so that two acts wait for each other one way round only. The locks
leave the key alone: a row that merely refers to a campaign or a session is written without waiting. What is about to
go is locked whole, for nothing may begin to refer to it.

New accounts are locked after the campaign that they join.

A lane at work, and whoever cancels a run, lock the run alone: they need no row above but for the key, and nothing is
removed under a run that has not ended.
"""

from __future__ import annotations

from django.db import connection
from django.db.models import QuerySet

from campaigns.errors import Conflict, NotFound
from campaigns.models import Artifact, Campaign, GameSession, Run
from extraction.codes import Code


def lock_campaign(campaign_id: int, *, to_remove: bool = False) -> Campaign:
    """Return the campaign as it is now, locked until the transaction ends. Raises NotFound where it is gone.

    One that is to be removed is locked with its sessions and runs: Conflict while one of these has not ended.
    """
    campaign = Campaign.objects.select_for_update(no_key=not to_remove).filter(pk=campaign_id).first()
    if campaign is None:
        raise NotFound("There is no such campaign.", code=Code.CAMPAIGN_UNKNOWN)
    if to_remove:
        _refuse_under_runs(Run.objects.filter(session__campaign=campaign), "campaign")
        list(GameSession.objects.select_for_update().filter(campaign=campaign).order_by("pk"))
        list(Run.objects.select_for_update(of=("self",)).filter(session__campaign=campaign).order_by("pk"))
    return campaign


def lock_session(session: GameSession, *, to_remove: bool = False) -> GameSession:
    """Return the session as it is now, locked with its campaign. Raises NotFound where it is gone.

    One that is to be removed is locked with its runs: Conflict while one of these has not ended.
    """
    campaign = lock_campaign(session.campaign_id)
    if to_remove:
        _refuse_under_runs(Run.objects.filter(session=session), "session")
    locked = GameSession.objects.select_for_update(no_key=not to_remove).filter(pk=session.pk).first()
    if locked is None:
        raise NotFound("There is no such session.", code=Code.SESSION_UNKNOWN)
    locked.campaign = campaign
    if to_remove:
        list(Run.objects.select_for_update().filter(session=locked).order_by("pk"))
    return locked


def _refuse_under_runs(runs: QuerySet[Run], of: str) -> None:
    """Raise Conflict where one has not ended. None begins while the campaign is locked.

    This comes before the runs are locked: who cancels or ends one holds it, and waits at the end for the rows above.
    """
    if runs.filter(state__in=Run.UNENDED).exists():
        raise Conflict(f"A run of this {of} has not ended: cancel it first.", code=Code.RUN_FINISHED)


def lock_artifact(artifact_id: int) -> Artifact | None:
    """Return the artifact, locked after its campaign; None where there is none."""
    known = Artifact.objects.filter(pk=artifact_id).values_list("session__campaign", flat=True).first()
    if known is None:
        return None
    lock_campaign(known)
    return Artifact.objects.select_for_update().filter(pk=artifact_id).first()


def lock_new_accounts() -> None:
    """Have accounts be made one after the other, in whatever campaigns, until this transaction ends.

    Names that differ in case alone are one, which the database does not know: it would let both in at once. SQLite has
    one lock for all writers.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", ["notarius.accounts"])
