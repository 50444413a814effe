"""Corrections of a stored transcript: each makes its next revision, and the one before stays as it is.

What was made from an earlier revision keeps its evidence there and is shown as outdated, with what became of each
citation (`campaigns/carried.py`). A unit keeps its id as long as it is there, and no id is given to another unit
later, so that a number means the same words in every revision that a correction made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from campaigns import unit_changes
from campaigns.actions import audit
from campaigns.actions.locking import lock_session
from campaigns.actions.transcripts import add_revision
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.glossary import Glossary
from campaigns.models import GameSession, Transcript, Unit
from campaigns.speakers import with_speakers
from campaigns.unit_changes import Units, text_from
from extraction.codes import Code
from extraction.ingest.limits import MAX_INTEGER
from extraction.source.documents import SourceUnit

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def rename_speaker(*, session: GameSession, old: str, new: str, by: User | None, seen: int | None = None) -> Transcript:
    """Make the next revision, with every unit of the label `old` said by `new`; an empty `new` is nobody known.

    Two labels become one where `new` is there already. `seen` is the revision that the person looked at: Conflict
    where it is not the newest. Raises ActionError for a label that no unit has, and where nothing would change.
    """
    return _revise(session, lambda units: with_speakers(units, {old: new}), "transcript.rename_speaker", seen, by)


def reassign_units(
    *,
    session: GameSession,
    first_unit_id: int,
    last_unit_id: int,
    speaker: str,
    by: User | None,
    seen: int | None = None,
) -> Transcript:
    """Make the next revision, with the units from the first to the last said by `speaker`, or nobody if it is empty.

    The stretch is in transcript order. Raises NotFound for a unit that there is not, ActionError for a stretch that
    ends before it starts, and otherwise as `rename_speaker`.
    """
    return _revise(
        session,
        lambda units: unit_changes.reassigned(units, first_unit_id, last_unit_id, speaker),
        "transcript.reassign_units",
        seen,
        by,
    )


def reword_unit(
    *, session: GameSession, unit_id: int, text: str, by: User | None, seen: int | None = None
) -> Transcript:
    """Make the next revision, with another text of one unit.

    Raises NotFound for a unit that there is not, ActionError for a text that is none, otherwise as `rename_speaker`.
    """
    return _revise(
        session, lambda units: unit_changes.reworded(units, unit_id, text), "transcript.reword_unit", seen, by
    )


def split_unit(
    *, session: GameSession, unit_id: int, parts: Sequence[str], by: User | None, seen: int | None = None
) -> Transcript:
    """Make the next revision, with one unit in several, which have the same words in the same order.

    The first part keeps the unit's id and its start, the last one its end. Raises NotFound for a unit that there is
    not, ActionError for parts that are not its words or are no two, otherwise as `rename_speaker`.
    """

    def parted(units: Units) -> Units:
        made = unit_changes.split(units, unit_id, parts, _fresh_ids(session))
        if len(made) > settings.UPLOAD_MAX_UNITS:
            raise ActionError(f"The transcript would have more than {settings.UPLOAD_MAX_UNITS} units.")
        return made

    return _revise(session, parted, "transcript.split_unit", seen, by)


def join_units(
    *, session: GameSession, first_unit_id: int, last_unit_id: int, by: User | None, seen: int | None = None
) -> Transcript:
    """Make the next revision, with the units from the first to the last as one, under the id of the first.

    Raises NotFound for a unit that there is not, ActionError for units of several speakers, for a stretch that ends
    before it starts and for one unit alone, otherwise as `rename_speaker`.
    """
    return _revise(
        session,
        lambda units: unit_changes.joined(units, first_unit_id, last_unit_id),
        "transcript.join_units",
        seen,
        by,
    )


def apply_glossary(
    *, session: GameSession, chosen: Sequence[tuple[str, str]], by: User | None, seen: int | None = None
) -> Transcript:
    """Make the next revision, with each chosen (term, heard_as) of the campaign's glossary written as the term.

    Whole words alone are replaced, in any case. Raises ActionError for nothing chosen, for a pair that the glossary
    does not have, for two terms of one misheard form, and otherwise as `rename_speaker`.
    """
    wanted = {heard_as: term for term, heard_as in chosen}
    known = {
        (term, heard_as)
        for term, heard in session.campaign.glossary.values_list("term", "heard_as")
        for heard_as in heard
    }
    if not wanted or not known.issuperset(chosen):
        raise ActionError("Choose among the names that the campaign's glossary suggests.")
    if len(wanted) < len(set(chosen)):
        raise ActionError("One misheard form can be only one name: choose one of them.")
    return _revise(
        session, lambda units: _corrected(units, Glossary.of(session.campaign), wanted), "transcript.glossary", seen, by
    )


def units_of(transcript: Transcript) -> Units:
    """Return the transcript's units in their order."""
    rows = transcript.units.order_by("position").values_list("unit_id", "speaker", "text", "start_ms", "end_ms")
    return tuple(SourceUnit(*row) for row in rows.iterator())


def _corrected(units: Units, glossary: Glossary, wanted: Mapping[str, str]) -> Units:
    said = ((unit, glossary.corrected(unit.text, wanted)) for unit in units)
    return tuple(unit if text == unit.text else replace(unit, text=text_from(text)) for unit, text in said)


def _fresh_ids(session: GameSession) -> Iterator[int]:
    """Yield ids that no unit of any revision has ever had, above all of them as long as numbers last."""
    units = Unit.objects.filter(transcript__session=session)
    yield from range((units.aggregate(last=Max("unit_id"))["last"] or 0) + 1, MAX_INTEGER + 1)
    taken = set(units.values_list("unit_id", flat=True))
    yield from (number for number in count(1) if number not in taken)


@transaction.atomic
def _revise(
    session: GameSession, change: Callable[[Units], Units], act: str, seen: int | None, by: User | None
) -> Transcript:
    # Two corrections at once take their turn here: the second is made of what the first has left.
    session = lock_session(session)
    base = session.transcripts.order_by("-revision").first()
    if base is None:
        raise NotFound("This session has no transcript yet.", code=Code.TRANSCRIPT_NONE)
    if seen is not None and seen != base.revision:
        raise Conflict(f"Revision {base.revision} has been made meanwhile: look at it and decide again.")
    before = units_of(base)
    units = change(before)
    if units == before:
        raise ActionError("Nothing would change in the transcript.")
    changed = len(set(units).difference(before))
    made = add_revision(
        session=session,
        units=units,
        title=base.title,
        format=base.format,
        encoding=base.encoding,
        notes=base.notes,
        by=by,
    )
    audit.record(
        by=by,
        act=act,
        subject=made,
        campaign=session.campaign,
        session=session.number,
        revision=made.revision,
        of_revision=base.revision,
        units=changed,
    )
    return made
