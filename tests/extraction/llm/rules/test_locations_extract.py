from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.canonical import JsonValue
from extraction.llm.rules.citing import MAX_RANGES
from extraction.llm.rules.locations_extract import extract_locations
from tests.extraction.llm.rules.registries import Named, found, narrated
from tests.extraction.llm.rules.table import Said, units


def places(*said: Said, **changes: JsonValue) -> list[Named]:
    return found(extract_locations, "locations", *said, **changes)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("You come to the town of Belmarsh.", "Belmarsh", id="town-of"),
        pytest.param("There is a tavern called the Gilded Otter.", "Gilded Otter", id="called"),
        pytest.param("The sign reads: The Gilded Otter. You hear music.", "Gilded Otter", id="sign"),
        pytest.param('"Welcome to Belmarsh," a guard says.', "Belmarsh", id="welcome"),
        pytest.param("You sleep at the Gilded Otter inn.", "Gilded Otter", id="inn-after-name"),
        pytest.param("You see Belmarsh, a walled city on a hill.", "Belmarsh", id="apposition"),
        pytest.param("You know that Belmarsh is a quiet village.", "Belmarsh", id="is-a-village"),
        pytest.param("It has been a long week in Belmarsh.", "Belmarsh", id="in"),
        pytest.param("And then you leave Belmarsh behind.", "Belmarsh", id="leave"),
        pytest.param("You follow the Cinder Road for a day.", "Cinder Road", id="road"),
        pytest.param("You cross the Long Bridge at noon.", "Long Bridge", id="bridge-of-common-words"),
        pytest.param("You can see Castle Dray from here.", "Castle Dray", id="castle"),
        pytest.param("This is the Chapel of Quiet Rain.", "Chapel of Quiet Rain", id="chapel-of"),
        pytest.param("You reach the Weaver's Gate.", "Weaver's Gate", id="possessive-inside"),
        pytest.param("You meet at the Weavers' Hall.", "Weavers' Hall", id="plural-possessive-inside"),
        pytest.param("The Hall of the Drowned Kings lies open before you.", "Hall of the Drowned Kings", id="of-the"),
    ],
)
def test_extract_locations_names_a_place_on_a_cue(text: str, name: str) -> None:
    assert places(("NOOR", text)) == [(name, [(1, 1)])]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(("NOOR", "You enter the inn and sit by the door."), id="kinds"),
        pytest.param(("NOOR", "A woman named Wenna waits in the house. Wenna says hello."), id="person"),
        pytest.param(("NOOR", "You go to Wenna. And then Wenna says that she is tired."), id="way-to-a-person"),
        pytest.param(("NOOR", "You look in Quill's eyes and walk to Ash'vel."), id="party"),
        pytest.param(("NOOR", "The Captain waits. Lord Ruven Castellane is in Wenna's house."), id="titles"),
        pytest.param(("INES", "I was in London last week, and in New York before."), id="world-outside"),
        pytest.param(("THEO", "They said that in Elvish. I cast it in Common."), id="languages"),
        pytest.param(("NOOR", "Roll me a Wisdom save. In Initiative order, please."), id="rules"),
        pytest.param(("NOOR", "in belmarsh, at the gilded otter"), id="no-capitals"),
        pytest.param(("NOOR", "Flat fields lie before you. Old roads lead on."), id="sentence-starts"),
        pytest.param(("THEO", "OKAY. In GREAT shape."), id="shouting"),
        pytest.param(("NOOR", "It went in Wenna-style, to Belmarsh-wide cheers."), id="hyphen"),
        pytest.param(("NOOR", f"You come to the town of W{'o' * 300}."), id="cry"),
        pytest.param(("NOOR", ""), id="empty"),
    ],
)
def test_extract_locations_leaves_out(said: Said) -> None:
    assert places(said) == []


def test_extract_locations_gives_a_name_once_with_all_its_places() -> None:
    said = narrated("You come to the town of Belmarsh.", "It rains.", "Belmarsh is loud.", "So you leave Belmarsh.")

    assert places(*said) == [("Belmarsh", [(1, 1), (3, 4)])]


def test_extract_locations_counts_the_short_form_for_the_full_name() -> None:
    said = narrated("There is an inn called the Gilded Otter.", "It rains.", "You go back to the Otter.")

    assert places(*said) == [("Gilded Otter", [(1, 1), (3, 3)])]


def test_extract_locations_writes_the_glossary_term() -> None:
    glossary: list[JsonValue] = [{"term": "Belmarsh", "heard_as": ["bell march"]}]
    said = narrated("You come to the town of bell march.", "In bell march it rains.")

    assert places(*said, glossary=glossary) == [("Belmarsh", [(1, 2)])]


def test_extract_locations_does_not_cite_the_context() -> None:
    around = {"before": units(*narrated("This is the town of Belmarsh."), first=100), "after": []}

    assert places(*narrated("You are in Belmarsh."), context=around) == [("Belmarsh", [(1, 1)])]
    assert places(*narrated("It rains."), context=around) == []


def test_extract_locations_bounds_the_ranges() -> None:
    ((_, ranges),) = places(*narrated(*["You are in Belmarsh.", "It rains."] * 30))

    assert len(ranges) == MAX_RANGES


TWO_INNS = narrated(
    "We slept in Belmarsh, at the Gilded Otter.",
    "Days later you come to the town of Fennick.",
    "The sign says: The Gilded Otter.",
    "It is just two inns with the same name. The Gilded Otter in Fennick is grander.",
)


def test_extract_locations_keeps_two_places_of_one_name_apart() -> None:
    records = [ranges for name, ranges in places(*TWO_INNS) if name == "Gilded Otter"]

    assert sorted(records) == [[(1, 1)], [(3, 4)]]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("There are two Weaver's Wells. You know the Weaver's Well in Belmarsh.", id="two"),
        pytest.param("The other Weaver's Well is in Belmarsh.", id="other"),
        pytest.param("You remember the Weaver's Well, the Belmarsh one.", id="the-one-of"),
    ],
)
def test_extract_locations_keeps_the_second_apart_on(text: str) -> None:
    said = narrated("You left Belmarsh.", "You come to the town of Fennick.", "This is the Weaver's Well.", text)
    records = [ranges for name, ranges in places(*said) if name == "Weaver's Well"]

    assert sorted(records) == [[(3, 3)], [(4, 4)]]


def test_extract_locations_without_talk_of_two_gives_one() -> None:
    said = narrated("You are in Belmarsh, at the Gilded Otter.", "You come to Fennick.", "You miss the Gilded Otter.")
    records = [ranges for name, ranges in places(*said) if name == "Gilded Otter"]

    assert records == [[(1, 1), (3, 3)]]


SHOWN = st.lists(
    st.tuples(
        st.sampled_from(["NOOR", "INES", None]), st.text(alphabet="the Two Inns' of Ab.,'\u2019\u00e9 ", max_size=80)
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(SHOWN)
def test_extract_locations_answers_whatever_is_said_and_cites_only_it(said: list[Said]) -> None:
    ranges = [pair for _, pairs in places(*said) for pair in pairs]

    assert all(1 <= start <= end <= len(said) for start, end in ranges)
