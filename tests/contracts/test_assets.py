"""Published JSON Schemas agree with the models they are made from, and with what the lanes make."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from pydantic import BaseModel
from pydantic import ValidationError as ModelError

from extraction.canonical import canonical_json
from extraction.dnd.artifacts.schemas import ARTIFACTS, DIALECT, durable_schema, schema_file
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.registry import LANES
from tests.extraction import story
from tests.extraction.story import ASSETS

MODELS = [pytest.param(folder, model, id=folder) for folder, model in ARTIFACTS.items()]


def published(folder: str) -> dict[str, Any]:
    schema: dict[str, Any] = orjson.loads((ASSETS / "dnd" / folder / "artifact.schema.json").read_bytes())
    return schema


@pytest.fixture(scope="module")
def payload() -> dict[str, Any]:
    """An NPC artifact as the lane makes it, as a reader of the file has it."""
    client = story.asking(story.groups(story.group("Aurelio Voss", "Captain Voss")))
    result = run_lane(LANES["dnd/npcs"], story.make_job(client), LanePorts())
    made: dict[str, Any] = orjson.loads(canonical_json(result.payload))
    return made


@pytest.mark.parametrize(("folder", "model"), MODELS)
def test_schema_file_is_made_from_the_model(folder: str, model: type[BaseModel]) -> None:
    assert (ASSETS / "dnd" / folder / "artifact.schema.json").read_bytes() == schema_file(model)


@pytest.mark.parametrize(("folder", "model"), MODELS)
def test_schema_is_valid_names_itself_and_closes_every_object(folder: str, model: type[BaseModel]) -> None:
    schema = published(folder)
    Draft202012Validator.check_schema(schema)
    objects = [node for node in nodes(schema) if node.get("type") == "object"]

    assert schema["$schema"] == DIALECT
    assert schema["$id"] == schema["properties"]["schema"]["const"] == f"notarius.dnd.{folder.replace('_', '-')}.v1"
    assert schema["title"]
    assert all(node["additionalProperties"] is False for node in objects)
    assert durable_schema(model) == schema


def test_every_lane_publishes_a_schema() -> None:
    assert {lane.family.replace("-", "_") for lane in LANES.values()} <= set(ARTIFACTS)


def test_made_artifact_satisfies_schema_and_model(payload: dict[str, Any]) -> None:
    Draft202012Validator(published("npcs")).validate(payload)
    model = ARTIFACTS["npcs"].model_validate_json(canonical_json(payload))

    assert model.model_dump(by_alias=True, mode="json") == payload


MISTAKES: list[Any] = [
    pytest.param(("npcs", 0), {"aliases": []}, id="unknown-field-in-record"),
    pytest.param((), {"history": 1}, id="unknown-field-in-envelope"),
    pytest.param(("npcs", 0), {"id": "npc:sha256:short"}, id="id-shape"),
    pytest.param(("npcs", 0), {"name": ""}, id="empty-name"),
    pytest.param(("npcs", 0), {"source_refs": []}, id="no-evidence"),
    pytest.param(("npcs", 0, "source_refs", 0), {"start_unit_id": "41"}, id="unit-id-text"),
    pytest.param(("npcs", 0, "source_refs", 0), {"start_unit_id": 0}, id="unit-id-zero"),
    pytest.param((), {"schema": "notarius.dnd.npcs.v2"}, id="other-version"),
    pytest.param(("source",), {"digest": "ABC"}, id="digest-shape"),
]


@pytest.mark.parametrize(("path", "change"), MISTAKES)
def test_schema_and_model_refuse_the_same_mistakes(
    payload: dict[str, Any], path: tuple[str | int, ...], change: dict[str, Any]
) -> None:
    spoilt = orjson.loads(orjson.dumps(payload))
    node = spoilt
    for step in path:
        node = node[step]
    node.update(change)

    with pytest.raises(ValidationError):
        Draft202012Validator(published("npcs")).validate(spoilt)
    with pytest.raises(ModelError):
        ARTIFACTS["npcs"].model_validate_json(canonical_json(spoilt))


@pytest.mark.parametrize("asset", sorted((ASSETS / "dnd").rglob("*.md")), ids=lambda path: path.name)
def test_prompt_fragments_name_no_durable_id_or_opaque_key(asset: Any) -> None:
    assert not re.search(r"sha256|candidate-\d|[0-9a-f]{32}", asset.read_text(encoding="utf-8"))


def nodes(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(node for part in value.values() for node in nodes(part))]
    return [node for part in value for node in nodes(part)] if isinstance(value, list) else []
