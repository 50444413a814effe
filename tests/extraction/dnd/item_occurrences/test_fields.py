"""What each kind of item occurrence says of the people in it."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from extraction.codes import Code
from extraction.dnd.artifacts.occurrences import ItemKind
from extraction.errors import LaneFailed
from extraction.lanes.job import Retries
from tests.extraction.dnd.occurrence_cast import ITEM, pages, records_of

WITH_ACTOR = [kind for kind in get_args(ItemKind) if kind != "mentioned"]


def refused(**fields: Any) -> list[tuple[Code, str]]:
    with pytest.raises(LaneFailed) as caught:
        ITEM.run(pages([ITEM.met("Lantern", (41, 41), **fields)]))
    return [(finding.code, finding.where) for finding in caught.value.findings]


@pytest.mark.parametrize("kind", get_args(ItemKind))
def test_every_field_may_be_null_for_every_kind(kind: str) -> None:
    (record,) = records_of(ITEM.run(pages([ITEM.met("Lantern", (41, 41), kind=kind)])))

    assert [record[field] for field in ("kind", "actor", "recipient", "detail")] == [kind, None, None, None]


@pytest.mark.parametrize("kind", WITH_ACTOR)
def test_whoever_does_it_is_named(kind: str) -> None:
    (record,) = records_of(ITEM.run(pages([ITEM.met("Lantern", (41, 41), kind=kind, actor="Pike", detail="wet")])))

    assert (record["actor"], record["detail"]) == ("Pike", "wet")


def test_transferred_names_giver_and_receiver() -> None:
    fields = {"kind": "transferred", "actor": "Mother Quillon", "recipient": "Pike"}
    (record,) = records_of(ITEM.run(pages([ITEM.met("Lantern", (41, 41), **fields)])))

    assert (record["actor"], record["recipient"]) == ("Mother Quillon", "Pike")


def test_nobody_acts_in_a_mere_mention() -> None:
    assert refused(kind="mentioned", actor="Pike") == [(Code.RECORD_SHAPE, "chunk[0].record[0].actor")]


@pytest.mark.parametrize("kind", [kind for kind in get_args(ItemKind) if kind != "transferred"])
def test_only_what_is_handed_over_has_a_receiver(kind: str) -> None:
    assert refused(kind=kind, recipient="Pike") == [(Code.RECORD_SHAPE, "chunk[0].record[0].recipient")]


@pytest.mark.parametrize("field", ["actor", "recipient", "detail"])
def test_blank_text_is_refused_and_null_is_the_word_for_nothing(field: str) -> None:
    assert refused(kind="transferred", **{field: " \n"}) == [(Code.RECORD_SHAPE, f"chunk[0].record[0].{field}")]


def test_fields_that_break_the_rules_are_asked_for_again() -> None:
    client = pages()
    client.enqueue(
        ITEM.prompt,
        {"occurrences": [ITEM.met("Lantern", (41, 41), kind="mentioned", actor="Pike")]},
        {"occurrences": [ITEM.met("Lantern", (41, 41), kind="mentioned")]},
        *[{"occurrences": []}] * 2,
    )
    from_first_page = ITEM.job(client).profile.model_copy(update={"concurrency": 1})
    result = ITEM.run(client, profile=from_first_page, retries=Retries(extract=1))

    assert [record["actor"] for record in records_of(result)] == [None]
    assert len(client.requests) == 4


def test_white_space_is_tidied_with_one_warning_and_words_stay() -> None:
    said = ITEM.met("Lantern", (41, 41), actor="  Sister\n Corwen ", detail="held  high")
    result = ITEM.run(pages([said]))
    (record,) = records_of(result)

    assert (record["actor"], record["detail"]) == ("Sister Corwen", "held high")
    assert [(finding.code, finding.where) for finding in result.findings] == [(Code.TEXT_TIDIED, "record[0]")]


@pytest.mark.parametrize(
    ("change", "count"),
    [
        pytest.param({"actor": "PIKE"}, 1, id="letter-case-of-the-actor"),
        pytest.param({"actor": "Corwen"}, 2, id="another-actor"),
        pytest.param({"actor": None}, 2, id="no-actor"),
        pytest.param({"detail": "again"}, 2, id="another-detail"),
        pytest.param({"recipient": "Wick"}, 2, id="another-recipient"),
    ],
)
def test_repeats_collapse_only_where_every_field_is_equal(change: dict[str, Any], count: int) -> None:
    first = {"kind": "transferred", "actor": "Pike"}
    said = [ITEM.met("Lantern", (41, 41), **first), ITEM.met("Lantern", (41, 41), **first | change)]
    result = ITEM.run(pages(said))

    assert records_of(result)[0]["actor"] == "Pike"
    assert len(records_of(result)) == count
    assert len(result.findings) == 2 - count
