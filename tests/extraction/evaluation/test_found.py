"""Artifacts from outside: read as far as the scores need them, refused in one sentence."""

from __future__ import annotations

import orjson
import pytest

from extraction.codes import Code
from extraction.errors import InputError
from extraction.evaluation.evaluate import score_lane
from extraction.evaluation.found import read_artifact
from tests.extraction import story
from tests.extraction.evaluation.labelling import INDEX, Json, artifact_bytes, durable, entity, gold_of, turn

SOURCE = {"digest": story.DOCUMENT.digest}


def npc(*pairs: tuple[int, int] | int, **changes: object) -> Json:
    return {**durable("dnd/npcs", entity("Wick", *pairs)), **changes}


def test_read_artifact_turns_evidence_into_positions() -> None:
    artifact = read_artifact(artifact_bytes("dnd/npcs", [npc((206, 205), 50)]), INDEX, "npcs.json")

    assert artifact.lane == "dnd/npcs"
    assert [(each.at, each.units) for each in artifact.records] == [(0, frozenset({7, 29, 30}))]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        pytest.param(b"", "artifact.json", id="empty"),
        pytest.param(orjson.dumps({"schema": "notarius.dnd.npcs.v1"}), "source", id="no-source"),
        pytest.param(orjson.dumps({"schema": "notarius.dnd.dragons.v1", "source": SOURCE}), "schema", id="no-lane"),
        pytest.param(orjson.dumps({"schema": "notarius.dnd.npcs.v1", "source": SOURCE}), "npcs", id="no-records"),
        pytest.param(artifact_bytes("dnd/npcs", [npc(50), npc(50, name=7)]), "npcs[1].name", id="name"),
        pytest.param(artifact_bytes("dnd/npcs", [npc(50, source_refs=[])]), "npcs[0].source_refs", id="no-evidence"),
        pytest.param(artifact_bytes("dnd/npcs", [npc(50), npc(999)]), "npcs[1]", id="unknown-unit"),
        pytest.param(artifact_bytes("dnd/npcs", [npc((205, 206))]), "npcs[0]", id="reversed"),
    ],
)
def test_read_artifact_refuses_in_one_sentence(data: bytes, place: str) -> None:
    with pytest.raises(InputError) as error:
        read_artifact(data, INDEX, "artifact.json")

    assert error.value.code is Code.EVALUATION_INVALID
    assert str(error.value).startswith("artifact.json: ")
    assert place in str(error.value)
    assert "Wick" not in str(error.value)


def test_score_lane_knows_labelled_lanes_alone() -> None:
    artifact = read_artifact(
        artifact_bytes("dnd/combat-turns", [durable("dnd/combat-turns", turn("Pike", 41))]), INDEX, "turns.json"
    )
    with pytest.raises(KeyError):
        score_lane(gold_of({"dnd/npcs": []}), artifact)
