"""A fuzz target whose inputs have a shape, which plain bytes would hardly ever find."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Generic, TypeVar

from hypothesis import strategies as st

Input = TypeVar("Input")


@dataclass(frozen=True, slots=True)
class ShapedTarget(Generic[Input]):
    """`invented` reads an input and returns what was read that does not stand in it.

    It raises AssertionError where the input was neither read nor refused as it should be.
    """

    name: str
    inputs: st.SearchStrategy[Input]
    invented: Callable[[Input], Set[str]]
