"""The place of a unit as one number: campaign, session, position. Its order is the order of what is found.

A row of the index has its place for a key. So a campaign, its first sessions and one session are each one stretch of
the index, and the next page starts after a number.
"""

from __future__ import annotations

from dataclasses import dataclass

POSITION_BITS = 22
SESSION_BITS = 20
MOST_POSITIONS = 1 << POSITION_BITS
MOST_SESSION = (1 << SESSION_BITS) - 1


@dataclass(frozen=True, slots=True, order=True)
class Stretch:
    """Places from `first` to `last`, both in it."""

    first: int
    last: int


def place_of(campaign_id: int, session: int, position: int) -> int:
    """Return the number of the unit at this position of the session's transcript."""
    return (((campaign_id << SESSION_BITS) + session) << POSITION_BITS) + position


def session_and_position(place: int) -> tuple[int, int]:
    """Return the session's number and the position for which the place stands."""
    return (place >> POSITION_BITS) & MOST_SESSION, place & (MOST_POSITIONS - 1)


def campaign_of(place: int) -> int:
    """Return the key of the campaign that the place lies in."""
    return place >> (POSITION_BITS + SESSION_BITS)


def session_stretch(campaign_id: int, session: int) -> Stretch:
    """Return where the session's units are."""
    return Stretch(place_of(campaign_id, session, 0), place_of(campaign_id, session, MOST_POSITIONS - 1))


def campaign_stretch(campaign_id: int, as_of: int | None = None) -> Stretch:
    """Return where the campaign's units are, or those of its sessions up to `as_of`."""
    last = MOST_SESSION if as_of is None else min(as_of, MOST_SESSION)
    return Stretch(place_of(campaign_id, 0, 0), place_of(campaign_id, max(last, 0), MOST_POSITIONS - 1))
