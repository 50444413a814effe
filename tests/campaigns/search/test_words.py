"""Words and queries: pure, and the same under both databases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.errors import ActionError
from campaigns.search.cursors import AfterEntry, AfterUnit, read, written
from campaigns.search.places import campaign_of, campaign_stretch, place_of, session_and_position, session_stretch
from campaigns.search.queries import LONGEST, MOST_TERMS, Phrase, Plain, Prefix, Query, parse
from campaigns.search.words import GAP, MOST_PLACES, indexed, stem, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("The Señor's café", ["the", "senor", "s", "cafe"], id="accents-and-apostrophe"),
        pytest.param("O\u2019Dell O'Dell", ["o", "dell", "o", "dell"], id="apostrophes-are-one"),
        pytest.param("cafe\u0301s", ["cafes"], id="accent-as-a-sign-of-its-own"),
        pytest.param("Straße", ["strasse"], id="casefolded"),
        pytest.param("half-elf_mage", ["half", "elf", "mage"], id="joined"),
        pytest.param("\uff11\uff12 ½", ["12", "12"], id="compatibility"),
        pytest.param("\x00 ' \" ; --", [], id="punctuation-alone"),
        pytest.param("Łódź", ["łodz"], id="letters-without-a-plain-one"),
    ],
)
def test_words_are_folded(text: str, words: list[str]) -> None:
    assert [word.exact for word in words_of(text)] == words


@given(st.text(max_size=80))
def test_words_are_letters_and_digits_alone_and_where_they_say(text: str) -> None:
    for word in words_of(text):
        assert word.exact.isalnum()
        assert [each.exact for each in words_of(text[word.start : word.end])] == [word.exact]
        assert stem(word.exact)


def test_a_word_without_end_keeps_the_places_that_both_databases_keep() -> None:
    kept = indexed("bell " * (MOST_PLACES + 2) + "tower")

    assert kept.count("bell") == MOST_PLACES
    assert kept[-3:] == [GAP, GAP, "tower"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        pytest.param("bell tower", (Plain("bell"), Plain("tower")), id="words"),
        pytest.param('"bell tower" rope', (Phrase(("bell", "tower")), Plain("rope")), id="phrase"),
        pytest.param('"bell tower', (Phrase(("bell", "tower")),), id="open-quote"),
        pytest.param("harb*", (Prefix("harb"),), id="prefix"),
        pytest.param("h*", (Plain("h"),), id="prefix-too-short"),
        pytest.param("O'Dell", (Phrase(("o", "dell")),), id="joined-is-a-phrase"),
        pytest.param("bell bell BELL", (Plain("bell"),), id="once"),
        pytest.param("AND OR NOT", (Plain("and"), Plain("or"), Plain("not")), id="no-operators"),
        pytest.param('"" * - "***" \x00', (), id="nothing"),
    ],
)
def test_parse(text: str, terms: tuple[object, ...]) -> None:
    assert parse(text).terms == terms


def test_parse_takes_no_more_than_a_question() -> None:
    with pytest.raises(ActionError):
        parse("a" * (LONGEST + 1))
    assert len(parse(" ".join(f"w{n}" for n in range(40))).terms) == MOST_TERMS


@given(st.text(max_size=LONGEST))
def test_parse_takes_anything(text: str) -> None:
    assert isinstance(parse(text), Query)


@given(st.integers(1, 2**20), st.integers(0, 10**6), st.integers(0, 2**22 - 1))
def test_places_stand_in_the_order_of_campaign_session_and_position(campaign: int, session: int, at: int) -> None:
    place = place_of(campaign, session, at)

    assert place < 2**63
    assert session_and_position(place) == (session, at)
    assert campaign_of(place) == campaign
    one, whole = session_stretch(campaign, session), campaign_stretch(campaign)
    assert whole.first <= one.first <= place <= one.last <= whole.last
    assert campaign_stretch(campaign, session).last == one.last


@pytest.mark.parametrize("mark", [AfterEntry(1, "dell", "npc", "npc:1"), AfterUnit(True, 2**50)])
def test_cursors_come_back(mark: AfterEntry | AfterUnit) -> None:
    assert read(written(mark)) == mark


@pytest.mark.parametrize("cursor", ["x", "W10=", "WzEsMl0=", "WzEsIjIiXQ==", "ä", "W3RydWUsLTFd", "A" * 3_000])
def test_other_cursors_are_refused(cursor: str) -> None:
    with pytest.raises(ActionError):
        read(cursor)
