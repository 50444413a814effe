from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.llm.rules.npcs_reconcile import reconcile_npcs
from tests.extraction.llm.rules.table import groups, reconcile_materials


@pytest.mark.parametrize(
    ("names", "canonical"),
    [
        pytest.param(["Ruven", "Lord Ruven Castellane"], "Lord Ruven Castellane", id="first-name"),
        pytest.param(["Wenna", "Wenna Tolliver"], "Wenna Tolliver", id="first-and-full-name"),
        pytest.param(["Tolliver", "Wenna Tolliver"], "Wenna Tolliver", id="surname"),
        pytest.param(["Captain Brask", "Brask"], "Captain Brask", id="title"),
        pytest.param(
            ["Captain Ada Brask", "Captain Brask", "Brask", "Ada"], "Captain Ada Brask", id="title-and-surname"
        ),
        pytest.param(["Ada Brask", "Captain Ada Brask"], "Ada Brask", id="full-name-without-its-title"),
        pytest.param(
            ["Master Ruven Oss", "Magister Ruven Oss", "Ruven Oss"], "Ruven Oss", id="two-titles-one-full-name"
        ),
        pytest.param(["Lord Castellane", "Ruven Castellane"], "Ruven Castellane", id="the-one-of-the-surname"),
        pytest.param(["Wenna", "Wenna the miller"], "Wenna", id="epithet"),
        pytest.param(["Dr. Ostrand", "Dr Ostrand"], "Dr Ostrand", id="stop-of-an-abbreviation"),
        pytest.param(["Mr. Oss", "Mr Oss Tarrow"], "Mr Oss Tarrow", id="abbreviation"),
    ],
)
def test_reconcile_npcs_joins(names: list[str], canonical: str) -> None:
    assert groups(reconcile_materials(names)) == [(set(names), canonical)]


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["Lord Castellane", "Lady Castellane"], id="two-titles"),
        pytest.param(["Castellane", "Lord Castellane", "Lady Castellane"], id="surname-of-two"),
        pytest.param(["Ruven Castellane", "Delphine Castellane"], id="two-first-names"),
        pytest.param(["Lord Castellane", "Ruven Castellane", "Delphine Castellane"], id="title-of-two"),
        pytest.param(["Lord Castellane", "Lady Castellane", "Ruven Castellane"], id="a-pair-and-a-name"),
        pytest.param(["Ruven", "Ruven Castellane", "Ruven Oss"], id="first-name-of-two"),
        pytest.param(["Billa the druid", "Billa the smith", "Billa"], id="two-epithets"),
        pytest.param(["Billa the druid", "Billa Reed"], id="epithet-and-full-name"),
        pytest.param(["Lord Oss", "Sister Oss Tarrow"], id="titles-of-two-genders"),
        pytest.param(["Captain Oss", "Judge Oss Tarrow"], id="unlike-titles"),
        pytest.param(["Wenna", "Wen", "Wena"], id="alike-is-not-equal"),
        pytest.param(["the Captain", "Captain Brask"], id="a-title-is-no-name"),
        pytest.param(["Wenna", "wenna", "Wenna Tolliver"], id="names-that-are-not-unique"),
        pytest.param(["Quill", "Quill Harrow"], id="party"),
        pytest.param(["Wenna"], id="alone"),
        pytest.param([], id="none"),
    ],
)
def test_reconcile_npcs_in_doubt_joins_nobody(names: list[str]) -> None:
    assert groups(reconcile_materials(names)) == []


@pytest.mark.parametrize(
    "said",
    ["There stand Billa and Billa the druid.", "Billa the druid bows to Billa.", "It is Billa, not Billa the druid."],
)
def test_reconcile_npcs_keeps_apart_who_stands_side_by_side(said: str) -> None:
    assert groups(reconcile_materials(["Billa", "Billa the druid"], said)) == []


def test_reconcile_npcs_reads_an_apposition_as_one_person() -> None:
    said = "Billa, Billa the druid as you know her, bows."

    assert groups(reconcile_materials(["Billa", "Billa the druid"], said)) == [({"Billa", "Billa the druid"}, "Billa")]


@pytest.mark.parametrize(
    ("said", "joined"),
    [
        pytest.param("Andry Castellane lowers his eyes. He waits.", True, id="pronouns-agree"),
        pytest.param("Andry Castellane lowers her eyes. She waits.", False, id="pronouns-object"),
        pytest.param("Andry Castellane waits.", True, id="no-pronoun"),
    ],
)
def test_reconcile_npcs_weighs_pronouns_against_a_title(said: str, joined: bool) -> None:
    assert bool(groups(reconcile_materials(["Lord Castellane", "Andry Castellane"], said))) is joined


def test_reconcile_npcs_selects_unique_names_without_ranges() -> None:
    member = {"name": "Wenna Tolliver", "source_refs": []}

    assert reconcile_npcs(reconcile_materials(["Wenna", "Wenna Tolliver"])) == {
        "duplicate_groups": [{"members": [member, {"name": "Wenna", "source_refs": []}], "canonical": member}]
    }


_NAMES = st.lists(
    st.lists(
        st.sampled_from(
            ["Lord", "Lady", "Captain", "Ruven", "Delphine", "Oss", "Castellane", "the", "druid", "van", "Dr."]
        ),
        max_size=4,
    ).map(" ".join)
    | st.text(max_size=12),
    max_size=8,
)


@given(_NAMES, st.lists(st.text(max_size=60) | _NAMES.map(" and ".join), max_size=4))
def test_reconcile_npcs_never_proposes_overlapping_groups(names: list[str], window: list[str]) -> None:
    proposed = groups(reconcile_materials(names, *window))
    members = [name for group, _ in proposed for name in group]

    assert len(members) == len(set(members))
    assert set(members) <= set(names)
    assert all(len(group) > 1 and canonical in group for group, canonical in proposed)
