"""What was said, for those who may read it: units in their order, and the lines that a record cites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from django.db.models import Count, Sum
from django.db.models.functions import Length

from campaigns.errors import ActionError, NotFound
from campaigns.joining import Citation
from campaigns.library.places import UNITS_A_QUERY, positions_of
from campaigns.library.ranges import Stretch, withheld_of
from campaigns.library.seen import seen_count, seen_digest, units_without
from campaigns.library.sessions import visible
from campaigns.library.sight import Sight
from campaigns.library.stretches import left_out_before, whole_position
from campaigns.models import Transcript, Unit
from extraction.codes import Code

COLUMNS = ("unit_id", "position", "speaker", "text", "start_ms", "end_ms")


@dataclass(frozen=True, slots=True)
class Line:
    unit_id: int
    position: int
    speaker: str | None
    text: str
    start_ms: int | None
    end_ms: int | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A stretch of the newest transcript. `digest` and `unit_count` are of the whole, as the sight sees it.

    The positions of its lines too: they are counted as if what is withheld were not there.
    """

    transcript_id: int
    source_id: str
    digest: str
    revision: int
    unit_count: int
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Voice:
    """How much somebody says: units, and signs of their texts; the speaker is None for what nobody is known to say."""

    speaker: str | None
    units: int
    signs: int


class BackToFront(ActionError):
    """The first unit that was asked for stands after the last."""


def transcript_of(sight: Sight, number: int) -> Transcript:
    """Return the session's newest transcript; NotFound without words, and where there is none."""
    found = newest_of(sight, number)
    if found is None or not sight.words:
        raise NotFound("This session has no transcript yet.", code=Code.TRANSCRIPT_NONE)
    return found


def newest_of(sight: Sight, number: int) -> Transcript | None:
    """Return the newest transcript of a session that exists for the sight; NotFound where the session does not."""
    session = visible(sight, number)
    place = (Transcript, session.pk)
    if place not in sight.memo:
        sight.memo[place] = session.transcripts.order_by("-revision").first()
    found: Transcript | None = sight.memo[place]
    return found


def reading(
    sight: Sight,
    number: int,
    *,
    start_unit: int | None = None,
    end_unit: int | None = None,
    after_position: int | None = None,
    limit: int | None = None,
) -> Reading:
    """Return the units from one to another, at most `limit` of them after `after_position`.

    Raises NotFound without words, without a transcript and for a unit that the sight does not see, BackToFront where
    the first unit stands after the last.
    """
    transcript = transcript_of(sight, number)
    hidden = withheld_of(sight, [transcript]).get(transcript.pk, ())
    first, last = (_place(transcript, hidden, unit_id) for unit_id in (start_unit, end_unit))
    if first is not None and last is not None and first > last:
        raise BackToFront("start_unit stands after end_unit in this transcript.")
    rows = units_without(transcript, hidden).order_by("position")
    if after_position is not None:
        first = max(first or 0, whole_position(after_position + 1, hidden))
    if first is not None:
        rows = rows.filter(position__gte=first)
    if last is not None:
        rows = rows.filter(position__lte=last)
    lines = (Line(*row) for row in rows.values_list(*COLUMNS)[:limit])
    return Reading(
        transcript.pk,
        transcript.source_id,
        seen_digest(transcript, hidden),
        transcript.revision,
        seen_count(transcript, hidden),
        [replace(line, position=line.position - left_out_before(line.position, hidden)) for line in lines],
    )


def reading_digest(sight: Sight, number: int) -> str:
    """Return a digest that changes whenever what the sight may read of the transcript does; NotFound as `reading`."""
    transcript = transcript_of(sight, number)
    return seen_digest(transcript, withheld_of(sight, [transcript]).get(transcript.pk, ()))


def voices(sight: Sight, number: int) -> list[Voice]:
    """Return who speaks how much in the newest transcript, whoever says most first; none without words."""
    if not sight.words:
        return []
    transcript = newest_of(sight, number)
    if transcript is None:
        return []
    rows = units_without(transcript, withheld_of(sight, [transcript]).get(transcript.pk, ()))
    counted = rows.order_by().values("speaker").annotate(units=Count("pk"), signs=Sum(Length("text")))
    found = [Voice(*row) for row in counted.values_list("speaker", "units", "signs")]
    return sorted(found, key=lambda voice: (-voice.signs, voice.speaker or ""))


def quotes(sight: Sight, citations: Iterable[Citation]) -> dict[Citation, str | None]:
    """Return each cited range as lines of `speaker: text`, in two queries a transcript.

    None where the range does not resolve, where any of it is withheld, and everywhere without words.
    """
    asked = list(dict.fromkeys(citations))
    found: dict[Citation, str | None] = dict.fromkeys(asked)
    if not sight.words or not asked:
        return found
    sources = dict.fromkeys(cited.source_id for cited in asked)
    known = Transcript.objects.filter(session__campaign=sight.campaign, source_id__in=sources)
    transcripts = list(known.select_related("session"))
    hidden = withheld_of(sight, transcripts)
    for transcript in transcripts:
        if sight.as_of is not None and transcript.session.number > sight.as_of:
            continue
        mine = [cited for cited in asked if cited.source_id == transcript.source_id]
        found |= _quoted(transcript, mine, hidden.get(transcript.pk, ()))
    return found


def _quoted(transcript: Transcript, mine: list[Citation], hidden: Iterable[Stretch]) -> dict[Citation, str | None]:
    units = Unit.objects.filter(transcript=transcript)
    ends = {unit_id for cited in mine for unit_id in (cited.start_unit_id, cited.end_unit_id)}
    places = {unit_id: at for (_, unit_id), at in positions_of({transcript.pk: ends}).items()}
    spans = {
        cited: range(places[cited.start_unit_id], places[cited.end_unit_id] + 1)
        for cited in mine
        if cited.start_unit_id in places and cited.end_unit_id in places
    }
    spans = {cited: span for cited, span in spans.items() if not any(stretch.meets(span) for stretch in hidden)}
    left = iter({at for span in spans.values() for at in span})
    lines: dict[int, str] = {}
    while some := list(islice(left, UNITS_A_QUERY)):
        rows = units.filter(position__in=some).values_list("position", "speaker", "text")
        lines |= {at: f"{speaker}: {text}" if speaker else text for at, speaker, text in rows}
    return {cited: "\n".join(lines[at] for at in span) for cited, span in spans.items()}


def _place(transcript: Transcript, hidden: Iterable[Stretch], unit_id: int | None) -> int | None:
    """Return the unit's position; NotFound for a unit that there is not, and for one that is withheld."""
    if unit_id is None:
        return None
    rows = Unit.objects.filter(transcript=transcript, unit_id=unit_id)
    place = rows.values_list("position", flat=True).first()
    if place is None or any(stretch.start <= place < stretch.stop for stretch in hidden):
        raise NotFound(f"This transcript has no unit {unit_id}.")
    return place
