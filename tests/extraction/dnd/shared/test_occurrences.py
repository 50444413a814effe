"""What holds for NPC, item and location occurrences alike: models choose by name, code attaches identity."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic import ValidationError

from extraction.canonical import canonical_json
from extraction.codes import Code
from extraction.errors import LaneFailed
from extraction.lanes.job import Retries
from extraction.llm.schema import response_schema
from extraction.llm.scripted import ScriptedClient
from extraction.source.documents import SourceDocument
from tests.extraction import story
from tests.extraction.dnd.occurrence_cast import FAMILIES, Family, bound, pages, pairs_of, records_of

pytestmark = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.key)

OPAQUE_FIELDS = ("id", "npc_id", "item_id", "location_id", "entity_id", "source_id", "digest", "candidate")


def failure(family: Family, client: ScriptedClient, **changes: Any) -> LaneFailed:
    with pytest.raises(LaneFailed) as caught:
        family.run(client, **changes)
    return caught.value


def codes(error: LaneFailed) -> set[Code]:
    return {finding.code for finding in error.findings}


# What the model sees and may answer


def test_request_shows_names_and_no_durable_identity(family: Family) -> None:
    client = pages()
    family.run(client)
    sent = "\n".join(story.sent_text(request) for request in client.requests)

    assert len(client.requests) == 3
    assert all(name in sent for name, _ in family.entries)
    assert not re.search(r"sha256|[0-9a-f]{32}|(npc|item|location):|candidate-|salt-ferry", sent)
    assert '"id"' not in sent


def test_registry_stands_after_the_chunk_in_registry_order(family: Family) -> None:
    client = pages()
    family.run(client)
    text = client.requests[0].messages[-1].content
    heading = f"{family.slot.upper()}:"
    places = [text.index("TRANSCRIPT:"), text.index(heading), *(text.rindex(name) for name, _ in family.entries)]

    assert places == sorted(places)


def test_what_stands_above_the_boundary_is_the_npc_prompts_own(family: Family) -> None:
    def stable(prompt_id: str) -> list[object]:
        parts = story.CATALOG[prompt_id].parts
        border = next(at for at, part in enumerate(parts) if part.role is None)
        return list(parts[: border + 1])

    assert stable(family.prompt) == stable(story.EXTRACT)


@pytest.mark.parametrize("field", OPAQUE_FIELDS)
def test_private_reply_refuses_opaque_fields(family: Family, field: str) -> None:
    record = family.met(family.name, (41, 41))
    reply = family.lane.extract.reply

    assert reply.model_validate({"occurrences": [record]}, strict=True)
    with pytest.raises(ValidationError):
        reply.model_validate({"occurrences": [record | {field: "x"}]}, strict=True)
    with pytest.raises(ValidationError):
        reply.model_validate({"occurrences": [record], field: "x"}, strict=True)


def test_private_schema_is_strict_and_names_unit_ids_alone(family: Family) -> None:
    schema = response_schema(family.lane.extract.reply)
    names = set(re.findall(r'"(\w*_?id)"', canonical_json(schema).decode()))

    assert names == {"start_unit_id", "end_unit_id"}


def test_ranges_with_a_source_are_no_reply(family: Family) -> None:
    record = family.met(family.name)
    record["source_refs"] = [{"source_id": story.SOURCE_ID, "start_unit_id": 41, "end_unit_id": 41}]
    error = failure(family, pages([record]))

    assert codes(error) == {Code.LLM_SCHEMA_MISMATCH}


# From a selection to an identity


@pytest.mark.parametrize("spell", [str, str.upper, str.lower, lambda name: f"  {name}\n"])
def test_valid_selection_becomes_the_registrys_exact_pair(family: Family, spell: Any) -> None:
    result = family.run(pages([family.met(spell(family.name), (41, 42))]))
    (record,) = records_of(result)

    assert (record[family.id_field], record["name"]) == (family.id_of(family.name), family.name)
    assert pairs_of(record) == [(41, 42)]


def wrong_names(family: Family) -> list[str]:
    first = family.name
    return ["Nobody Here", first[:-1], f"{first}s", f"Old {first}", family.id_of(first), "Joined Name", ""]


@pytest.mark.parametrize("number", range(7), ids=["unknown", "part", "plural", "longer", "id", "member", "empty"])
def test_unresolved_name_invalidates_the_whole_operation(family: Family, number: int) -> None:
    good = family.met(family.name, (41, 41))
    client = pages([good, family.met(wrong_names(family)[number], (42, 42)), good])
    registry = bound(family.slot, *family.entries, members={family.name: ["Joined Name", family.name]})
    error = failure(family, client, references={family.slot: registry})

    assert error.code == Code.EXTRACT_INVALID
    assert codes(error) == {Code.IDENTITY_UNRESOLVED}
    assert [finding.where for finding in error.findings] == ["chunk[0].record[1]"]


def test_unresolved_name_is_asked_again_then_fails_within_the_budget(family: Family) -> None:
    client = pages([family.met("Nobody Here", (41, 41))])
    failure(family, client, retries=Retries(extract=2))

    assert [story.first_unit(request) for request in client.requests].count(41) == 3
    assert len(client.requests) == 5


def test_valid_answer_to_a_retry_stands_and_nothing_of_the_first_stays(family: Family) -> None:
    client = pages()
    client.enqueue(
        family.prompt,
        {"occurrences": [family.met(family.name, (41, 41)), family.met("Nobody Here", (42, 42))]},
        {"occurrences": [family.met(family.name, (family.home, 44))]},
    )
    document = SourceDocument(story.SOURCE_ID, story.DOCUMENT.units[:12])
    result = family.run(client, document=document, retries=Retries(extract=1))

    assert [pairs_of(record) for record in records_of(result)] == [[(family.home, 44)]]
    assert result.findings == ()


def test_name_that_two_entries_share_is_ambiguous(family: Family) -> None:
    registry = bound(family.slot, ("Twice", [(41, 41)]), ("TWICE", [(9, 9)]))
    error = failure(family, pages([family.met("Twice", (41, 41))]), references={family.slot: registry})

    assert codes(error) == {Code.IDENTITY_UNRESOLVED}


def test_registry_of_another_source_serves_by_name(family: Family) -> None:
    registry = bound(family.slot, *family.entries, source_id="salt-ferry.s0.t3")
    result = family.run(pages([family.met(family.name, (41, 41))]), references={family.slot: registry})

    assert [record["name"] for record in records_of(result)] == [family.name]
    assert {ref["source_id"] for record in records_of(result) for ref in record["source_refs"]} == {story.SOURCE_ID}


# Evidence


def test_reversed_endpoints_are_ordered_by_position(family: Family) -> None:
    result = family.run(pages(third=[family.met(family.name, (205, 206), (209, 204), (209, 209))]))
    (record,) = records_of(result)

    assert pairs_of(record) == [(204, 209), (209, 209), (206, 205)]


@pytest.mark.parametrize(
    ("pairs", "code"),
    [
        pytest.param([], Code.EVIDENCE_MISSING, id="none"),
        pytest.param([(41, 999)], Code.EVIDENCE_UNKNOWN_UNIT, id="unknown-unit"),
        pytest.param([(9, 9)], Code.EVIDENCE_OUTSIDE_CHUNK, id="registry-evidence-of-another-page"),
        pytest.param([(55, 7)], Code.EVIDENCE_OUTSIDE_CHUNK, id="over-the-border"),
    ],
)
def test_evidence_that_is_not_the_chunks_own_is_refused(
    family: Family, pairs: list[tuple[int, int]], code: Code
) -> None:
    assert codes(failure(family, pages([family.met(family.name, *pairs)]))) == {code}


def test_evidence_is_exactly_what_was_cited_and_nothing_of_the_registry(family: Family) -> None:
    name = family.second
    result = family.run(pages([family.met(name, (47, 47)), family.met(name, (42, 42), (53, 53))]))

    assert [pairs_of(record) for record in records_of(result)] == [[(42, 42), (53, 53)], [(47, 47)]]
