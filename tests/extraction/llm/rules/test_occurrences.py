"""The rules' answers about occurrences: kinds by cues, people by their players, shared places by what is near."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.canonical import JsonValue
from extraction.llm.rules.citing import MAX_RANGES
from extraction.llm.rules.item_occurrences import extract_item_occurrences
from extraction.llm.rules.location_occurrences import extract_location_occurrences
from extraction.llm.rules.npc_occurrences import extract_npc_occurrences
from tests.extraction.llm.rules.table import Said, extract_materials

# The game master speaks in every passage, so that nobody else is taken for one.
TOLD: Said = ("NOOR", "All right then.")
LADLE: JsonValue = {
    "name": "Long Ladle",
    "registry_refs": [{"start_unit_id": 300, "end_unit_id": 301}],
    "context": [{"unit_id": 300, "text": "In Brackwater you sleep at the Long Ladle of Mother Oake."}],
}
OTHER_LADLE: JsonValue = {
    "name": "Long Ladle",
    "registry_refs": [{"start_unit_id": 500, "end_unit_id": 500}],
    "context": [{"unit_id": 500, "text": "This house is the Long Ladle too, here in Fenmouth."}],
}


def rows(reply: JsonValue) -> list[Mapping[str, Any]]:
    assert isinstance(reply, Mapping)
    found: Any = reply["occurrences"]
    return list(found)


def places(row: Mapping[str, Any]) -> list[tuple[int, int]]:
    return [(ref["start_unit_id"], ref["end_unit_id"]) for ref in row["source_refs"]]


def npcs(
    *said: Said, names: Sequence[str] = ("Tessaly Brand", "Quill")
) -> list[tuple[str, str, list[tuple[int, int]]]]:
    found = rows(extract_npc_occurrences(extract_materials(*said, TOLD, npcs=list(names))))
    return [(row["name"], row["kind"], places(row)) for row in found]


def items(*said: Said) -> list[tuple[str, str, str | None, str | None]]:
    names: JsonValue = ["blue lantern", "Morrow"]
    found = rows(extract_item_occurrences(extract_materials(*said, TOLD, items=names)))
    return [(row["name"], row["kind"], row["actor"], row["recipient"]) for row in found]


def one_place(name: str) -> JsonValue:
    return {"name": name, "registry_refs": [], "context": []}


def locations(*said: Said, entries: Sequence[JsonValue] = (one_place("Brackwater"),)) -> list[Mapping[str, Any]]:
    return rows(extract_location_occurrences(extract_materials(*said, TOLD, locations=list(entries))))


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        pytest.param(("NOOR", "A woman waves. This is Tessaly Brand."), "appearance", id="this-is"),
        pytest.param(("NOOR", "In comes a woman named Tessaly Brand."), "appearance", id="named"),
        pytest.param(("NOOR", "Tessaly enters without a knock."), "appearance", id="enters"),
        pytest.param(("NOOR", "Tessaly says that the mill is closed."), "dialogue", id="says"),
        pytest.param(("NOOR", '"Too late," says Tessaly.'), "dialogue", id="says-after-quotation"),
        pytest.param(("NOOR", 'And Tessaly goes, "Not today."'), "dialogue", id="goes"),
        pytest.param(("NOOR", 'Tessaly, with a sigh. "Not today."'), "dialogue", id="quotation-near"),
        pytest.param(("NOOR", "Tessaly grabs the rope."), "action", id="acts"),
        pytest.param(("NOOR", "You have heard of Tessaly Brand."), "mention", id="heard-of"),
        pytest.param(("NOOR", '"Tessaly sent you?" he asks.'), "mention", id="in-a-quotation"),
        pytest.param(("INES", "Tessaly says no, I bet."), "mention", id="by-a-player"),
        pytest.param(("NOOR", "If Tessaly grabs it you are lost."), "mention", id="what-if"),
        pytest.param(("NOOR", "Does Tessaly grab it?"), "mention", id="question"),
    ],
)
def test_npc_occurrence_kind_follows_the_cue(said: Said, kind: str) -> None:
    assert npcs(said) == [("Tessaly Brand", kind, [(1, 1)])]


def test_npc_that_acts_and_speaks_in_one_unit_is_two_records() -> None:
    assert npcs(("NOOR", 'Tessaly sits up. Tessaly says, "No."'), ("NOOR", "Tessaly turns.")) == [
        ("Tessaly Brand", "appearance", [(1, 1)]),
        ("Tessaly Brand", "dialogue", [(1, 1)]),
        ("Tessaly Brand", "action", [(2, 2)]),
    ]


def test_npc_mentions_close_together_are_one_record_and_others_are_apart() -> None:
    chatter: list[Said] = [("THEO", "We walk on.")] * 9
    found = npcs(
        ("INES", "Who is Quillon?"), ("THEO", "Tessaly?"), ("INES", "Yes, Tessaly."), *chatter, ("THEO", "Tessaly.")
    )

    assert found == [("Tessaly Brand", "mention", [(2, 3)]), ("Tessaly Brand", "mention", [(13, 13)])]


def test_npc_record_cites_no_more_places_than_it_may() -> None:
    turns: list[Said] = [("INES", "Tessaly!"), ("THEO", "What?")] * 40
    found = npcs(*turns)

    assert sum(len(pairs) for _, _, pairs in found) == 40
    assert all(len(pairs) <= MAX_RANGES for _, _, pairs in found)


def test_npc_part_of_a_characters_name_is_not_the_npc() -> None:
    """Quill Harrow sits at this table: the short form is the character's."""
    assert npcs(("NOOR", "Quill grabs the rope."), names=["Quill Marsh"]) == []


@pytest.mark.parametrize(
    ("said", "event"),
    [
        pytest.param(("INES", "I take the blue lantern."), ("acquired", "Quill Harrow", None), id="i-take"),
        pytest.param(("INES", "I'll pick up the blue lantern."), ("acquired", "Quill Harrow", None), id="i-will"),
        pytest.param(("NOOR", "You find a blue lantern."), ("acquired", None, None), id="you-is-nobody-in-particular"),
        pytest.param(("NOOR", "Tessaly gives you the blue lantern."), ("transferred", "Tessaly", None), id="gives-you"),
        pytest.param(
            ("INES", "I give the blue lantern to Ash'vel."), ("transferred", "Quill Harrow", "Ash'vel"), id="to"
        ),
        pytest.param(
            ("NOOR", "Tessaly hands Quill the blue lantern."), ("transferred", "Tessaly", "Quill Harrow"), id="hands"
        ),
        pytest.param(("THEO", "I light the blue lantern."), ("used", "Ash'vel", None), id="uses"),
        pytest.param(("THEO", "I drop the blue lantern."), ("lost", "Ash'vel", None), id="drops"),
        pytest.param(("NOOR", "The blue lantern falls into the sea."), ("lost", None, None), id="falls"),
        pytest.param(("NOOR", "The blue lantern shatters."), ("destroyed", None, None), id="shatters"),
        pytest.param(("NOOR", "The blue lantern is broken."), ("destroyed", None, None), id="is-broken"),
        pytest.param(("INES", "I identify the blue lantern."), ("identified", "Quill Harrow", None), id="identifies"),
        pytest.param(("NOOR", "On the shelf stands a blue lantern."), ("mentioned", None, None), id="is-there"),
        pytest.param(("INES", "Can I take the blue lantern?"), ("mentioned", None, None), id="asks"),
        pytest.param(("INES", "I don't take the blue lantern."), ("mentioned", None, None), id="does-not"),
        pytest.param(("INES", "I would drop the blue lantern."), ("mentioned", None, None), id="would"),
        pytest.param(("INES", "Break the blue lantern!"), ("mentioned", None, None), id="order"),
        pytest.param(("INES", "We found the blue lantern there."), ("mentioned", None, None), id="tale"),
        pytest.param(("NOOR", "You've got the blue lantern."), ("mentioned", None, None), id="has"),
        pytest.param(("INES", "I give him money for the blue lantern."), ("mentioned", None, None), id="for"),
        pytest.param(("NOOR", '"I take the blue lantern," he says.'), ("mentioned", None, None), id="quoted"),
    ],
)
def test_item_occurrence_follows_the_verb(said: Said, event: tuple[str, str | None, str | None]) -> None:
    assert items(said) == [("blue lantern", *event)]


@pytest.mark.parametrize(
    ("said", "event", "units"),
    [
        pytest.param(
            [("INES", "I give it to Tessaly. The blue lantern.")],
            ("transferred", "Quill Harrow", "Tessaly"),
            [(1, 1)],
            id="same-unit",
        ),
        pytest.param(
            [("NOOR", "There lies a blue lantern."), ("THEO", "I take it.")],
            ("acquired", "Ash'vel", None),
            [(1, 2)],
            id="unit-before",
        ),
    ],
)
def test_item_occurrence_of_it_cites_where_the_item_is_named(
    said: list[Said], event: tuple[str, str | None, str | None], units: list[tuple[int, int]]
) -> None:
    found = rows(extract_item_occurrences(extract_materials(*said, TOLD, items=["blue lantern", "Morrow"])))
    happened = [row for row in found if row["kind"] != "mentioned"]

    assert [(row["kind"], row["actor"], row["recipient"]) for row in happened] == [event]
    assert [places(row) for row in happened] == [units]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([("NOOR", "A blue lantern and Morrow."), ("THEO", "I take it.")], id="two-items"),
        pytest.param([("NOOR", "A blue lantern."), ("INES", "Hm."), ("THEO", "I take it.")], id="too-far"),
        pytest.param([("NOOR", "A blue lantern."), ("THEO", "Can I take it?")], id="question"),
        pytest.param([("NOOR", "A blue lantern."), ("THEO", "Take it.")], id="order"),
    ],
)
def test_item_that_it_may_not_mean_is_only_mentioned(said: list[Said]) -> None:
    assert {kind for _, kind, _, _ in items(*said)} == {"mentioned"}


def test_item_event_leaves_no_mention_in_its_unit() -> None:
    assert items(("INES", "The blue lantern! I take the blue lantern."), ("THEO", "Morrow?")) == [
        ("blue lantern", "acquired", "Quill Harrow", None),
        ("Morrow", "mentioned", None, None),
    ]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        pytest.param(("NOOR", "You arrive at Brackwater."), "arrival", id="arrive-at"),
        pytest.param(("NOOR", "By noon you reach Brackwater."), "arrival", id="reach"),
        pytest.param(("NOOR", "This is the town of Brackwater."), "arrival", id="this-is"),
        pytest.param(("NOOR", "You are in Brackwater."), "presence", id="you-are-in"),
        pytest.param(("NOOR", "You leave Brackwater."), "departure", id="leave"),
        pytest.param(("NOOR", "You ride out of Brackwater."), "departure", id="out-of"),
        pytest.param(("NOOR", "The mayor in Brackwater wrote."), "mention", id="somebody-elsewhere"),
        pytest.param(("INES", "We go to Brackwater."), "mention", id="plan-of-a-player"),
        pytest.param(("NOOR", "You could reach Brackwater."), "mention", id="could"),
        pytest.param(("NOOR", '"You reach Brackwater by noon," he says.'), "mention", id="quoted"),
        pytest.param(("NOOR", "Do you reach Brackwater?"), "mention", id="question"),
    ],
)
def test_location_occurrence_kind_follows_the_cue(said: Said, kind: str) -> None:
    assert [(row["kind"], row["registry_refs"], places(row)) for row in locations(said)] == [(kind, [], [(1, 1)])]


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        pytest.param([("NOOR", "The Long Ladle in Fenmouth.")], OTHER_LADLE, id="name-beside-it"),
        pytest.param(
            [("NOOR", "You reach Brackwater."), ("INES", "To the Long Ladle!")], LADLE, id="name-in-the-unit-before"
        ),
        pytest.param(
            [("NOOR", "In Brackwater."), ("THEO", "And Fenmouth?"), ("INES", "To the Long Ladle!")],
            OTHER_LADLE,
            id="nearest-counts",
        ),
    ],
)
def test_location_of_a_shared_name_is_chosen_by_what_is_near(said: list[Said], chosen: Mapping[str, Any]) -> None:
    (row,) = locations(*said, entries=[LADLE, OTHER_LADLE])

    assert row["registry_refs"] == chosen["registry_refs"]


def test_location_of_a_shared_name_is_the_one_that_cites_the_unit() -> None:
    materials = extract_materials(locations=[LADLE, OTHER_LADLE])
    materials["transcript"] = [{"unit_id": 500, "speaker": "NOOR", "text": "This is the Long Ladle. Not Brackwater."}]
    (row,) = rows(extract_location_occurrences(materials))

    assert row["registry_refs"] == [{"start_unit_id": 500, "end_unit_id": 500}]
    assert places(row) == [(500, 500)]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([("INES", "What was the Long Ladle like?")], id="nothing-near"),
        pytest.param([("NOOR", "Brackwater or Fenmouth, the Long Ladle is the same.")], id="both-near"),
    ],
)
def test_location_of_a_shared_name_is_left_out_where_nothing_tells(said: list[Said]) -> None:
    assert locations(*said, entries=[LADLE, OTHER_LADLE]) == []


def test_misheard_terms_count_as_what_they_stand_for() -> None:
    glossary: JsonValue = [{"term": "Brackwater", "heard_as": ["brack water"]}]
    reply = extract_location_occurrences(
        extract_materials(("NOOR", "You reach brack water."), locations=[one_place("Brackwater")], glossary=glossary)
    )

    assert [row["name"] for row in rows(reply)] == ["Brackwater"]


@pytest.mark.parametrize("answer", [extract_npc_occurrences, extract_item_occurrences, extract_location_occurrences])
def test_nothing_given_is_nothing_found(answer: Any) -> None:
    assert answer({}) == {"occurrences": []}
    assert answer({"npcs": None, "items": 3, "locations": "x", "transcript": [None]}) == {"occurrences": []}


WORDS = st.sampled_from(
    [
        *("Tessaly", "Brand", "blue", "lantern", "Long", "Ladle", "Ash'vel", "I", "you", "to", "in", "of", "the", "on"),
        *("says", "takes", "give", "is", "leave", "picks", "put", "'s", '"', ".", "?", ","),
    ]
)


@given(st.lists(st.lists(WORDS, max_size=14).map(" ".join), max_size=8), st.sampled_from(["NOOR", "INES", None]))
def test_answers_cite_given_units_and_given_names_whatever_is_said(texts: list[str], speaker: str | None) -> None:
    said: list[Said] = [(speaker, text) for text in texts]
    materials = extract_materials(
        *said, npcs=["Tessaly Brand"], items=["blue lantern"], locations=[LADLE, OTHER_LADLE, one_place("Tessaly")]
    )
    found = [
        row
        for answer in (extract_npc_occurrences, extract_item_occurrences, extract_location_occurrences)
        for row in rows(answer(materials))
    ]

    assert all(1 <= start <= end <= len(texts) for row in found for start, end in places(row))
    assert all(places(row) for row in found)
    assert all(row.get("actor") is None for row in found if row["kind"] == "mentioned")
    assert all(row.get("recipient") is None for row in found if row["kind"] != "transferred")
