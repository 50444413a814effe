"""The times people and recorders write into text: `1:18`, `00:01:18.250`, and ranges of two."""

from __future__ import annotations

CLOCK = r"(?:[0-9]{1,3}:)?[0-9]{1,2}:[0-5][0-9](?:[.,][0-9]{1,3})?"
RANGE = rf"(?P<start>{CLOCK})(?:\s{{0,3}}(?:-->|->|-|\u2013|\u2192)\s{{0,3}}(?P<end>{CLOCK}))?"


def clock_ms(clock: str | None) -> int | None:
    """Return the milliseconds of a written time, None for none."""
    if clock is None:
        return None
    whole, _, fraction = clock.replace(",", ".").partition(".")
    seconds = 0
    for part in whole.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds * 1000 + int(fraction.ljust(3, "0") or 0)
