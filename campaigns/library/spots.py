"""Single units here and there in the newest transcripts, as a search finds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import OuterRef, Q, Subquery

from campaigns.library.ranges import Stretch, withheld_of
from campaigns.library.sight import Sight
from campaigns.library.transcripts import COLUMNS, Line
from campaigns.models import Secret, Transcript, Unit


def lines_at(sight: Sight, spots: Iterable[tuple[int, int]]) -> Mapping[tuple[int, int], Line]:
    """Return the units at these session numbers and positions, without those that the sight does not see."""
    wanted: dict[int, set[int]] = {}
    for number, position in spots:
        wanted.setdefault(number, set()).add(position)
    if not sight.words or not wanted:
        return {}
    transcripts = _newest(sight, wanted)
    hidden = withheld_of(sight, transcripts)
    places = Q()
    for transcript in transcripts:
        positions = wanted[transcript.session.number]
        withheld = {at for stretch in hidden.get(transcript.pk, ()) for at in range(stretch.start, stretch.stop)}
        places |= Q(transcript=transcript, position__in=positions - withheld)
    if not transcripts:
        return {}
    numbers = {transcript.pk: transcript.session.number for transcript in transcripts}
    rows = Unit.objects.filter(places).order_by().values_list("transcript_id", *COLUMNS)
    lines = ((numbers[pk], Line(*row)) for pk, *row in rows)
    return {(number, line.position): line for number, line in lines}


def withheld_spots(sight: Sight) -> Mapping[int, Sequence[Stretch]]:
    """Return by session number what the sight must not read of the newest transcripts, in order; nothing of others."""
    if not sight.is_player:
        return {}
    kept = Secret.objects.filter(campaign=sight.campaign, kind=Secret.Kind.RANGE, revealed_at=None)
    transcripts = _newest(sight, set(kept.order_by().values_list("session__number", flat=True)))
    hidden = withheld_of(sight, transcripts)
    return {one.session.number: hidden[one.pk] for one in transcripts if hidden.get(one.pk)}


def _newest(sight: Sight, numbers: Iterable[int]) -> list[Transcript]:
    rows = Transcript.objects.filter(session__campaign=sight.campaign, session__number__in=list(numbers))
    if sight.as_of is not None:
        rows = rows.filter(session__number__lte=sight.as_of)
    newest = Transcript.objects.filter(session=OuterRef("session")).order_by("-revision").values("pk")[:1]
    return list(rows.filter(pk=Subquery(newest)).select_related("session"))
