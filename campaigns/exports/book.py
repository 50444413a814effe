"""What the formats for people share: the campaign as one sight sees it, read once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.errors import NotFound
from campaigns.library.artifacts import records
from campaigns.library.bulk import whole
from campaigns.library.registry import Full, Line, leads
from campaigns.library.sessions import SessionLine, sessions
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from campaigns.library.transcripts import Reading, reading


@dataclass(frozen=True, slots=True)
class Told:
    """A record that tells of an occurrence, and the evening it is of."""

    session: int
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Book:
    """`occurrences` are by kind and entry, in the order of sessions and of the artifact."""

    sight: Sight
    sessions: list[SessionLine]
    entries: Mapping[str, list[Full]]
    leads: Mapping[str, Mapping[str, Line]]
    occurrences: Mapping[tuple[str, str], list[Told]]

    @property
    def steps(self) -> int:
        """Return of how many steps a progress consists: a session each, and one for the registries."""
        return len(self.sessions) + 1


def book_of(sight: Sight) -> Book:
    """Return all that is not of one evening alone."""
    evenings = sessions(sight)
    known = {kind: leads(sight, kind) for kind in KINDS}
    told: dict[tuple[str, str], list[Told]] = {}
    for kind, source in KINDS.items():
        for evening in evenings:
            for record in records(sight, evening.number, source.occurrences):
                line = known[kind].get(record[source.id_field])
                if line is not None:
                    told.setdefault((kind, line.entity_id), []).append(Told(evening.number, record))
    return Book(sight, evenings, {kind: list(whole(sight, kind)) for kind in KINDS}, known, told)


def said(sight: Sight, number: int) -> Reading | None:
    """Return the whole transcript of the evening, None where there is none or it is not for this sight."""
    try:
        return reading(sight, number)
    except NotFound:
        return None


def bare_title(evening: SessionLine) -> str:
    """Return the evening's title without the "Session 3:" that many a title begins with; its number stands before."""
    return re.sub(rf"^session 0*{evening.number}\b[\s:.,-]*", "", evening.title, flags=re.IGNORECASE)
