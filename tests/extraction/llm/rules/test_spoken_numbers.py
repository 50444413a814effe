from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.llm.rules.spoken_numbers import NUMBER, value_of

WHOLE = re.compile(rf"\b{NUMBER}\b")
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("7", 7),
        ("zero", 0),
        ("six", 6),
        ("sixteen", 16),
        ("nineteen", 19),
        ("forty", 40),
        ("twenty-two", 22),
        ("104", 104),
    ],
)
def test_value_of_a_spoken_number(said: str, value: int) -> None:
    found = WHOLE.fullmatch(said)

    assert found is not None
    assert value_of(found.group()) == value


@pytest.mark.parametrize("said", ["someone", "tent", "sevens", "eleventh", "-", ""])
def test_number_is_a_whole_word(said: str) -> None:
    assert WHOLE.search(said) is None


@given(st.sampled_from(range(8)), st.sampled_from(range(9)), st.sampled_from(["-", " "]))
def test_value_of_tens_and_units(ten: int, unit: int, joint: str) -> None:
    said = f"{TENS[ten]}{joint}{UNITS[unit]}"

    assert [value_of(found) for found in WHOLE.findall(said)] == [20 + 10 * ten + unit + 1]
