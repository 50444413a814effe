"""What is written into the index, inside the transactions of those who change transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from django.db import transaction

from campaigns.models import GameSession, Transcript
from campaigns.search.backends import backend
from campaigns.search.places import MOST_POSITIONS, place_of, session_stretch
from campaigns.search.rows import Row, speaker_mark
from campaigns.search.words import indexed


def index(transcript: Transcript, said: Iterable[tuple[str | None, str]] | None = None) -> None:
    """Have the session's units found as this transcript says them, and no others.

    `said` are speaker and text of each unit where the caller has them; they are read otherwise.
    """
    session = transcript.session
    lines = said if said is not None else _said(transcript)
    with transaction.atomic():
        backend().remove(session_stretch(session.campaign_id, session.number))
        backend().add(_rows(session, lines))


def forget(session: GameSession) -> None:
    """Have nothing of the session found any more."""
    backend().remove(session_stretch(session.campaign_id, session.number))


@transaction.atomic
def index_newest(session: GameSession) -> Transcript | None:
    """Index the session's newest transcript anew and return it; None where there is none, and nothing is found."""
    # A correction at the same time waits here or is waited for: an older revision is never left in the index.
    GameSession.objects.select_for_update().get(pk=session.pk)
    newest = session.transcripts.order_by("-revision").first()
    if newest is None:
        forget(session)
    else:
        index(newest)
    return newest


def _said(transcript: Transcript) -> Iterator[tuple[str | None, str]]:
    yield from transcript.units.order_by("position").values_list("speaker", "text").iterator(chunk_size=2_000)


def _rows(session: GameSession, lines: Iterable[tuple[str | None, str]]) -> Iterator[Row]:
    # Positions beyond the number's room would be those of the next session.
    for position, (speaker, text) in enumerate(islice(lines, MOST_POSITIONS)):
        yield Row(place_of(session.campaign_id, session.number, position), indexed(text), speaker_mark(speaker))
