"""A gold file is read strictly: every fault is one sentence that names the file, the place and the reason."""

from __future__ import annotations

import json
import re
import typing

import pytest
from pydantic import BaseModel

from extraction.codes import Code
from extraction.dnd.artifacts import combat_turns, enemy_events, occurrences, scenes
from extraction.dnd.artifacts.combat_turns import CombatTurnModel
from extraction.dnd.artifacts.enemy_events import EnemyEventModel
from extraction.dnd.artifacts.npcs import NpcModel
from extraction.dnd.artifacts.occurrences import ItemOccurrenceModel, LocationOccurrenceModel, NpcOccurrenceModel
from extraction.dnd.artifacts.scenes import SceneModel
from extraction.dnd.artifacts.spells import SpellCastModel
from extraction.errors import InputError
from extraction.evaluation import labels
from extraction.evaluation.gold import read_gold
from tests.extraction.evaluation.labelling import INDEX, entity, event, gold_bytes, gold_of, occurrence, refs, scene
from tests.extraction.story import ASSETS

NPCS = "dnd/npcs"


def refused(data: bytes) -> str:
    with pytest.raises(InputError) as error:
        read_gold(data, INDEX, "gold.json")

    assert error.value.code is Code.EVALUATION_INVALID
    return str(error.value)


def test_read_gold_keeps_lanes_in_the_formats_order() -> None:
    gold = gold_of({"dnd/spells": [], NPCS: [entity("Wick", (50, 52))]})

    assert gold.lanes == (NPCS, "dnd/spells")


def test_read_gold_turns_ranges_into_positions() -> None:
    gold = gold_of({NPCS: [entity("Wick", (206, 205), also_refs=refs(210))]})
    npcs = gold.file.lanes.npcs

    assert npcs is not None
    [wick] = gold.labelled(NPCS, npcs)
    assert (wick.core, wick.wider) == (frozenset({29, 30}), frozenset({31}))


def test_labelled_keeps_what_touches_the_segment_and_cuts_the_rest() -> None:
    records = [entity("Dell", (44, 46), 210), entity("Wick", (50, 52)), entity("Voss", 209)]
    gold = gold_of({NPCS: {"records": records, "segment": refs((204, 211))}}, segment=refs((41, 55)))
    npcs = gold.file.lanes.npcs

    assert npcs is not None
    assert [(each.label.name, len(each.core)) for each in gold.labelled(NPCS, npcs)] == [("Voss", 1), ("Dell", 1)]


def test_read_gold_accepts_a_byte_order_mark_and_the_transcripts_digest() -> None:
    data = b"\xef\xbb\xbf" + gold_bytes({NPCS: []}, transcript_digest=INDEX.document.digest)

    assert read_gold(data, INDEX, "gold.json").lanes == (NPCS,)


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        pytest.param(b"{", "gold.json", "not valid JSON", id="cut"),
        pytest.param(b"\xff\xfe{}", "gold.json", "not valid JSON", id="no-utf8"),
        pytest.param(b"[" * 5_000, "gold.json", "not valid JSON", id="deep"),
        pytest.param(b"[]", "gold.json", "object", id="no-object"),
        pytest.param(b"{}", "schema", "missing", id="no-schema"),
        pytest.param(gold_bytes({}, schema="notarius.gold.v2"), "schema", "notarius.gold.v1", id="other-schema"),
        pytest.param(gold_bytes({"dnd/dragons": []}), "lanes.dnd/dragons", "no such field", id="unknown-lane"),
        pytest.param(gold_bytes({}, colour="red"), "colour", "no such field", id="unknown-field"),
        pytest.param(gold_bytes({}, **{"a b!": 1}), "(some key)", "no such field", id="odd-field"),
        pytest.param(gold_bytes({NPCS: [entity("Wick", 50, id="x")]}), "records[0].id", "no such field", id="id"),
        pytest.param(gold_bytes({NPCS: [entity("Wick")]}), "records[0].source_refs", "at least 1", id="no-evidence"),
        pytest.param(gold_bytes({NPCS: [entity("", 50)]}), "records[0].name", "at least 1", id="no-name"),
        pytest.param(
            gold_bytes({NPCS: [entity("Dell", 44), entity("Wick", 50, 999)]}),
            "lanes.dnd/npcs.records[1].source_refs[1]",
            "no unit 999",
            id="unknown-unit",
        ),
        pytest.param(
            gold_bytes({NPCS: [entity("Wick", 50, also_refs=refs((205, 206)))]}),
            "records[0].also_refs[0]",
            "unit 205 stands after unit 206",
            id="reversed-by-position",
        ),
        pytest.param(gold_bytes({}, segment=refs(999)), "segment[0]", "no unit 999", id="segment"),
        pytest.param(gold_bytes({NPCS: {"records": [], "segment": []}}), "segment", "at least 1", id="empty-segment"),
        pytest.param(
            gold_bytes({"dnd/enemy-events": [event("Voss", "bored", 204)]}), "records[0].kind", "'appears'", id="kind"
        ),
        pytest.param(
            gold_bytes({"dnd/enemy-events": [event("Voss", "flees", 204, alternatives={"kind": ["bored"]})]}),
            "alternatives.kind[0]",
            "'appears'",
            id="other-kind",
        ),
        pytest.param(
            gold_bytes({NPCS: [entity("Wick", 50)], "dnd/npc-occurrences": [occurrence("Wik", "action", 50)]}),
            "lanes.dnd/npc-occurrences.records[0].name",
            "no label of dnd/npcs",
            id="slip-of-the-pen",
        ),
        pytest.param(
            gold_bytes({"dnd/scenes": [scene(41, 55), scene(8, 211)]}), "records[1]", "must begin where", id="gap"
        ),
        pytest.param(gold_bytes({}, transcript_digest="0" * 64), "transcript_digest", "other units", id="digest"),
    ],
)
def test_read_gold_refuses(data: bytes, place: str, reason: str) -> None:
    sentence = refused(data)

    assert sentence.startswith("gold.json: ")
    assert place in sentence
    assert reason in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_refusal_repeats_no_value_of_the_file() -> None:
    assert "Aurelio" not in refused(gold_bytes({NPCS: [entity("Wick", 50, optional="Aurelio Voss")]}))


@pytest.mark.parametrize(
    ("ours", "durable"),
    [
        pytest.param(labels.NpcKind, occurrences.NpcKind, id="npc-occurrence"),
        pytest.param(labels.ItemKind, occurrences.ItemKind, id="item-occurrence"),
        pytest.param(labels.LocationKind, occurrences.LocationKind, id="location-occurrence"),
        pytest.param(labels.EventKind, enemy_events.EventKind, id="enemy-event"),
        pytest.param(labels.TurnKind, combat_turns.TurnKind, id="turn"),
        pytest.param(labels.Category, combat_turns.Category, id="action"),
        pytest.param(labels.Mode, scenes.Mode, id="scene"),
    ],
)
def test_gold_has_the_words_of_the_durable_artifacts(ours: object, durable: object) -> None:
    assert typing.get_args(ours) == typing.get_args(durable)


@pytest.mark.parametrize(
    ("label", "record"),
    [
        pytest.param(labels.EntityLabel, NpcModel, id="registry"),
        pytest.param(labels.NpcOccurrenceLabel, NpcOccurrenceModel, id="npc-occurrence"),
        pytest.param(labels.ItemOccurrenceLabel, ItemOccurrenceModel, id="item-occurrence"),
        pytest.param(labels.LocationOccurrenceLabel, LocationOccurrenceModel, id="location-occurrence"),
        pytest.param(labels.SpellLabel, SpellCastModel, id="spell"),
        pytest.param(labels.TurnLabel, CombatTurnModel, id="turn"),
        pytest.param(labels.EventLabel, EnemyEventModel, id="event"),
        pytest.param(labels.SceneLabel, SceneModel, id="scene"),
    ],
)
def test_labels_have_the_fields_of_the_durable_records_without_ids(
    label: type[BaseModel], record: type[BaseModel]
) -> None:
    durable = {name for name in record.model_fields if "unit" in name or not name.endswith("id")}

    assert durable <= set(label.model_fields)


def test_gold_file_survives_a_trip_through_plain_json() -> None:
    data = gold_bytes({NPCS: [entity("Wick", 50)]}, title="The standard document")

    assert read_gold(json.dumps(json.loads(data)).encode(), INDEX, "gold.json").file == read_gold(data, INDEX, "x").file


def test_the_example_of_the_documentation_has_the_shape_of_a_gold_file() -> None:
    text = (ASSETS.parent / "docs" / "evaluation.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```json\n(.*?)```", text, flags=re.DOTALL)

    assert labels.GoldFile.model_validate_json(example).lanes.npcs is not None
