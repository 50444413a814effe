from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.identity import comparison_key, item_id, location_id, npc_id

APOSTROPHES = ("\u2018", "\u2019", "\u02bc", "\u0060", "\u00b4", "\u2032", "\uff07", "'")
# Compatibility characters that NFKC takes apart into apostrophes after the apostrophes were folded. The order of the
# steps is part of every durable id, so their keys keep an unfolded apostrophe.
LATE_APOSTROPHES = "\u0149\u1fef\u2033\u2034\u2057\uff40"
NAMES = st.text(alphabet=st.characters(codec="utf-8", exclude_characters=LATE_APOSTROPHES))


@pytest.mark.parametrize("apostrophe", APOSTROPHES, ids=lambda character: f"U+{ord(character):04X}")
def test_comparison_key_folds_every_apostrophe(apostrophe: str) -> None:
    assert comparison_key(f"O{apostrophe}Dell") == "o'dell"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        pytest.param("  Mother \t\n Quillon ", "mother quillon", id="white-space"),
        pytest.param("Mother\u00a0Quillon", "mother quillon", id="no-break-space"),
        pytest.param("Mother\u3000Quillon", "mother quillon", id="ideographic-space"),
        pytest.param("\uff37\uff29\uff23\uff2b", "wick", id="full-width"),
        pytest.param("Straße", "strasse", id="casefold"),
        pytest.param("Ze\u0301lie", "z\u00e9lie", id="composed"),
        pytest.param("\ufb01nn", "finn", id="ligature"),
        pytest.param("", "", id="empty"),
        pytest.param(" \u2003 ", "", id="only-white-space"),
    ],
)
def test_comparison_key_of(name: str, key: str) -> None:
    assert comparison_key(name) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Wick", "Wicks", id="one-more-letter"),
        pytest.param("Aurelio Voss", "Voss", id="part-of-the-name"),
        pytest.param("Zélie", "Zelie", id="accent"),
        pytest.param("Mother Quillon", "MotherQuillon", id="no-space"),
    ],
)
def test_comparison_key_keeps_apart(one: str, other: str) -> None:
    assert comparison_key(one) != comparison_key(other)


@given(NAMES)
def test_comparison_key_is_idempotent(name: str) -> None:
    key = comparison_key(name)

    assert comparison_key(key) == key


@given(NAMES, st.sampled_from(APOSTROPHES))
def test_comparison_key_is_one_line_without_apostrophe_variants(name: str, apostrophe: str) -> None:
    key = comparison_key(name + apostrophe)

    assert key == " ".join(key.split())
    assert not set(key) & set(APOSTROPHES[:-1])


@given(st.text(alphabet=st.characters(categories=("Lu", "Ll")), min_size=1))
def test_comparison_key_ignores_composition(name: str) -> None:
    assert comparison_key(unicodedata.normalize("NFD", name)) == comparison_key(unicodedata.normalize("NFC", name))


def test_npc_id_golden_vector() -> None:
    assert npc_id("mother quillon") == "npc:sha256:3719d51ab083c078fdb09a09d9ac7de36088300825cbfe4209c20e69e767b905"


def test_item_id_golden_vector() -> None:
    assert item_id("bronze tongue") == "item:sha256:7a86bb8490d2df4562cb6874ab4810095b3bb6371300bd0093d6f455eff9bcd5"


def test_location_id_golden_vector() -> None:
    assert (
        location_id("the boathouse", "salt-ferry.s1", 9)
        == "location:sha256:23c7afe3cf22c56556bdffe7e5e8d252703f31d187e389a8fa5c779592346eb3"
    )


def test_ids_of_one_key_differ_by_kind_and_anchor() -> None:
    ids = {
        npc_id("saltwick"),
        item_id("saltwick"),
        location_id("saltwick", "salt-ferry.s1", 41),
        location_id("saltwick", "salt-ferry.s1", 42),
        location_id("saltwick", "salt-ferry.s2", 41),
    }

    assert len(ids) == 5
