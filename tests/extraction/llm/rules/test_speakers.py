from __future__ import annotations

import pytest

from extraction.llm.rules.materials import Unit
from extraction.llm.rules.speakers import TableNames, gm_keys, infer_gm, labels
from tests.extraction.llm.rules.table import GM, PARTY


@pytest.mark.parametrize(
    ("speaker", "expected"),
    [
        (None, ()),
        ("NOOR", ("noor",)),
        ("INES & THEO", ("ines", "theo")),
        ("Noor (GM)", ("noor",)),
        ("Ana and Bo", ("ana", "bo")),
        ("Sandra", ("sandra",)),
        (" & ", ()),
    ],
)
def test_labels_splits_a_joint_turn(speaker: str | None, expected: tuple[str, ...]) -> None:
    assert labels(speaker) == expected


def test_infer_gm_prefers_the_words_of_a_game_master_over_chatter() -> None:
    units = (
        Unit(1, "Kim", "You see a door. Make a perception check. What do you do?"),
        Unit(
            2, "Lee", "I had such a long day at work, and then the bus was late, and then it rained on me all the way."
        ),
    )

    assert infer_gm(units) == {"kim"}


def test_infer_gm_without_speakers_is_nobody() -> None:
    assert infer_gm((Unit(1, None, "You see a door."),)) == frozenset()


CHATTER = "I had such a long day at work, and then the bus was late, and then it rained all the way home."


def test_infer_gm_is_nobody_where_nobody_speaks_like_one() -> None:
    assert infer_gm((Unit(1, "Kim", CHATTER), Unit(2, "Lee", "Ten."))) == frozenset()


def test_infer_gm_is_none_of_the_players() -> None:
    units = (Unit(1, "Kim", "You see a door. Make a perception check."), Unit(2, "Lee", "As you wish, you see."))

    assert infer_gm(units, {"kim"}) == {"lee"}


@pytest.mark.parametrize("speaker", ["INES", "INES & THEO"])
def test_gm_keys_takes_no_player_for_the_game_master_of_a_roster(speaker: str) -> None:
    units = (Unit(1, speaker, f"You see, {CHATTER}"), Unit(2, "Guest", "As you know, what do you say?"))

    assert gm_keys({"gm": GM, "party": PARTY}, units) == {"noor"}


def test_gm_keys_without_a_label_infers_one_of_the_others() -> None:
    units = (Unit(1, "INES", f"You see, {CHATTER}"), Unit(2, "Zed", "Make a perception check."))

    assert gm_keys({"party": PARTY}, units) == {"zed"}


def test_gm_keys_falls_back_where_the_known_label_never_speaks() -> None:
    units = (Unit(1, "Speaker 1", "You see a door."),)

    assert "speaker 1" in gm_keys({"gm": GM}, units)


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("Quill", True),
        ("quill harrow", True),
        ("Harrow", True),
        ("Quill the bold", True),
        ("Ash", True),
        ("Noor", True),
        ("Speaker", True),
        ("Edda Harrow", False),
        ("Wenna", False),
        ("", False),
    ],
)
def test_table_names_refuses_the_people_at_the_table(name: str, refused: bool) -> None:
    table = TableNames({"gm": GM, "party": PARTY}, (Unit(1, "SPEAKER", "Hello."),))

    assert table.refuses(name) is refused
