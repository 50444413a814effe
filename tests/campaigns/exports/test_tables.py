"""No cell of any table is a formula to any spreadsheet, whatever a record says."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from campaigns.exports import tables
from campaigns.exports.tables import safe_cell
from campaigns.library.sight import Edition
from campaigns.models import Campaign, Unit
from tests.campaigns.exports.telling import sight, taken_out, tell

# What begins a formula somewhere, also behind what nobody sees.
FIRST = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "|",
    "%",
    "\x00=",
    " =",
    "\ufeff=",
    "\u200b+",
    "\uff1d",
    "\u2212",
    "\xa0@",
    "\xad=",
    "\ufe0f=",
    "\u180e=",
    "\u115f=",
    "\u3164=",
    "\u2800\u0301@",
    "\ufe62",
    "\ufe63",
    "\ufe66",
    "\ufe6b",
)
DANGEROUS = "=+-@|%\uff1d\uff0b\uff0d\uff20\u2212\ufe62\ufe63\ufe66\ufe6b"


@pytest.mark.parametrize("first", FIRST)
def test_a_cell_that_begins_so_is_text(first: str) -> None:
    cell = safe_cell(f"{first}HYPERLINK(1)")

    assert cell.startswith("'")
    assert "\x00" not in cell


@pytest.mark.parametrize("value", ["Dell", "O'Dell", "a=b", "", "12", "(1)", "'quoted'"])
def test_other_cells_are_left_as_they_are(value: str) -> None:
    assert safe_cell(value) == value


@given(st.text())
def test_no_cell_is_a_formula(value: str) -> None:
    cell = safe_cell(value)

    assert cell.lstrip()[:1] not in set(DANGEROUS)
    assert not cell.startswith(("\t", "\r", "\n"))
    assert cell.removeprefix("'") in (value.replace("\x00", ""), value.replace("\x00", "").removeprefix("'"))


@pytest.fixture(scope="module")
def counted() -> Iterator[str]:
    """One of the first characters after the other, for ever."""

    def turns() -> Iterator[str]:
        while True:
            yield from (first for first in FIRST if "\x00" not in first)

    return turns()


def test_every_column_of_every_table_is_safe(campaign: Campaign, gm: User, counted: Iterator[str]) -> None:
    tell(campaign, gm, lambda text: f"{next(counted)}cmd {text}")
    for at, unit in enumerate(Unit.objects.order_by("pk")):
        first = FIRST[at % len(FIRST)].replace("\x00", "")
        Unit.objects.filter(pk=unit.pk).update(speaker=f"{first}x", text=f"{first}{unit.text}")
    files = taken_out(tables.files, sight(campaign))
    rows = {path: list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))) for path, data in files.items()}

    for path, table in rows.items():
        assert len({len(row) for row in table}) == 1, path
        assert len(table) > 1, path
        for cell in (cell for row in table for cell in row):
            assert cell.lstrip("\ufeff\u200b \xa0")[:1] not in set(DANGEROUS), path
            assert not cell.startswith(("\t", "\r", "\n")), path
    assert any(cell.startswith("'=cmd") for table in rows.values() for row in table for cell in row)


def test_tables_hold_what_the_sight_sees(campaign: Campaign, gm: User) -> None:
    tell(campaign, gm)
    whole, players = (taken_out(tables.files, sight(campaign, edition)) for edition in (Edition.GM, Edition.PLAYER))
    path = "transcripts/session-001.csv"

    assert b"So the captain is dead." in whole[path]
    assert b"So the captain is dead." not in b"".join(players.values()).replace(
        players["transcripts/session-007.csv"], b""
    )
    assert whole["people.csv"].decode("utf-8-sig").splitlines()[1].endswith(",Wick,,1,2,")
