"""The OpenAPI document: what ninja makes of the endpoints, and what it cannot know.

That is the errors that each can end with, the headers of answers, who needs to say who they are, the durable schemas of
artifacts, examples, and what is to go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from http import HTTPStatus
from typing import Any, TypeAlias

from ninja import NinjaAPI
from ninja.openapi.schema import REF_TEMPLATE, OpenAPISchema
from ninja.operation import Operation

from campaigns.api import durable, problems, sunset
from campaigns.api.shown import Problem
from extraction.codes import Code

Node: TypeAlias = "dict[str, Any]"  # Any: a part of the document
SAFE = "get"
SUPPORT = (
    "Version 1 only grows: fields, parameters and addresses are added, none is taken away or given another meaning."
    " What is to go says so in `Deprecation` and `Sunset` a year before, and version 1 is served for two years"
    " after a version 2. The header `Notarius-API-Version` rises with each addition."
)
DESCRIPTION = "The reviewed record of a campaign: registries, their evidence, transcripts and runs.\n\n" + SUPPORT
TAGS: Mapping[str, str] = {
    "campaigns": "What you may see.",
    "registries": "People, items and places, over all sessions, with their evidence.",
    "sessions": "Evenings of play, their scenes and fights.",
    "transcripts": "What was said, for members; uploads and corrections.",
    "artifacts": "The durable JSON of each family.",
    "reviews": "Versions, verdicts, and the acts of a review.",
    "runs": "Pipelines over a transcript.",
    "changes": "What has become of entries since you last asked.",
    "search": "Names and words.",
    "secrets": "What game masters keep from players.",
    "exports": "A campaign as files.",
    "tokens": "Keys for programs.",
    "webhooks": "Messages to other programs.",
}
# Answers under these tags carry a tag of their own, so that asking again costs next to nothing.
TAGGED = frozenset({"campaigns", "registries", "sessions", "transcripts", "artifacts", "reviews", "changes", "search"})
READ_ERRORS = (400, 401, 403, 404, 406, 414, 422, 429, 500)
WRITE_ERRORS = (400, 401, 403, 404, 406, 409, 411, 412, 413, 414, 415, 422, 429, 500)
EXAMPLES: Mapping[str, object] = {
    "slug": "glass-tithe",
    "number": 1,
    "entity_id": f"npc:sha256:{'3f' * 32}",
    "family": "npcs",
    "run_id": 12,
    "version_id": 34,
    "other_id": 35,
    "decision_id": 7,
    "token_id": 3,
    "export_id": 3,
    "secret_id": 5,
    "webhook_id": 3,
    "q": "lantern",
}
TEXT = {"schema": {"type": "string"}}
WHOLE = {"schema": {"type": "integer", "minimum": 0}}
HEADERS: Mapping[str, Node] = {
    "Notarius-API-Version": {"description": "The version that answered.", **TEXT},
    "RateLimit-Limit": {"description": "Requests a minute.", **WHOLE},
    "RateLimit-Remaining": {"description": "How many are left in this minute.", **WHOLE},
    "RateLimit-Reset": {"description": "Seconds until the next minute begins.", **WHOLE},
    "ETag": {"description": "Send it as If-None-Match: 304 as long as nothing has changed.", **TEXT},
    "Location": {"description": "Where what was made is found.", **TEXT},
    "Retry-After": {"description": "Seconds to wait.", **WHOLE},
}
ALWAYS = ("Notarius-API-Version", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


class DescribedApi(NinjaAPI):
    """Ninja's API with a document that generates working clients. It is made once a process."""

    @cached_property
    def document(self) -> Node:
        return enriched(dict(super().get_openapi_schema()))

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:  # Any: ninja's own signature
        return self.document  # type: ignore[return-value]  # a plain dict serves as well

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__


def enriched(document: Node) -> Node:
    """Return the document with everything that its operations share."""
    components = document["components"]
    components["schemas"] |= {**durable.components(), **_problem()}
    components["headers"] = dict(HEADERS)
    components["responses"] = {_name(status): _error(status) for status in WRITE_ERRORS}
    document["paths"] = {path: dict(_operations(methods)) for path, methods in document["paths"].items()}
    document["servers"] = [{"url": "/"}]
    document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    return document


def _operations(methods: Node) -> Iterator[tuple[str, Node]]:
    for method, operation in methods.items():
        reads = method == SAFE
        tagged = reads and not TAGGED.isdisjoint(operation["tags"])
        answers = {str(status): _answer(answer, tagged) for status, answer in operation["responses"].items()}
        if tagged:
            answers["304"] = {"description": "Nothing has changed.", "headers": _headers("ETag")}
        for status in READ_ERRORS if reads else WRITE_ERRORS:
            answers[str(status)] = {"$ref": f"#/components/responses/{_name(status)}"}
        operation["responses"] = answers
        operation["parameters"] = [_parameter(each) for each in operation["parameters"]]
        if not operation.get("requestBody", {"required": True})["required"]:
            operation["requestBody"] = _optional(operation["requestBody"])
        if reads:
            operation["security"] = [*operation["security"], {}]
        if operation["operationId"] in sunset.ENDINGS:
            operation["deprecated"] = True
        yield method, operation


def _optional(body: Node) -> Node:
    """Return a body that may be left out, as what it may hold; generators stumble over a default beside that."""
    content = {media: {"schema": given["schema"]["allOf"][0]} for media, given in body["content"].items()}
    return {**body, "content": content}


def _answer(answer: Node, tagged: bool) -> Node:
    return {**answer, "headers": _headers("ETag") if tagged else _headers("Location")}


def _headers(*more: str) -> Node:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*ALWAYS, *more)}


def _parameter(parameter: Node) -> Node:
    """Return the parameter with one example; ninja writes them as a schema has them, which no parameter may."""
    found = {key: value for key, value in parameter.items() if key != "examples"}
    given = parameter.get("examples") or ([EXAMPLES[parameter["name"]]] if parameter["name"] in EXAMPLES else None)
    return {**found, "example": given[0]} if given else found


def _name(status: int) -> str:
    return "".join(word.capitalize() for word in HTTPStatus(status).phrase.replace("-", " ").split())


def _error(status: int) -> Node:
    example = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": problems.CODES.get(status, Code.INTERNAL),
        "detail": problems.DETAILS.get(status, HTTPStatus(status).description),
    }
    problem = {"schema": {"$ref": REF_TEMPLATE.format(model="Problem")}, "example": example}
    content: Node = {problems.MEDIA_TYPE: problem}
    if status == HTTPStatus.REQUEST_URI_TOO_LONG:
        # Beyond 8 KiB the web server refuses it, before we are asked.
        content["text/html"] = TEXT
    headers = _headers("Retry-After") if status == HTTPStatus.TOO_MANY_REQUESTS else _headers()
    return {"description": example["detail"], "content": content, "headers": headers}


def _problem() -> Node:
    schema = Problem.model_json_schema(ref_template=REF_TEMPLATE)
    return {**schema.pop("$defs", {}), "Problem": schema}
