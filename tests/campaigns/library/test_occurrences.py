"""Where an entry occurs is read from what tells of it alone: a long campaign has thousands of occurrences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from campaigns.library import occurrences
from campaigns.library.editions import payloads
from campaigns.library.places import positions_of
from campaigns.library.sight import Edition, Sight
from extraction.identity import comparison_key, npc_id
from tests.campaigns.library import story
from tests.campaigns.library.story import DUKE, STRANGER, Story

Wanted = Mapping[int, Collection[int]]


@pytest.fixture(scope="module")
def shared(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Story]:
    with story.for_a_module("salt-ferry", django_db_blocker) as made:
        yield made


@pytest.fixture
def seen(shared: Story, db: None) -> Sight:
    return Sight(shared.campaign, Edition.PLAYER, words=True, as_of=None)


@pytest.fixture
def duke() -> str:
    return npc_id(comparison_key(DUKE))


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[Wanted]:
    asked: list[Wanted] = []

    def noting(wanted: Wanted) -> Any:
        asked.append(wanted)
        return positions_of(wanted)

    monkeypatch.setattr(occurrences, "positions_of", noting)
    return asked


def test_only_the_entrys_own_units_are_looked_up(seen: Sight, looked_up: list[Wanted]) -> None:
    stranger = npc_id(comparison_key(STRANGER))
    found = payloads(seen, ["npc-occurrences", "scenes"])
    told = occurrences.occurrences_of(seen, "npc", stranger)
    scenes = {
        (version.transcript_id, scene["start_unit_id"])
        for (_, family), (version, payload) in found.items()
        if family == "scenes"
        for scene in payload["scenes"]
    }
    own = {(version.transcript_id, ref["start_unit_id"]) for version, ref in _refs(found, stranger)}
    others = {(version.transcript_id, ref["start_unit_id"]) for version, ref in _refs(found)} - own
    asked = {(transcript, unit) for wanted in looked_up for transcript, units in wanted.items() for unit in units}

    assert told
    assert {unit for transcript, unit in others - scenes if transcript in dict(scenes)}
    assert asked <= own | scenes


def test_how_often_entries_occur_is_counted_without_their_places(seen: Sight, looked_up: list[Wanted]) -> None:
    assert occurrences.presence(seen, "npc")
    assert looked_up == []


def test_a_page_reads_each_artifact_once(seen: Sight, duke: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: Counter[str] = Counter()

    def noting(sight: Sight, families: Collection[str]) -> Any:
        read.update(families)
        return payloads(sight, families)

    monkeypatch.setattr(occurrences, "payloads", noting)
    asked: tuple[Callable[[], object], ...] = (
        lambda: occurrences.occurrences_of(seen, "npc", duke),
        lambda: occurrences.companions(seen, "npc", duke),
        lambda: occurrences.presence(seen, "npc"),
    )
    for ask in asked:
        ask()

    assert set(read.values()) == {1}


def _refs(found: Any, entity_id: str | None = None) -> Iterator[tuple[Any, Any]]:
    """Yield version and first citation of every occurrence, or of those of one entry."""
    for (_, family), (version, payload) in found.items():
        for record in payload["occurrences"] if family == "npc-occurrences" else ():
            if entity_id in (None, record["npc_id"]):
                yield version, record["source_refs"][0]
