from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.llm.rules.names import spans
from extraction.llm.rules.tokens import words
from extraction.llm.rules.verbs import participle, past, third_person


def test_words_parts_names_from_their_clitics() -> None:
    found = words("Wenna\u2019s lamp, Ash'vel. I'll")

    assert [(word.text, word.clitic) for word in found] == [
        ("Wenna", "'s"),
        ("lamp", ""),
        ("Ash'vel", ""),
        ("I", "'ll"),
    ]


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        pytest.param("well Wenna", False, id="inside"),
        pytest.param("well, Wenna", False, id="comma"),
        pytest.param("Well. Wenna", True, id="full-stop"),
        pytest.param("well-- Wenna", True, id="broken-off"),
        pytest.param('says, "Wenna', True, id="quotation-starts"),
        pytest.param('"Well," Wenna', False, id="quotation-ends-on-a-comma"),
        pytest.param("(sighs) Wenna", True, id="bracket"),
        pytest.param("Dr. Wenna", False, id="abbreviation"),
        pytest.param("it. Wenna", True, id="no-abbreviation"),
    ],
)
def test_words_knows_where_a_capital_proves_nothing(text: str, opens: bool) -> None:
    assert words(text)[-1].opens is opens


def test_words_knows_what_is_quoted() -> None:
    assert [word.quoted for word in words('He says, "Go on," and \u201cstay\u201d there')] == [
        *(False, False),
        *(True, True),
        *(False, True, False),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("there is Wenna Tolliver", ["Wenna Tolliver"], id="two-words"),
        pytest.param("Then Wenna waits", ["Wenna"], id="opening-word-is-common"),
        pytest.param("Bogart-style hats", [], id="compound"),
        pytest.param("the DC is high, THEO", [], id="shouted"),
        pytest.param("a list: Aru Bem Cad Dov Ern", [], id="too-long"),
        pytest.param("see Wenna, Brask", ["Wenna", "Brask"], id="comma-parts"),
        pytest.param("Wenna's Brask", ["Wenna", "Brask"], id="possessive-parts"),
        pytest.param("the Golden Crown", [], id="common-words-only"),
    ],
)
def test_spans_finds_capitalised_names(text: str, expected: list[str]) -> None:
    found = words(text)

    assert [" ".join(w.text for w in found[span.core : span.last + 1]) for span in spans(found)] == expected


@given(st.text())
def test_spans_lie_inside_any_text(text: str) -> None:
    found = words(text)

    assert all(0 <= span.first <= span.core <= span.last < len(found) for span in spans(found))


def test_verb_forms_follow_the_spelling_rules() -> None:
    verbs = ["nod", "cry", "go", "push", "whisper", "smile", "grab"]

    assert [third_person(verb) for verb in verbs] == [
        "nods",
        "cries",
        "goes",
        "pushes",
        "whispers",
        "smiles",
        "grabs",
    ]
    assert [past(verb) for verb in verbs] == ["nodded", "cried", "went", "pushed", "whispered", "smiled", "grabbed"]
    assert [participle(verb) for verb in ["lie", "see", "smile", "nod"]] == ["lying", "seeing", "smiling", "nodding"]
