from __future__ import annotations

from extraction.llm.rules.locations_reconcile import reconcile_locations
from tests.extraction.llm.rules.registries import Named, groups, question

BELMARSH = [(1, "You come to the town of Belmarsh."), (2, "You walk around."), (3, "It rains in Belmarsh.")]


def test_same_name_without_talk_of_two_is_one_place_selected_by_full_ranges() -> None:
    records: list[Named] = [("Belmarsh", [(1, 1)]), ("Belmarsh", [(3, 3), (12, 12)])]
    asked = question(records, BELMARSH, [(12, "You are back in Belmarsh.")])

    assert groups(reconcile_locations, asked) == [(records, "Belmarsh")]


def test_names_that_differ_by_an_article_are_one_place_selected_by_name() -> None:
    records: list[Named] = [("Gilded Otter", [(1, 1)]), ("The Gilded Otter", [(9, 9)])]
    asked = question(records, [(1, "You find the Gilded Otter.")], [(9, "The Gilded Otter is full.")])

    assert groups(reconcile_locations, asked) == [([("Gilded Otter", []), ("The Gilded Otter", [])], "Gilded Otter")]


def test_short_form_joins_the_one_full_name() -> None:
    records: list[Named] = [("Gilded Otter", [(1, 1)]), ("Otter", [(9, 9)])]
    asked = question(records, [(1, "You find the Gilded Otter.")], [(9, "You sit in the Otter.")])

    assert [canonical for _, canonical in groups(reconcile_locations, asked)] == ["Gilded Otter"]


def test_town_and_its_castle_stay_apart() -> None:
    records: list[Named] = [("Dray", [(1, 1)]), ("Castle Dray", [(9, 9)])]
    asked = question(records, [(1, "You come to Dray.")], [(9, "You see Castle Dray.")])

    assert groups(reconcile_locations, asked) == []


def test_different_names_stay_apart() -> None:
    records: list[Named] = [("Belmarsh", [(1, 1)]), ("Belmarsh Gate", [(3, 3)]), ("Fennick", [(2, 2)])]

    assert groups(reconcile_locations, question(records, BELMARSH)) == []


OTTERS: list[Named] = [("Gilded Otter", [(1, 1)]), ("Gilded Otter", [(11, 11)]), ("Gilded Otter", [(21, 21)])]
TOWNS: list[Named] = [("Belmarsh", [(1, 1)]), ("Fennick", [(20, 20)])]
FIRST = [(1, "You are in Belmarsh, and there is the Gilded Otter.")]
AGAIN = [(10, "Morning in Belmarsh."), (11, "The Gilded Otter is loud.")]
ELSEWHERE = [(20, "You reach Fennick."), (21, "It has an inn too: the other Gilded Otter.")]


def test_two_places_of_one_name_are_grouped_by_the_town_their_window_shows() -> None:
    asked = question([*OTTERS, *TOWNS], FIRST, AGAIN, ELSEWHERE)

    assert groups(reconcile_locations, asked) == [(OTTERS[:2], "Gilded Otter")]


def test_place_whose_window_shows_no_town_stays_by_itself_where_there_are_two() -> None:
    asked = question([*OTTERS, *TOWNS], FIRST, [(11, "The Gilded Otter is loud.")], ELSEWHERE)

    assert groups(reconcile_locations, asked) == []


def test_differing_towns_named_with_the_name_keep_places_apart_without_talk_of_two() -> None:
    records: list[Named] = [*OTTERS[:2], ("Belmarsh", [(1, 1)]), ("Fennick", [(11, 11)])]
    asked = question(
        records, [(1, "We liked the Gilded Otter in Belmarsh.")], [(11, "You enter the Gilded Otter in Fennick.")]
    )

    assert groups(reconcile_locations, asked) == []


def test_place_named_with_its_town_is_never_decided_by_what_stands_in_another_window() -> None:
    """The window before ends in Belmarsh, but it is another passage of the session."""
    asked = question([*OTTERS, *TOWNS], FIRST, [(21, "The other Gilded Otter is loud.")], [(11, "The Gilded Otter.")])

    assert groups(reconcile_locations, asked) == []


def test_records_whose_windows_are_left_out_are_in_no_group() -> None:
    records: list[Named] = [("Belmarsh", [(1, 1)]), ("Belmarsh", [(3, 3)]), ("Belmarsh", [(12, 12)])]

    assert groups(reconcile_locations, question(records, BELMARSH)) == [(records[:2], "Belmarsh")]
    assert groups(reconcile_locations, question(records)) == []


def test_hundreds_of_records_of_one_name_are_one_group() -> None:
    records: list[Named] = [("Belmarsh", [(at, at)]) for at in range(1, 601)]
    asked = question(records, [(at, "You are in Belmarsh.") for at in range(1, 601)])
    ((members, canonical),) = groups(reconcile_locations, asked)

    assert (members, canonical) == (records, "Belmarsh")


def test_misheard_name_is_read_as_its_term() -> None:
    records: list[Named] = [("Belmarsh", [(1, 1)]), ("Belmarsh", [(9, 9)]), ("Gilded Otter", [(1, 1)])]
    asked = question(
        records,
        [(1, "You are in bell march.")],
        [(9, "You leave bell march.")],
        glossary=[{"term": "Belmarsh", "heard_as": ["bell march"]}],
    )

    assert groups(reconcile_locations, asked) == [(records[:2], "Belmarsh")]


def test_nothing_offered_gives_no_group() -> None:
    assert groups(reconcile_locations, {}) == []
