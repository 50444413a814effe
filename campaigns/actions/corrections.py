"""Corrections of a stored transcript: each makes its next revision, and the one before stays as it is.

What was made from an earlier revision keeps its evidence there and is shown as outdated. Unit ids, times and order
never change, so a citation means the same units in every revision that a correction made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from django.db import transaction

from campaigns.actions import audit
from campaigns.actions.transcripts import add_revision
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.glossary import Glossary
from campaigns.models import GameSession, Transcript
from campaigns.speakers import label_from, with_speakers
from extraction.codes import Code
from extraction.ingest import DEFAULT_LIMITS
from extraction.source.documents import SourceUnit, units_digest

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Units = tuple[SourceUnit, ...]


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

    def reassigned(units: Units) -> Units:
        label = label_from(speaker)
        places = {unit.unit_id: at for at, unit in enumerate(units)}
        if first_unit_id not in places or last_unit_id not in places:
            raise NotFound("There is no such unit in this transcript.")
        first, last = places[first_unit_id], places[last_unit_id]
        if first > last:
            raise ActionError("The first unit stands after the last one in this transcript.")
        changed = tuple(replace(unit, speaker=label) for unit in units[first : last + 1])
        return units[:first] + changed + units[last + 1 :]

    return _revise(session, reassigned, "transcript.reassign_units", seen, by)


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
    corrected = tuple(replace(unit, text=glossary.corrected(unit.text, wanted)) for unit in units)
    if any(len(unit.text) > DEFAULT_LIMITS.max_unit_chars for unit in corrected):
        raise ActionError(f"A unit would have more than {DEFAULT_LIMITS.max_unit_chars} characters.")
    return corrected


@transaction.atomic
def _revise(
    session: GameSession, change: Callable[[Units], Units], act: str, seen: int | None, by: User | None
) -> Transcript:
    # Two corrections at once take their turn here: the second is made of what the first has left.
    session = GameSession.objects.select_for_update().select_related("campaign").get(pk=session.pk)
    base = session.transcripts.order_by("-revision").first()
    if base is None:
        raise NotFound("This session has no transcript yet.", code=Code.TRANSCRIPT_NONE)
    if seen is not None and seen != base.revision:
        raise Conflict(f"Revision {base.revision} has been made meanwhile: look at it and decide again.")
    before = units_of(base)
    units = change(before)
    changed = sum(old != new for old, new in zip(before, units, strict=True))
    if not changed:
        raise ActionError("Nothing would change in the transcript.")
    equal = session.transcripts.filter(digest=units_digest(units)).first()
    if equal is not None:
        raise Conflict(f"The transcript would be the same as revision {equal.revision}, which cannot be made twice.")
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
