"""Scenes that a person changed, made into an artifact again."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from extraction.codes import Code
from extraction.dnd.scenes.lane import SCENES
from extraction.dnd.settling import settle_records
from extraction.framework import JsonValue
from extraction.source.documents import SourceDocument
from tests.extraction.dnd.scenes.test_scenes import document, scope_of, start


def envelope(made: SourceDocument) -> Mapping[str, JsonValue]:
    source: JsonValue = {"source_id": made.source_id, "digest": "0" * 64, "unit_count": len(made.units)}
    return {"schema": "notarius.dnd.scenes.v1", "source": source}


@pytest.mark.parametrize(("units", "codes"), [(3, [Code.SCENES_NOT_A_PARTITION]), (0, [])])
def test_no_scenes_at_all_are_a_plan_of_nothing_but_an_empty_transcript(units: int, codes: list[Code]) -> None:
    made = document(units)
    settled = settle_records(SCENES, envelope(made), [], (), scope_of(made))

    assert [finding.code for finding in settled.findings] == codes
    assert settled.payload == (None if codes else {**envelope(made), "scenes": []})


def test_scenes_reach_to_where_the_next_one_starts() -> None:
    made = document(6)
    ids = [unit.unit_id for unit in made.units]
    given = [{**start(ids[at]), "end_unit_id": ids[at]} for at in (4, 0, 2)]
    settled = settle_records(SCENES, envelope(made), given, (0, 1, 2), scope_of(made))

    assert settled.order == (1, 2, 0)
    assert settled.payload is not None
    scenes: list[dict[str, int]] = settled.payload["scenes"]  # type: ignore[assignment]
    assert [(scene["start_unit_id"], scene["end_unit_id"]) for scene in scenes] == [
        (ids[0], ids[1]),
        (ids[2], ids[3]),
        (ids[4], ids[5]),
    ]
