"""Codes are promises: unique, dotted, and each made somewhere in the product."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from extraction.codes import Code

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("extraction", "campaigns", "notarius_site")
SHAPE = re.compile(r"[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)?")
# HTTP's own conditions and the last resort have no area before a dot.
PLAIN = {Code.NOT_FOUND, Code.METHOD_NOT_ALLOWED, Code.INTERNAL}


@pytest.fixture(scope="module")
def used() -> set[str]:
    """Names of codes as the product's sources write them, the enumeration itself left out."""
    names: set[str] = set()
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            if file != ROOT / "extraction" / "codes.py":
                names.update(re.findall(r"\bCode\.([A-Z_]+)\b", file.read_text(encoding="utf-8")))
    return names


def test_codes_are_unique() -> None:
    text = (ROOT / "extraction" / "codes.py").read_text(encoding="utf-8")
    values = re.findall(r'^    [A-Z_]+ = "(.+)"$', text, flags=re.MULTILINE)

    assert len(values) == len(set(values)) == len(Code)


@pytest.mark.parametrize("code", Code, ids=lambda code: code.value)
def test_code_is_dotted(code: Code) -> None:
    assert SHAPE.fullmatch(code.value)
    assert ("." in code.value) != (code in PLAIN)


@pytest.mark.parametrize("code", Code, ids=lambda code: code.value)
def test_code_is_used_in_the_product(code: Code, used: set[str]) -> None:
    assert code.name in used


def test_sources_name_only_codes_that_exist(used: set[str]) -> None:
    assert used <= set(Code.__members__)
