"""Values out of a recogniser's JSON: lists, texts, times and speakers, tolerant where the recognisers are loose.

A missing value is missing. A time that is no number, NaN, negative or beyond what a transcript may hold is left out
and counted as a doubt; nothing is put in its place. A list or a text of another type is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from extraction.codes import Code
from extraction.errors import IngestError
from extraction.ingest.json_text import ParsedJson
from extraction.ingest.limits import MAX_INTEGER
from extraction.ingest.transcript import TranscriptBuilder

JsonObject = dict[str, ParsedJson]

SECONDS = 1_000.0
MILLISECONDS = 1.0
TICKS = 1 / 10_000
"""A tick is 100 nanoseconds."""

# What programs write where they know no speaker; `None` and `nan` are Python's and pandas' own spelling of nothing.
NOBODY = frozenset({"", "none", "null", "nan", "undefined", "unknown", "?"})

_NUMBER = re.compile(r"\s{0,8}([+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?)s?\s{0,8}")
_DURATION = re.compile(r"P(?:([0-9]{1,6})D)?T?(?:([0-9]{1,6})H)?(?:([0-9]{1,6})M)?(?:([0-9]{1,9}(?:\.[0-9]{0,12})?)S)?")


def objects(value: ParsedJson, field: str) -> Iterator[tuple[int, JsonObject]]:
    """Yield each object of a list with its position from 1; nothing for a missing list. Raises for another type."""
    if value is None:
        return
    if not isinstance(value, list):
        raise IngestError(f"The field `{field}` is not a list.", code=Code.INGEST_MALFORMED)
    for at, item in enumerate(value, start=1):
        if not isinstance(item, dict):
            raise IngestError(f"Item {at} of `{field}` is not an object.", code=Code.INGEST_MALFORMED)
        yield at, item


def first_object(value: ParsedJson, field: str) -> JsonObject:
    """Return the first object of a list, the best of several readings; an empty one where there is none."""
    return next((item for _, item in objects(value, field)), {})


def inner(value: ParsedJson, field: str) -> JsonObject:
    """Return the object, an empty one where it is missing. Raises for another type."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise IngestError(f"The field `{field}` is not an object.", code=Code.INGEST_MALFORMED)
    return value


def text_of(item: JsonObject, at: int, *fields: str) -> str:
    """Return the text of the first of the fields that has one, empty if none does. Raises for another type."""
    for field in fields:
        value = item.get(field)
        if isinstance(value, str):
            if value:
                return value
        elif value is not None:
            raise IngestError(f"Item {at} has a wrong value in `{field}`.", code=Code.INGEST_MALFORMED)
    return ""


def has_objects(value: ParsedJson, *fields: str) -> bool:
    """Tell whether the value is a list in which some object has one of the fields. Never raises."""
    return isinstance(value, list) and any(
        isinstance(item, dict) and not item.keys().isdisjoint(fields) for item in value
    )


def time_ms(value: ParsedJson, unit: float, builder: TranscriptBuilder) -> int | None:
    """Return a time in whole milliseconds, None where it is missing or unusable; the latter is counted as a doubt.

    Numbers, numbers as text, `1.5s`, ISO durations and `{"seconds": …, "nanos": …}` are read.
    """
    if value is None:
        return None
    number = _number(value, unit)
    if number is not None and 0 <= number <= MAX_INTEGER:
        return round(number)
    builder.doubt_time()
    return None


def later(start: ParsedJson, length: ParsedJson, unit: float, builder: TranscriptBuilder) -> int | None:
    """Return the end of a stretch given as start and length, None where either is missing or unusable."""
    begin, duration = _number(start, unit), _number(length, unit)
    if begin is None or duration is None:
        return None
    return time_ms(begin + duration, MILLISECONDS, builder)


def speaker_of(value: ParsedJson) -> str | None:
    """Return the label as it stands, a bare number as `Speaker <number>`, None for nobody known."""
    if isinstance(value, str):
        return None if value.strip().lower() in NOBODY else value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_INTEGER:
        return f"Speaker {value}" if value >= 0 else None
    return None


def channel_of(value: ParsedJson) -> str | None:
    """Return a label for a channel of the recording, None where it has no usable number or name."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER:
        return f"Channel {value}"
    return f"Channel {value}" if isinstance(value, str) and value.strip() else None


def _number(value: ParsedJson, unit: float) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value * unit if abs(value) < 1e18 else None
    if isinstance(value, str):
        return _number_in_text(value, unit)
    if isinstance(value, dict):
        seconds, nanos = _number(value.get("seconds", 0), 1.0), _number(value.get("nanos", 0), 1.0)
        return None if seconds is None or nanos is None else seconds * unit + nanos * unit / 1e9
    return None


def _number_in_text(value: str, unit: float) -> float | None:
    plain = _NUMBER.fullmatch(value)
    if plain is not None:
        number = float(plain.group(1))
        return number * unit if abs(number) < 1e18 else None
    duration = _DURATION.fullmatch(value)
    if duration is None or not any(duration.groups()):
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in duration.groups())
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * SECONDS
