"""A bound registry's content, member names included, is part of what gives the reading lane its meaning."""

from __future__ import annotations

from typing import Any

import pytest

from extraction.lanes.extract import extract_fingerprint
from extraction.lanes.job import BoundReference
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from tests.extraction import story

READERS = [
    pytest.param(lane.key, name, id=f"{lane.family}-{name}")
    for lane in LANES.values()
    for name, slot in lane.slots.items()
    if not slot.only_cuts
]
CUTS = [
    pytest.param(lane.key, name, id=f"{lane.family}-{name}")
    for lane in LANES.values()
    for name, slot in lane.slots.items()
    if slot.only_cuts
]
PAYLOAD = {"schema": "x", "records": [{"id": "a", "name": "Wick"}]}
BOUND: dict[str, Any] = {"lane": "x", "payload": PAYLOAD, "members": {"a": ["Wick"]}, "version": 1, "why": "run"}


def fingerprint(key: str, slot: str, **changes: object) -> str:
    references = {slot: BoundReference(**BOUND | changes)}
    return extract_fingerprint(LANES[key], story.make_job(ScriptedClient(), references=references))


@pytest.mark.parametrize(("key", "slot"), READERS)
def test_content_and_member_names_change_the_fingerprint(key: str, slot: str) -> None:
    other = {"schema": "x", "records": [{"id": "a", "name": "Wick the Elder"}]}
    found = {
        fingerprint(key, slot),
        fingerprint(key, slot, payload=other),
        fingerprint(key, slot, members={"a": ["Wick", "The Eel-catcher"]}),
        fingerprint(key, slot, members={}),
        extract_fingerprint(LANES[key], story.make_job(ScriptedClient())),
    }

    assert len(found) == 5


@pytest.mark.parametrize(("key", "slot"), CUTS)
def test_what_only_cuts_is_in_the_range_of_each_chunk_and_not_in_the_fingerprint(key: str, slot: str) -> None:
    assert fingerprint(key, slot) == extract_fingerprint(LANES[key], story.make_job(ScriptedClient()))


@pytest.mark.parametrize(("key", "slot"), READERS)
def test_version_number_and_reason_do_not(key: str, slot: str) -> None:
    assert fingerprint(key, slot) == fingerprint(key, slot, version=7, why="approved")
