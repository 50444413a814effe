"""Pages, endpoints and tools reach campaigns through one door: `campaigns/access.py`, or the library's `sight_of`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("views", "api", "mcp")
FILES = sorted(file for room in ROOMS for file in (ROOT / "campaigns" / room).rglob("*.py"))
DOORS = {
    "campaign_for",
    "standing",
    "may",
    "sees",
    "version_for",
    "run_for",
    "visible_campaigns",
    "sight_of",
    "seen_by",
}
# An invitation is found by what its bearer holds, not by who they are: that is what it is for.
BY_SECRET = {("invitations.py", "_opened")}
KEYS = {"pk", "id"}


def functions(file: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.FunctionDef):
            yield node


def is_lookup_by_key_alone(node: ast.AST) -> bool:
    """Say whether it is a `filter` or `get` of rows by nothing but a key that is not one of a row in hand."""
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("filter", "get")
    ):
        return False
    if ".objects" not in ast.unparse(node.func) or not node.keywords:
        return False
    in_hand = all(isinstance(each.value, ast.Attribute) and each.value.attr in KEYS for each in node.keywords)
    return {each.arg for each in node.keywords} <= KEYS and not in_hand


def names(node: ast.AST) -> set[str]:
    found = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_campaigns_come_through_the_door_alone(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert "Campaign.objects" not in text
    assert "get_object_or_404" not in text
    assert "visible_to(" not in text


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_rows_found_by_a_key_alone_are_checked_where_they_are_found(file: Path) -> None:
    unchecked = [
        function.name
        for function in functions(file)
        if any(is_lookup_by_key_alone(node) for node in ast.walk(function))
        and not names(function) & DOORS
        and (file.name, function.name) not in BY_SECRET
    ]

    assert unchecked == []


def test_the_search_finds_such_rows() -> None:
    bare = ast.parse("def f(pk):\n    return Run.objects.select_related('x').filter(pk=pk).first()")
    within = ast.parse("def f(pk, c):\n    return Run.objects.filter(campaign=c, pk=pk).first()")
    in_hand = ast.parse("def f(row):\n    return Run.objects.get(pk=row.pk)")

    assert [any(is_lookup_by_key_alone(node) for node in ast.walk(tree)) for tree in (bare, within, in_hand)] == [
        True,
        False,
        False,
    ]
