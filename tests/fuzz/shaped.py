"""A fuzz target whose inputs have a shape, which plain bytes would hardly ever find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from hypothesis import strategies as st

Input = TypeVar("Input")


@dataclass(frozen=True, slots=True)
class ShapedTarget(Generic[Input]):
    """`check` raises AssertionError for an input on which the reader fails."""

    name: str
    inputs: st.SearchStrategy[Input]
    check: Callable[[Input], object]
