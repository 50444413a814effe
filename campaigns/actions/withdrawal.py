"""A person takes back what they said: their words go from every revision, and what was made of them is flagged.

The structure stays: each unit keeps its id, its place and its times, and says only that it was withdrawn. The newest
revision becomes the one without the words, so that everything made from an earlier one shows what evidence it lost.
Recorded exchanges, checkpoints, exports, uploads and answers kept for programs that may hold the words are removed, and
whoever is still at a call with them can store nothing of it. What a record says in its own words stays until a reviewer
changes it; the page on evidence lists those records.

The words are looked for in every revision, also where they stood under another label or number, were corrected, split
or joined with others. A unit that holds words of somebody else too goes as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from django.db import transaction

from campaigns.actions import audit, exports, idempotency, leases, players
from campaigns.actions.corrections import units_of
from campaigns.actions.locking import lock_campaign, lock_session
from campaigns.actions.transcripts import add_revision
from campaigns.adapters import uploads
from campaigns.committing import after_commit
from campaigns.errors import ActionError, Conflict
from campaigns.keeping import erasing
from campaigns.models import Campaign, Checkpoint, Exchange, GameSession, Run, Transcript, Unit
from campaigns.unit_changes import Units
from extraction.codes import Code
from extraction.source.documents import SourceUnit, units_digest
from extraction.source.following import followed, words_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Saying: TypeAlias = "tuple[int | None, str]"
UNITS_AT_ONCE = 500
TELLING_WORDS = 5


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
    lock_campaign(campaign.pk)
    if label not in labels_of(campaign):
        raise ActionError("Nobody of that label has said anything here.")
    if Run.objects.filter(session__campaign=campaign, state__in=Run.UNENDED).exists():
        raise Conflict("A run of this campaign has not ended: cancel it first.", code=Code.RUN_FINISHED)
    # First: what such a lane wrote before is removed below, and it writes nothing after.
    leases.shut_out(campaign=campaign)
    sessions = said_by(campaign, label)
    removed = sum(_withdraw(said.session, label, by) for said in sessions)
    touched = [said.session.pk for said in sessions]
    Exchange.objects.filter(lane__run__session__in=touched).delete()
    Checkpoint.objects.filter(session__in=touched).delete()
    exports.discard_all(campaign=campaign)
    after_commit(uploads.discard_all, campaign_id=campaign.pk)
    # What players read says of which words it was made.
    players.rebuild(campaign=campaign)
    idempotency.forget(campaign=campaign)
    erasing.erase_deleted()
    audit.record(
        by=by, act="words.withdraw", subject=campaign, campaign=campaign, sessions=len(sessions), units=removed
    )
    return removed


def _withdraw(session: GameSession, label: str, by: User | None) -> int:
    revisions = list(lock_session(session).transcripts.order_by("revision"))
    newest = revisions[-1]
    units = units_of(newest)
    theirs = _theirs(revisions, label)
    removed = sum(_blank(revision, theirs[revision.pk]) for revision in revisions)
    without = tuple(_withdrawn(unit) if at in theirs[newest.pk] else unit for at, unit in enumerate(units))
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


def _theirs(revisions: Sequence[Transcript], label: str) -> Mapping[int, set[int]]:
    """Return by revision the positions of the units with words of the label, under whatever name and number they stand.

    What the label says in any revision is followed from wherever it is said to the newest and to the oldest one, and
    never back and forth: the way back from a unit that holds two people's words may lead to the other's alone.
    """
    said = {
        saying
        for revision in revisions
        for unit in units_of(revision)
        if unit.speaker == label
        for saying in _sayings(unit)
    }
    later, earlier = _followed(revisions, said), _followed(revisions[::-1], said)
    return {revision.pk: later[revision.pk] | earlier[revision.pk] for revision in revisions}


def _followed(revisions: Sequence[Transcript], said: Set[Saying]) -> Mapping[int, set[int]]:
    """Return by revision the positions where this is said, or words of what was found in the revision before."""
    found: dict[int, set[int]] = {}
    before: Units = ()
    known: dict[int, set[str]] = {}
    for revision in revisions:
        units = units_of(revision)
        saying = {at: words_of(unit) for at, unit in enumerate(units) if not said.isdisjoint(_sayings(unit))}
        held = followed(before, known, units) | saying
        known = {at: words for at, words in held.items() if units[at].text != Unit.WITHDRAWN}
        found[revision.pk] = set(known)
        before = units
    return found


def _sayings(unit: SourceUnit) -> tuple[Saying, ...]:
    """Return by what the unit is known again: by id and text, and by the text alone where it is no mere "yes"."""
    alone = ((None, unit.text),) if len(unit.text.split()) >= TELLING_WORDS else ()
    return ((unit.unit_id, unit.text), *alone)


def _blank(revision: Transcript, positions: Collection[int]) -> int:
    """Withdraw the units at these positions of one revision; return how many.

    The digest becomes that of what is left: what was made from the words before has another one in its source.
    """
    mine = sorted(positions)
    for start in range(0, len(mine), UNITS_AT_ONCE):
        some = revision.units.filter(position__in=mine[start : start + UNITS_AT_ONCE])
        some.update(text=Unit.WITHDRAWN, speaker=None)
    Transcript.objects.filter(pk=revision.pk).update(digest=units_digest(units_of(revision)))
    return len(mine)


def _withdrawn(unit: SourceUnit) -> SourceUnit:
    return replace(unit, speaker=None, text=Unit.WITHDRAWN)
