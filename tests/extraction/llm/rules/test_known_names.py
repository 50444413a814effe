from __future__ import annotations

import pytest

from extraction.llm.rules.known_names import KnownNames
from extraction.llm.rules.tokens import words


def said(names: list[str], *texts: str, people: bool = False) -> list[tuple[tuple[int, ...], int, str]]:
    """Return the entries, the text and the words of every place."""
    read = [words(text) for text in texts]
    found = KnownNames(names, (lambda name: name == "Ines") if people else None).find(read)
    return [
        (one.entries, one.at, " ".join(word.text for word in read[one.at][one.first : one.last + 1])) for one in found
    ]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        pytest.param("Brackwater", "You see Brackwater.", True, id="whole-word"),
        pytest.param("Brackwater", "The Brackwaters frown.", False, id="no-plural"),
        pytest.param("Brackwater", "Upper-Brackwater lies here.", False, id="no-part-of-a-word"),
        pytest.param("Brackwater", "a brackwater smell", False, id="single-name-keeps-its-capital"),
        pytest.param("Brackwater", "Brackwater's gate is shut.", True, id="possessive"),
        pytest.param("The Long Ladle", "into the Long Ladle", True, id="article-does-not-count"),
        pytest.param("Long Ladle", "the long ladle again", True, id="other-capitals-where-there-are-no-better"),
        pytest.param("Widow's Mill", "at the Widow\u2019s Mill", True, id="clitic-inside"),
        pytest.param("Widow's Mill", "at the Widow Mill", False, id="clitic-is-missing"),
        pytest.param("Long Ladle", "It is long. Ladle it out.", False, id="over-a-sentence"),
        pytest.param("salt potion", "Salt potion, please", True, id="small-name-at-a-sentence's-start"),
        pytest.param("Wick", "on Wick Street", False, id="piece-of-a-longer-name"),
        pytest.param("Wick", "then Bo Wick nods", False, id="last-name-of-somebody-else"),
        pytest.param("Wick", "then Captain Wick nods", True, id="title"),
    ],
)
def test_find_knows_whole_names(name: str, text: str, found: bool) -> None:
    assert bool(said([name], text)) is found


def test_find_prefers_the_longest_name_at_a_place() -> None:
    assert said(["Ladle", "Long Ladle"], "the Long Ladle and the Ladle") == [
        ((1,), 0, "Long Ladle"),
        ((0,), 0, "Ladle"),
    ]


def test_find_takes_other_capitals_only_for_names_found_in_no_other_way() -> None:
    assert said(["Long Ladle"], "the Long Ladle", "a long ladle") == [((0,), 0, "Long Ladle")]


def test_find_gives_a_shared_name_with_all_its_entries() -> None:
    assert said(["Long Ladle", "Mill", "long ladle"], "the Long Ladle") == [((0, 2), 0, "Long Ladle")]


def test_find_lets_a_part_of_a_persons_name_mean_its_one_bearer() -> None:
    names = ["Tessaly Brand", "Okke Brand", "Doctor Quill", "Ines Moor"]

    assert said(names, "Tessaly and Brand and Quill and Doctor and Ines and Moor.", people=True) == [
        ((0,), 0, "Tessaly"),
        ((2,), 0, "Quill"),
        ((3,), 0, "Moor"),
    ]


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        pytest.param(["Okke's Lantern"], "I hold the Lantern up", True, id="the-one-lantern"),
        pytest.param(["seal ring of Okke"], "I hold that ring up", True, id="head-before-of"),
        pytest.param(["seal ring of Okke"], "I hold the seal up", False, id="not-the-head"),
        pytest.param(["Okke's Lantern"], "I hold my Lantern up", False, id="somebody's-own"),
        pytest.param(["Okke's Lantern"], "I hold a Lantern up", False, id="some-lantern"),
        pytest.param(["Okke's Lantern"], "I hold the lantern up", False, id="other-capitals"),
        pytest.param(["blue lantern", "red lantern"], "I hold the lantern up", False, id="two-of-them"),
        pytest.param(["blue lantern", "lantern oil"], "I hold the lantern up", False, id="word-of-another-name"),
    ],
)
def test_find_lets_the_thing_mean_the_one_whose_name_ends_so(names: list[str], text: str, found: bool) -> None:
    assert bool(said(names, text)) is found
