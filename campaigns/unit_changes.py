"""What a person may do to the units of a transcript: pure functions from units to units, nothing is stored here.

A unit that stays keeps its id. Of a unit that is split the first part keeps it; of units that are joined, that of the
first stays. Times are never invented: the parts of a split unit share its start and its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from campaigns.errors import ActionError, NotFound
from campaigns.speakers import label_from
from extraction.ingest import DEFAULT_LIMITS
from extraction.ingest.wording import without_controls
from extraction.source.documents import SourceUnit

Units: TypeAlias = "tuple[SourceUnit, ...]"
MOST_PARTS = 50


def reassigned(units: Units, first_unit_id: int, last_unit_id: int, speaker: str) -> Units:
    """Return the units with those from the first to the last said by `speaker`, or by nobody known if it is empty."""
    label = label_from(speaker)
    first, last = _stretch(units, first_unit_id, last_unit_id)
    changed = tuple(replace(unit, speaker=label) for unit in units[first : last + 1])
    return units[:first] + changed + units[last + 1 :]


def reworded(units: Units, unit_id: int, text: str) -> Units:
    """Return the units with another text of one of them."""
    at = _place(units, unit_id)
    return (*units[:at], replace(units[at], text=text_from(text)), *units[at + 1 :])


def split(units: Units, unit_id: int, parts: Sequence[str], fresh_ids: Iterator[int]) -> Units:
    """Return the units with one of them in parts, which are its words in their order: ActionError where they are not.

    The parts behind the first one are named by `fresh_ids`.
    """
    at = _place(units, unit_id)
    unit, texts = units[at], [part.strip() for part in parts if part.strip()]
    if " ".join(texts).split() != unit.text.split():
        raise ActionError("A split changes no word: correct the text of the unit apart from it.")
    if not 1 < len(texts) <= MOST_PARTS:
        raise ActionError(f"A unit is split into 2 to {MOST_PARTS} parts, each with words of its own.")
    ends = [None] * (len(texts) - 1)
    made = tuple(
        SourceUnit(name, unit.speaker, text_from(text), start_ms, end_ms)
        for name, text, start_ms, end_ms in zip(
            (unit.unit_id, *(next(fresh_ids) for _ in ends)),
            texts,
            (unit.start_ms, *ends),
            (*ends, unit.end_ms),
            strict=True,
        )
    )
    return units[:at] + made + units[at + 1 :]


def joined(units: Units, first_unit_id: int, last_unit_id: int) -> Units:
    """Return the units with those from the first to the last as one; ActionError where several people say them."""
    first, last = _stretch(units, first_unit_id, last_unit_id)
    chosen = units[first : last + 1]
    if len(chosen) == 1:
        raise ActionError("Choose at least two units to join.")
    if len({unit.speaker for unit in chosen}) > 1:
        raise ActionError("These units are said by several people: give them to one of them, then join them.")
    # Checked before they are put together: thousands of units would be a long text for nothing.
    _check_length(sum(len(unit.text) + 1 for unit in chosen) - 1)
    one = replace(chosen[0], text=" ".join(unit.text for unit in chosen), end_ms=chosen[-1].end_ms)
    return (*units[:first], one, *units[last + 1 :])


def text_from(text: str) -> str:
    """Return the text as a file's would be kept; ActionError for an empty one and for what is no text."""
    if any(sign == "\x00" or "\ud800" <= sign <= "\udfff" for sign in text):
        raise ActionError("The text of a unit has a sign that is no character.")
    cleaned = without_controls(text).strip()
    if not cleaned:
        raise ActionError("A unit has words: join it with another one instead.")
    _check_length(len(cleaned))
    return cleaned


def _check_length(length: int) -> None:
    if length > DEFAULT_LIMITS.max_unit_chars:
        raise ActionError(f"A unit would have more than {DEFAULT_LIMITS.max_unit_chars} characters.")


def _stretch(units: Units, first_unit_id: int, last_unit_id: int) -> tuple[int, int]:
    first, last = _place(units, first_unit_id), _place(units, last_unit_id)
    if first > last:
        raise ActionError("The first unit stands after the last one in this transcript.")
    return first, last


def _place(units: Units, unit_id: int) -> int:
    for at, unit in enumerate(units):
        if unit.unit_id == unit_id:
            return at
    raise NotFound("There is no such unit in this transcript.")
