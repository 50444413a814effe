"""Where units stand, asked for by the thousand: no query may have more parameters than a database takes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.joining import Citation
from campaigns.library.places import TRANSCRIPTS_A_QUERY, positions_of
from campaigns.library.sight import Sight
from campaigns.library.transcripts import quotes
from campaigns.models import Campaign, Edition, Transcript
from extraction.source.documents import SourceUnit
from tests import factories

UNITS = 300
# What SQLite takes unless whoever built it chose otherwise.
PARAMETERS = 32_766


@pytest.fixture
def few_parameters(db: None) -> Iterator[None]:
    """Have SQLite take as many parameters as it does by default; PostgreSQL takes about twice as many."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    was = connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, PARAMETERS)
    yield
    connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, was)


@pytest.fixture
def transcripts(campaign: Campaign) -> list[Transcript]:
    units = tuple(SourceUnit(2 * at + 1, "Ines", f"Line {at}.") for at in reversed(range(UNITS)))
    return [factories.make_transcript(factories.make_session(campaign, number), units) for number in (1, 2)]


def positions(transcript: Transcript, unit_ids: range) -> dict[tuple[int, int], int]:
    stand = {2 * at + 1: UNITS - 1 - at for at in range(UNITS)}
    return {(transcript.pk, unit): stand[unit] for unit in unit_ids if unit in stand}


@pytest.mark.parametrize(
    ("each", "unit_ids"),
    [
        pytest.param(20, range(1, 1_801), id="twenty-evenings"),
        pytest.param(1, range(1, 40_001), id="one-evening"),
        pytest.param(TRANSCRIPTS_A_QUERY + 5, range(1, 5), id="many-evenings"),
        pytest.param(3, range(1, 10_001), id="as-many-as-one-query-takes"),
    ],
)
def test_positions_are_asked_for_in_queries_that_a_database_takes(
    few_parameters: None, transcripts: list[Transcript], each: int, unit_ids: range
) -> None:
    one, other = transcripts
    others = range(other.pk + 1, other.pk + each)
    wanted = {one.pk: unit_ids, **dict.fromkeys(others, unit_ids), other.pk: unit_ids}

    assert positions_of(wanted) == positions(one, unit_ids) | positions(other, unit_ids)


def test_a_range_of_very_many_lines_is_quoted_in_queries_that_a_database_takes(
    few_parameters: None, campaign: Campaign
) -> None:
    said = tuple(SourceUnit(at, None, f"Line {at}.") for at in range(1, PARAMETERS + 100))
    transcript = factories.make_transcript(factories.make_session(campaign, 1), said)
    whole = Citation(transcript.session_id, 1, transcript.source_id, 1, len(said))

    assert quotes(Sight(campaign, Edition.GM, True), [whole]) == {whole: "\n".join(each.text for each in said)}


def test_few_positions_are_asked_for_in_one_query(transcripts: list[Transcript]) -> None:
    one, other = transcripts
    with CaptureQueriesContext(connection) as asked:
        found = positions_of({one.pk: {1, 3}, other.pk: (5, 7, 999)})

    assert found == positions(one, range(1, 4)) | positions(other, range(5, 8))
    assert len(asked) == 1


def test_nothing_is_asked_for_nothing(transcripts: list[Transcript]) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert positions_of({}) == positions_of({transcripts[0].pk: ()}) == {}

    assert len(asked) == 0
