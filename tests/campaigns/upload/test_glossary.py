from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.glossary import Glossary, Suggestion
from extraction.source.documents import SourceUnit

TERMS = [("Wick Harrow", ["wick", "quick arrow"]), ("Zoë", ["zoe"]), ("Mira", ["mirror", "'mira"])]


def test_suggestions_count_and_place_what_may_be_misheard() -> None:
    units = [SourceUnit(5, None, "Quick arrow! Zoe and ZOE."), SourceUnit(2, None, "Zoe sees the mirrors, mirror.")]

    assert Glossary(TERMS).suggestions(units) == [
        Suggestion("Wick Harrow", "quick arrow", 1, (0,)),
        Suggestion("Zoë", "zoe", 3, (0, 1)),
        Suggestion("Mira", "mirror", 1, (1,)),
    ]


def test_suggestions_leave_a_term_that_is_right_alone() -> None:
    units = [SourceUnit(1, None, "Wick Harrow and wick harrow, Mira and Zoë.")]

    assert Glossary(TERMS).suggestions(units) == []


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("wick", "Wick Harrow"),
        ("Wick's house, wick.", "Wick Harrow's house, Wick Harrow."),
        ("a Wick Harrow wick", "a Wick Harrow Wick Harrow"),
        ("wicked candlewick", "wicked candlewick"),
        ("quick\n arrow", "quick\n arrow"),
        ("", ""),
    ],
)
def test_corrected_writes_the_chosen_alone(text: str, corrected: str) -> None:
    assert Glossary(TERMS).corrected(text, {"wick": "Wick Harrow"}) == corrected


def test_corrected_reads_one_form_of_two_terms_as_chosen() -> None:
    glossary = Glossary([("Mara", ["mirror"]), ("Mira", ["mirror"])])

    assert [each.term for each in glossary.suggestions([SourceUnit(1, None, "mirror")])] == ["Mara", "Mira"]
    assert glossary.corrected("mirror", {"mirror": "Mira"}) == "Mira"


@given(st.text(alphabet="wick Zoeë.'", max_size=60))
def test_corrected_changes_nothing_where_nothing_is_suggested(text: str) -> None:
    glossary = Glossary(TERMS)
    chosen = {heard: term for term, forms in TERMS for heard in forms}
    suggested = glossary.suggestions([SourceUnit(1, None, text)])

    assert (glossary.corrected(text, chosen) == text) == (not suggested)


@given(st.text(max_size=60))
def test_corrected_without_a_choice_is_the_text(text: str) -> None:
    assert Glossary(TERMS).corrected(text, {}) == text
