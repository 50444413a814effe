from __future__ import annotations

import pytest

from campaigns.library.differences import Difference, Known, differences


def known(entity_id: str, name: str = "", *others: str, session: int = 1) -> Known:
    return Known(entity_id, name or entity_id.upper(), frozenset(others), session)


A, B, C = known("a"), known("b"), known("c")


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        pytest.param([], [A], [("created", "a", ())], id="created"),
        pytest.param([A], [], [("retired", "a", ())], id="retired"),
        pytest.param([A], [A], [], id="nothing"),
        pytest.param([A], [known("a", "New")], [("renamed", "a", ())], id="renamed-under-its-id"),
        pytest.param([A], [known("b", "B", "a")], [("renamed", "a", ("b",))], id="renamed-with-another-id"),
        pytest.param([A, B], [known("a", "A", "b")], [("merged", "b", ("a",))], id="merged-into-one-that-was"),
        pytest.param(
            [A, B], [known("c", "C", "a", "b")], [("merged", "a", ("c",)), ("merged", "b", ("c",))], id="merged-anew"
        ),
        pytest.param([known("a", "A", "b")], [A, B], [("split", "a", ("a", "b"))], id="split-one-stays"),
        pytest.param([known("c", "C", "a", "b")], [A, B], [("split", "c", ("a", "b"))], id="split-none-stays"),
    ],
)
def test_differences(before: list[Known], after: list[Known], told: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert [(one.change, one.entity_id, one.superseded_by) for one in differences(before, after)] == told


def test_differences_tell_the_name_before() -> None:
    (renamed,) = differences([A], [known("a", "New")])

    assert (renamed.name, renamed.was) == ("New", "A")


def test_what_is_untold_by_one_change_is_told_as_created() -> None:
    def untold(change: Difference) -> bool:
        return "a" in change.ids and len(change.ids) > 1

    found = differences([known("a", "A", "b")], [A, B], untold=untold)

    assert [(one.change, one.entity_id) for one in found] == [("created", "b")]


def test_differences_are_of_the_session_that_made_them_but_for_what_is_new() -> None:
    found = differences([A], [known("a", "New"), known("c", session=2)], session=5)

    assert [(one.change, one.session) for one in found] == [("renamed", 5), ("created", 2)]
