"""A person takes back what they said: their words go from every revision, and what was made of them is flagged.

The structure stays: each unit keeps its id, its place and its times, and says only that it was withdrawn. The newest
revision becomes the one without the words, so that everything made from an earlier one shows what evidence it lost.
Recorded exchanges, checkpoints and exports that may hold the words are removed. What a record says in its own words
stays until a reviewer changes it; the page on evidence lists those records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from campaigns.actions import audit
from campaigns.actions.corrections import units_of
from campaigns.actions.transcripts import add_revision
from campaigns.adapters import downloads
from campaigns.errors import ActionError, Conflict
from campaigns.models import Campaign, Checkpoint, Exchange, GameSession, Run, Transcript, Unit
from extraction.codes import Code
from extraction.source.documents import SourceUnit, units_digest

if TYPE_CHECKING:
    from django.contrib.auth.models import User

UNENDED = (*Run.ACTIVE, Run.State.PAUSED)
IDS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Said:
    """What a label said in one session's newest revision, and how many earlier revisions have it too."""

    session: GameSession
    units: int
    revisions: int


def said_by(campaign: Campaign, label: str) -> list[Said]:
    """Return the sessions in which any revision has units of the label, in their order."""
    found = []
    for session in campaign.sessions.order_by("number"):
        mine = Unit.objects.filter(transcript__session=session, speaker=label)
        revisions = mine.order_by().values("transcript").distinct().count()
        if revisions:
            newest = session.transcripts.order_by("-revision").first()
            found.append(Said(session, mine.filter(transcript=newest).count(), revisions))
    return found


def labels_of(campaign: Campaign) -> list[str]:
    """Return every label that any unit of the campaign has."""
    units = Unit.objects.filter(transcript__session__campaign=campaign).exclude(speaker=None)
    labels = units.order_by("speaker").values_list("speaker", flat=True).distinct()
    return [label for label in labels if label is not None]


@transaction.atomic
def withdraw_words(*, campaign: Campaign, label: str, by: User | None) -> int:
    """Remove what the label said from every revision of every session of the campaign; return how many units.

    Raises ActionError for a label that said nothing, Conflict while a run of the campaign has not ended.
    """
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    sessions = said_by(campaign, label)
    if not sessions:
        raise ActionError("Nobody of that label has said anything here.")
    if Run.objects.filter(session__campaign=campaign, state__in=UNENDED).exists():
        raise Conflict("A run of this campaign has not ended: cancel it first.", code=Code.RUN_FINISHED)
    removed = sum(_withdraw(said.session, label, by) for said in sessions)
    touched = [said.session.pk for said in sessions]
    Exchange.objects.filter(lane__run__session__in=touched).delete()
    Checkpoint.objects.filter(session__in=touched).delete()
    _discard_exports(campaign)
    audit.record(
        by=by, act="words.withdraw", subject=campaign, campaign=campaign, sessions=len(sessions), units=removed
    )
    return removed


def _withdraw(session: GameSession, label: str, by: User | None) -> int:
    GameSession.objects.select_for_update().get(pk=session.pk)
    revisions = list(session.transcripts.order_by("-revision"))
    newest = revisions[0]
    units = units_of(newest)
    theirs = {(unit.unit_id, unit.text) for unit in units if unit.speaker == label}
    removed = sum(_blank(revision, label, theirs) for revision in revisions)
    without = tuple(_withdrawn(unit) if unit.speaker == label else unit for unit in units)
    if without != units:
        add_revision(
            session=session,
            units=without,
            title=newest.title,
            format=newest.format,
            encoding=newest.encoding,
            notes=newest.notes,
            by=by,
        )
    return removed


def _blank(revision: Transcript, label: str, theirs: set[tuple[int, str]]) -> int:
    """Withdraw the units of the label in one revision, and those of another label then that say the same.

    The digest becomes that of what is left: what was made from the words before has another one in its source.
    """
    rows = revision.units.values_list("pk", "unit_id", "text", "speaker")
    mine = [pk for pk, unit_id, text, speaker in rows if speaker == label or (unit_id, text) in theirs]
    for start in range(0, len(mine), IDS_AT_ONCE):
        Unit.objects.filter(pk__in=mine[start : start + IDS_AT_ONCE]).update(text=Unit.WITHDRAWN, speaker=None)
    Transcript.objects.filter(pk=revision.pk).update(digest=units_digest(units_of(revision)))
    return len(mine)


def _withdrawn(unit: SourceUnit) -> SourceUnit:
    return replace(unit, speaker=None, text=Unit.WITHDRAWN)


def _discard_exports(campaign: Campaign) -> None:
    for mark in campaign.exports.exclude(mark="").values_list("mark", flat=True):
        transaction.on_commit(partial(downloads.remove, mark), robust=True)
    campaign.exports.all().delete()
