"""The index of the database in use finds what plain Python finds, in the same order: CI runs this on both databases."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from django.core.checks import Tags, run_checks
from django.db import connection

from campaigns.search import postgres, upkeep
from campaigns.search.backends import backend
from campaigns.search.places import campaign_stretch, place_of, session_stretch
from campaigns.search.queries import parse
from campaigns.search.rows import Row, speaker_mark
from campaigns.search.words import MOST_PLACES, indexed
from tests import factories

pytestmark = pytest.mark.django_db
CAMPAIGN = 9
SAID = "bell bells belling tower Tower's rope roped Señor senora half-elf O'Dell it's and NOT near 12 łodz zzz"
QUERIES = (
    "bell",
    "bells",
    "bell tower",
    '"bell tower"',
    '"bell bell"',
    "be* tow*",
    "senor",
    "sen*",
    "O'Dell",
    "half-elf bell",
    "it's",
    "AND",
    "near not",
    'rope "tower s"',
    "roping towers",
    "łod*",
    "12",
    "absent",
    "bell absent",
)


@pytest.fixture(scope="module")
def texts() -> list[list[str]]:
    """Three sessions of invented sentences, the same at every run."""
    dice = random.Random(7)  # noqa: S311 - a story, not a secret
    return [[" ".join(dice.choices(SAID.split(), k=dice.randint(0, 7))) for _ in range(60)] for _ in range(3)]


def put(texts: Sequence[Sequence[str]], campaign: int = CAMPAIGN) -> None:
    for number, lines in enumerate(texts, start=1):
        backend().add(
            Row(place_of(campaign, number, at), indexed(line), speaker_mark(("Ines", None, "Joost")[at % 3]))
            for at, line in enumerate(lines)
        )


def expected(texts: Sequence[Sequence[str]], text: str, *, exactly: bool, speaker: str = "") -> list[int]:
    query = parse(text)
    found = []
    for number, lines in enumerate(texts, start=1):
        for at, line in enumerate(lines):
            words = indexed(line)
            fits = query.fits_exactly(words) if exactly else query.fits(words) and not query.fits_exactly(words)
            if fits and (not speaker or ("Ines", None, "Joost")[at % 3] == speaker):
                found.append(place_of(CAMPAIGN, number, at))
    return found


@pytest.mark.parametrize("speaker", ["", "Joost"])
@pytest.mark.parametrize("exactly", [True, False])
def test_the_index_finds_what_python_finds(texts: list[list[str]], exactly: bool, speaker: str) -> None:
    put(texts)
    stretch, mark = campaign_stretch(CAMPAIGN), speaker_mark(speaker)
    found = {
        text: backend().find(parse(text), exactly=exactly, speaker=mark, stretch=stretch, limit=1_000)
        for text in QUERIES
    }

    assert found == {text: expected(texts, text, exactly=exactly, speaker=speaker) for text in QUERIES}
    assert any(found.values())


@pytest.mark.parametrize(("first", "few"), [(5, 1_000), (5, 3)], ids=["by-words", "row-after-row"])
def test_every_way_of_reading_finds_the_same(
    texts: list[list[str]], first: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL reads the first rows, the words' index or all rows, as many as it takes; SQLite has one way."""
    monkeypatch.setattr(postgres, "FIRST_ROWS", first)
    monkeypatch.setattr(postgres, "FEW_ROWS", few)
    put(texts)
    stretch = campaign_stretch(CAMPAIGN)
    found = {text: backend().find(parse(text), exactly=True, speaker="", stretch=stretch, limit=9) for text in QUERIES}

    assert found == {text: expected(texts, text, exactly=True)[:9] for text in QUERIES}


def test_a_stretch_and_a_limit_are_kept(texts: list[list[str]]) -> None:
    put(texts)
    put(texts, CAMPAIGN + 1)
    every = expected(texts, "bell", exactly=True)
    second = session_stretch(CAMPAIGN, 2)

    assert backend().find(parse("bell"), exactly=True, speaker="", stretch=second, limit=1_000) == [
        place for place in every if second.first <= place <= second.last
    ]
    assert (
        backend().find(parse("bell"), exactly=True, speaker="", stretch=campaign_stretch(CAMPAIGN), limit=5)
        == every[:5]
    )


def test_what_is_removed_is_found_no_more(texts: list[list[str]]) -> None:
    put(texts)
    backend().remove(session_stretch(CAMPAIGN, 2))
    found = backend().find(parse("bell"), exactly=True, speaker="", stretch=campaign_stretch(CAMPAIGN), limit=1_000)

    assert found == [place for place in expected(texts, "bell", exactly=True) if place not in _places(2)]


def test_a_phrase_behind_the_last_place_of_a_word_is_not_found_by_either() -> None:
    put([["bell " * MOST_PLACES + "bell tower", "bell tower"]])
    found = backend().find(
        parse('"bell tower"'), exactly=True, speaker="", stretch=campaign_stretch(CAMPAIGN), limit=10
    )

    assert found == [place_of(CAMPAIGN, 1, 1)]


def test_rebuilding_gives_the_index_its_table_and_the_newest_revisions_back() -> None:
    session = factories.make_session()
    transcript = factories.make_transcript(session)
    put([["quillon"]], session.campaign_id)  # session 1 says something else by now, and session 2 is gone
    put([[], ["quillon"]], session.campaign_id)
    count = upkeep.rebuild(session.campaign)
    found = backend().find(
        parse("quillon"), exactly=True, speaker="", stretch=campaign_stretch(session.campaign_id), limit=10
    )

    assert count == 1
    positions = transcript.units.filter(text__contains="Quillon").values_list("position", flat=True)
    assert found == [place_of(session.campaign_id, 1, at) for at in positions]


def test_an_index_without_its_table_is_reported_and_made_anew() -> None:
    transcript = factories.make_transcript()
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE campaigns_search")
    missing = [message.id for message in run_checks(tags=[Tags.database], databases=["default"])]
    upkeep.make_index()
    mended = [message.id for message in run_checks(tags=[Tags.database], databases=["default"])]
    stretch = campaign_stretch(transcript.session.campaign_id)

    assert "notarius.W001" in missing
    assert "notarius.W001" not in mended
    assert backend().find(parse("quillon"), exactly=True, speaker="", stretch=stretch, limit=10)


def _places(number: int) -> range:
    stretch = session_stretch(CAMPAIGN, number)
    return range(stretch.first, stretch.last + 1)
