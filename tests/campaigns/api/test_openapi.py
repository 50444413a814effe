"""The document: what generators and readers rely on, and the pages around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.conf import settings
from django.test import Client
from jsonschema import Draft202012Validator

from campaigns.api import durable, examples
from campaigns.api.openapi import READ_ERRORS, WRITE_ERRORS
from campaigns.api.root import api

DOCUMENT = api.document
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
ROOT = Path(settings.BASE_DIR)
OPERATIONS = [
    pytest.param(method, operation, id=operation["operationId"])
    for methods in DOCUMENT["paths"].values()
    for method, operation in methods.items()
]
EVERY = pytest.mark.parametrize(("method", "operation"), OPERATIONS)
FENCED = re.compile(r"^```(?:sh|python|js)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def validator(schema: Any) -> Draft202012Validator:  # Any: a schema of the document
    return Draft202012Validator({**schema, "components": {"schemas": SCHEMAS}})


def refs(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from refs(value)


def test_document_is_openapi_3_1_and_every_reference_leads_somewhere() -> None:
    def lookup(ref: str) -> object:
        node: Any = DOCUMENT
        for step in ref.removeprefix("#/").split("/"):
            node = node[step]
        return node

    assert DOCUMENT["openapi"].startswith("3.1.")
    assert all(lookup(ref) is not None for ref in set(refs(DOCUMENT)))


def test_operation_ids_are_short_and_unique() -> None:
    ids = [operation["operationId"] for methods in DOCUMENT["paths"].values() for operation in methods.values()]

    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", each) for each in ids)


def test_every_tag_is_told_about() -> None:
    told = {tag["name"] for tag in DOCUMENT["tags"]}
    operations = [operation for methods in DOCUMENT["paths"].values() for operation in methods.values()]
    used = {tag for operation in operations for tag in operation["tags"]}

    assert used == told


@EVERY
def test_operation_lists_every_error_in_the_one_shape(method: str, operation: dict[str, Any]) -> None:
    wanted = {str(status) for status in (READ_ERRORS if method == "get" else WRITE_ERRORS)}
    listed = {status for status in operation["responses"] if status >= "400"}

    assert listed == wanted
    for status in listed:
        name = operation["responses"][status]["$ref"].rpartition("/")[2]
        answer = DOCUMENT["components"]["responses"][name]
        body = answer["content"]["application/problem+json"]
        assert body["schema"] == {"$ref": "#/components/schemas/Problem"}
        validator(body["schema"]).validate(orjson.loads(orjson.dumps(body["example"])))


@EVERY
def test_operation_says_who_may_ask(method: str, operation: dict[str, Any]) -> None:
    assert ({} in operation["security"]) == (method == "get")
    assert {"BearerToken": []} in operation["security"]


@EVERY
def test_parameter_has_a_valid_example_where_it_leads_somewhere(method: str, operation: dict[str, Any]) -> None:
    for parameter in operation["parameters"]:
        assert "examples" not in parameter
        assert parameter["in"] != "path" or "example" in parameter
        if "example" in parameter:
            validator(parameter["schema"]).validate(parameter["example"])


@pytest.mark.parametrize("name", [name for name, schema in SCHEMAS.items() if "examples" in schema])
def test_example_of_a_schema_satisfies_it(name: str) -> None:
    own = validator({"$ref": f"#/components/schemas/{name}"})
    faults = [
        error for each in SCHEMAS[name]["examples"] for error in own.iter_errors(orjson.loads(orjson.dumps(each)))
    ]

    assert faults == []


@pytest.mark.parametrize("family", durable.FAMILIES)
def test_schema_of_an_artifact_is_the_published_one(family: str) -> None:
    """With its references followed, the component is the file in assets, word for word."""
    file = ROOT / "assets" / "dnd" / family.replace("-", "_") / "artifact.schema.json"
    published = orjson.loads(file.read_bytes())
    own = {key: value for key, value in published.items() if key not in ("$id", "$schema", "$defs")}

    assert followed(SCHEMAS[durable.name_of(family)], SCHEMAS) == followed(own, published.get("$defs", {}))


def followed(node: Any, named: dict[str, Any]) -> Any:
    if isinstance(node, dict):
        if "$ref" in node:
            return followed(named[node["$ref"].rpartition("/")[2]], named)
        return {key: followed(value, named) for key, value in node.items()}
    return [followed(each, named) for each in node] if isinstance(node, list) else node


def test_artifact_has_every_media_type() -> None:
    path = DOCUMENT["paths"]["/api/v1/campaigns/{slug}/sessions/{number}/artifacts/{family}"]["get"]
    media = set(path["responses"]["200"]["content"])

    assert media == {"application/json", *(durable.MEDIA_TYPE.format(family) for family in durable.FAMILIES)}


def test_document_answers_304(db: None) -> None:
    first = Client().get("/api/v1/openapi.json")
    again = Client().get("/api/v1/openapi.json", headers={"if-none-match": first["ETag"]})

    assert (first.status_code, again.status_code) == (200, 304)
    assert orjson.loads(first.content) == orjson.loads(orjson.dumps(DOCUMENT))


def test_pages_load_nothing_from_elsewhere_and_run_no_inline_script(db: None) -> None:
    for path in ("/api/v1/docs", "/api/v1/examples"):
        html = Client().get(path).content.decode()
        scripts = re.findall(r"<script(?![^>]*(?:src=|application/json))", html)

        assert not re.findall(r'(?:src|href)="(?:https?:)?//', html)
        assert scripts == []
        assert "style=" not in html


def test_documentation_has_the_examples_word_for_word(db: None) -> None:
    text = (ROOT / "docs" / "api-examples.md").read_text(encoding="utf-8")
    blocks = FENCED.findall(text)[1:]
    page = Client().get("/api/v1/examples").content.decode()

    assert blocks == [snippet.text for example in examples.all_of() for snippet in example.snippets]
    assert all(example.title in page for example in examples.all_of())


def test_access_needs_no_page_of_ours(db: None) -> None:
    assert Client().get("/api/v1/").json()["code"] == "not_found"
