"""Equal keys are one item, whatever the evidence; nothing near is."""

from __future__ import annotations

import pytest

from extraction.dnd.items.identity import identify
from extraction.dnd.items.normalize import normalize
from extraction.identity import item_id
from tests.extraction.dnd.registries import client, entity, ids, records, run
from tests.extraction.story import group, groups, make_scope

SCOPE = make_scope()


def test_identify_is_pinned() -> None:
    (record,) = normalize([entity(identify, SCOPE, "O\u00b4Dell's  Bell", (41, 41))], SCOPE).value

    assert record.name == "O\u00b4Dell's Bell"
    assert record.id == item_id("o'dell's bell")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(["Bell of Voss", "BELL of voss"], ["Bell of Voss"], id="case"),
        pytest.param(["Bell of Voss", "Bell  of\u00a0Voss"], ["Bell of Voss"], id="white-space"),
        pytest.param(["bell", "the bell"], ["bell", "the bell"], id="article"),
        pytest.param(["potion of healing", "potions of healing"], None, id="number"),
    ],
)
def test_normalize_unites_equal_keys_alone(names: list[str], expected: list[str] | None) -> None:
    given = [entity(identify, SCOPE, name, (unit, unit)) for name, unit in zip(names, (41, 42), strict=True)]
    united = normalize(given, SCOPE).value

    assert [record.name for record in united] == (names if expected is None else expected)


def test_item_found_on_several_pages_is_one_record_with_all_evidence() -> None:
    said = {41: [("bell", [(53, 55)])], 7: [("Bell", [(14, 14), (11, 11)])], 203: [("bell", [(203, 203)])]}
    result = run("items", client("items", said))

    assert records(result, "items") == [("bell", [(53, 55), (11, 11), (14, 14), (203, 203)])]


@pytest.mark.parametrize("canonical", ["Bell of Voss", "bronze bell"])
def test_item_whose_name_is_learned_later_keeps_both_places_and_derives_the_id_anew(canonical: str) -> None:
    said = {41: [("bronze bell", [(53, 53)])], 7: [("Bell of Voss", [(18, 18)])]}
    reply = groups(group("bronze bell", "Bell of Voss", canonical=canonical))
    result = run("items", client("items", said, reply))

    assert records(result, "items") == [(canonical, [(53, 53), (18, 18)])]
    assert ids(result, "items") == [item_id(canonical.lower())]
