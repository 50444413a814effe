"""A short run of each target with a shape; a long one is `python -m tests.fuzz`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.archive_targets import TARGETS as ARCHIVES
from tests.fuzz.recogniser_targets import TARGETS as RECOGNISERS
from tests.fuzz.shaped import ShapedTarget


@pytest.mark.parametrize("target", [*RECOGNISERS, *ARCHIVES], ids=lambda target: target.name)
@settings(max_examples=20, deadline=None)
@given(drawn=st.data())
def test_a_shaped_target_is_read_without_a_letter_of_its_own_or_refused(
    target: ShapedTarget[Any], drawn: st.DataObject
) -> None:
    assert target.invented(drawn.draw(target.inputs)) == set()
