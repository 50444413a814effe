"""Who cites any unit of a range: told from where ranges begin and end, however many units lie between."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from campaigns.actions.comparing import Places, Range, citing

# Unit ids neither rise nor are they without gaps; the last two are of no unit.
IDS = (7, 3, 12, 1, 9, 30, 2, 25, 4, 41, 8, 5)
PLACES: Places = {unit: at for at, unit in enumerate(IDS)}
UNITS = st.sampled_from((*IDS, 98, 99))
RANGES = st.tuples(UNITS, UNITS)
Record = dict[str, Any]


def record(ranges: list[Range]) -> Record:
    return {"source_refs": [{"start_unit_id": start, "end_unit_id": end} for start, end in ranges]}


def unit_by_unit(records: list[Record], wanted: list[Range], places: Places) -> list[list[tuple[int, Range]]]:
    """Return what `citing` does, by going through the units of every range."""

    def units(ends: Range) -> set[int]:
        found = [places[unit] for unit in ends if unit in places]
        return set(range(min(found), max(found) + 1)) if len(found) == 2 else set()

    cited = [
        (at, (ref["start_unit_id"], ref["end_unit_id"]))
        for at, each in enumerate(records)
        for ref in each.get("source_refs", ())
    ]
    return [sorted({one for one in cited if units(ends) & units(one[1])}) for ends in wanted]


@given(st.lists(st.lists(RANGES, max_size=5), max_size=8), st.lists(RANGES, max_size=6))
@example([[(7, 5)], [(7, 7), (7, 7)], [(5, 5)], []], [(3, 8), (5, 7), (99, 7), (98, 98)])
def test_citing_finds_whom_going_through_the_units_finds(cited: list[list[Range]], wanted: list[Range]) -> None:
    records = [*map(record, cited), {"title": "A scene, which cites nothing."}]

    assert citing(records, wanted, PLACES) == unit_by_unit(records, wanted, PLACES)
