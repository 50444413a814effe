from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import InvalidCompletion, RequestRefused
from extraction.identity import comparison_key
from extraction.llm.boundary import Exchange, StructuredRequest
from extraction.llm.rules import RULES_VERSION, RulesClient
from tests.extraction.llm.rules.table import (
    EXTRACT_SCHEMA,
    RECONCILE_SCHEMA,
    Said,
    extract_materials,
    found,
    reconcile_materials,
)

SAID: tuple[Said, ...] = (
    ("NOOR", "You meet a woman named Wenna, and she nods."),
    ("THEO", "I wave."),
    ("NOOR", "And then Captain Brask says no."),
    ("THEO", "Fine."),
    ("NOOR", "Wenna nods. Wenna says that she knows."),
)
SAMPLE = Path(__file__).parents[4] / "assets" / "sample"


class Kept:
    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    def __call__(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)


def request(prompt_id: str, schema: Mapping[str, JsonValue], materials: Mapping[str, JsonValue]) -> StructuredRequest:
    return StructuredRequest(prompt_id, (), "reply", schema, materials)


EXTRACT = request("dnd/npcs.extract", EXTRACT_SCHEMA, extract_materials(*SAID))
RECONCILE = request("dnd/npcs.reconcile", RECONCILE_SCHEMA, reconcile_materials(["Brask", "Captain Brask"]))


@pytest.mark.parametrize("asked", [EXTRACT, RECONCILE], ids=["extract", "reconcile"])
def test_complete_answers_in_the_schema_and_records_the_exchange(asked: StructuredRequest) -> None:
    kept = Kept()
    completion = RulesClient().complete(asked, kept)

    assert json.loads(completion.text) == completion.data
    assert [(one.provider, one.outcome, one.request, one.prompt_id) for one in kept.exchanges] == [
        ("rules", "ok", b"", asked.prompt_id)
    ]
    assert kept.exchanges[0].reply.decode() == completion.text


def test_complete_gives_the_same_text_every_time() -> None:
    texts = {RulesClient().complete(EXTRACT, Kept()).text for _ in range(3)}

    assert len(texts) == 1


def test_identity_names_the_provider_and_its_version() -> None:
    assert RulesClient().identity == {"provider": "rules", "version": RULES_VERSION}


def test_complete_refuses_a_prompt_without_rules() -> None:
    kept = Kept()
    with pytest.raises(RequestRefused) as refused:
        RulesClient().complete(request("dnd/unknown.extract", EXTRACT_SCHEMA, {}), kept)

    assert refused.value.code is Code.LLM_NOT_COVERED
    assert kept.exchanges == []


def test_complete_reports_an_answer_the_schema_refuses() -> None:
    kept = Kept()
    with pytest.raises(InvalidCompletion) as invalid:
        RulesClient().complete(request("dnd/npcs.extract", {"type": "array"}, {}), kept)

    assert invalid.value.code is Code.LLM_SCHEMA_MISMATCH
    assert [one.outcome for one in kept.exchanges] == ["llm.schema_mismatch"]


def test_complete_keeps_to_bounded_arrays_and_drops_the_weakest() -> None:
    bounded = json.loads(json.dumps(EXTRACT_SCHEMA))
    bounded["properties"]["npcs"]["maxItems"] = 1
    bounded["$defs"]["Named"]["properties"]["source_refs"]["maxItems"] = 1
    completion = RulesClient().complete(request("dnd/npcs.extract", bounded, EXTRACT.materials), Kept())

    assert completion.data == {"npcs": [{"name": "Wenna", "source_refs": [{"start_unit_id": 1, "end_unit_id": 1}]}]}


def test_extract_finds_most_people_of_the_sample_session() -> None:
    """The shop window's first session, cut as a pipeline would; the surface names are those of its fact sheet."""
    campaign = tomllib.loads((SAMPLE / "campaign.toml").read_text("utf-8"))
    facts = tomllib.loads((SAMPLE / "facts.toml").read_text("utf-8"))["session_1"]
    said = json.loads((SAMPLE / "session-1.json").read_text("utf-8"))["units"]
    table = {key: campaign[key] for key in ("gm", "party", "glossary")}
    names = {name for at in range(0, len(said), 60) for name in found({**table, "transcript": said[at : at + 60]})}
    terms = {comparison_key(form): entry["term"] for entry in campaign["glossary"] for form in entry["heard_as"]}
    people = [_spellings(npc, terms) for npc in facts["npc"] if npc["named"]]
    met = {comparison_key(name) for name in names}

    assert sum(bool(spellings & met) for spellings in people) >= 0.7 * len(people)
    assert sum(any(name in spellings for spellings in people) for name in met) >= 0.7 * len(met)


def _spellings(npc: dict[str, object], terms: Mapping[str, str]) -> set[str]:
    mentions = npc.get("mention")
    surfaces = [str(one["surface"]) for one in mentions] if isinstance(mentions, list) else []
    keys = {comparison_key(name) for name in (str(npc["name"]), *surfaces)}
    return keys | {" ".join(comparison_key(terms.get(word, word)) for word in key.split()) for key in keys}
