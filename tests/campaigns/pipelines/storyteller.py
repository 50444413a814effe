"""A model that reads the standard document well and answers every prompt of the ten lanes from what it is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from extraction.canonical import JsonValue
from extraction.llm.boundary import StructuredRequest
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES

Shown = Mapping[str, Any]  # Any: materials as the lanes wrote them

# Each name with the words that say it. Two of them are one man.
PEOPLE = {
    "Harbourmaster Dell": "Dell",
    "Wick": "Wick",
    "Mother Quillon": "Mother Quillon",
    "Captain Voss": "Captain Voss",
    "Aurelio Voss": "Aurelio Voss",
}
THINGS = {"The Clapper": "clapper", "The Candle": "candle"}
PLACES = {"Saltwick": "Saltwick", "The Chapel": "chapel"}
PAGES = (("The pier", "social", 41), ("The chapel", "downtime", 7), ("The longboat", "combat", 203))
RECONCILE = "dnd/npcs.reconcile"
RECONCILES = (RECONCILE, "dnd/items.reconcile", "dnd/locations.reconcile")
PROMPTS = {*RECONCILES, *(lane.extract.prompt for lane in LANES.values())}


def cited(shown: Shown, words: str) -> list[JsonValue]:
    """Return the ranges of the units that say the words, one unit each."""
    return [
        {"start_unit_id": unit["unit_id"], "end_unit_id": unit["unit_id"]}
        for unit in shown["transcript"]
        if words in unit["text"]
    ]


def scenes(shown: Shown) -> list[JsonValue]:
    return [{"title": title, "primary_mode": mode, "start_unit_id": unit} for title, mode, unit in PAGES]


def named(known: Mapping[str, str]) -> Callable[[Shown], list[JsonValue]]:
    def entities(shown: Shown) -> list[JsonValue]:
        return [{"name": name, "source_refs": refs} for name, words in known.items() if (refs := cited(shown, words))]

    return entities


def npc_occurrences(shown: Shown) -> list[JsonValue]:
    return [
        {"name": name, "kind": "mention", "source_refs": refs}
        for name in shown["npcs"]
        if (refs := cited(shown, PEOPLE[name]))
    ]


def item_occurrences(shown: Shown) -> list[JsonValue]:
    nobody: dict[str, JsonValue] = {"actor": None, "recipient": None, "detail": None}
    return [
        {"name": name, "kind": "mentioned", **nobody, "source_refs": refs}
        for name in shown["items"]
        if (refs := cited(shown, THINGS[name]))
    ]


def location_occurrences(shown: Shown) -> list[JsonValue]:
    return [
        {
            "name": place["name"],
            "registry_refs": place["registry_refs"],
            "kind": "presence",
            "source_refs": refs,
        }
        for place in shown["locations"]
        if (refs := cited(shown, PLACES[place["name"]]))
    ]


def spells(shown: Shown) -> list[JsonValue]:
    rest: dict[str, JsonValue] = {"spell": "Light", "level": 0, "targets": ["Captain Voss"], "outcome": None}
    refs = cited(shown, "I raise the candle")
    return [{"caster": "Corwen", **rest, "source_refs": refs}] if refs else []


def combat_turns(shown: Shown) -> list[JsonValue]:
    refs = cited(shown, "the piece that is mine")
    action: JsonValue = {
        "category": "other",
        "declaration": "He asks for the clapper.",
        "targets": ["Wick"],
        "resolution": None,
    }
    rest: dict[str, JsonValue] = {
        "turn_kind": "turn",
        "round": None,
        "actions": [action],
        "summary": "He asks for what is his.",
    }
    return [{"actor": "Captain Voss", **rest, "source_refs": refs}] if refs else []


def enemy_events(shown: Shown) -> list[JsonValue]:
    refs = cited(shown, "A longboat comes in")
    return [{"enemy": "captain voss", "kind": "appears", "detail": "He comes in a longboat.", "actor": None,
             "source_refs": refs}] if refs else []  # fmt: skip


ANSWERS: Mapping[str, tuple[str, Callable[[Shown], list[JsonValue]]]] = {
    "dnd/scenes": ("scenes", scenes),
    "dnd/npcs": ("npcs", named(PEOPLE)),
    "dnd/items": ("items", named(THINGS)),
    "dnd/locations": ("locations", named(PLACES)),
    "dnd/npc-occurrences": ("occurrences", npc_occurrences),
    "dnd/item-occurrences": ("occurrences", item_occurrences),
    "dnd/location-occurrences": ("occurrences", location_occurrences),
    "dnd/spells": ("spells", spells),
    "dnd/combat-turns": ("turns", combat_turns),
    "dnd/enemy-events": ("events", enemy_events),
}


def reply_to(request: StructuredRequest) -> dict[str, JsonValue]:
    lane, _, stage = request.prompt_id.partition(".")
    if stage == "reconcile":
        voss: list[JsonValue] = [{"name": name, "source_refs": []} for name in ("Aurelio Voss", "Captain Voss")]
        group: JsonValue = {"members": voss, "canonical": voss[0]}
        return {"duplicate_groups": [group] if request.prompt_id == RECONCILE else []}
    records, answer = ANSWERS[lane]
    return {records: answer(request.materials)}


class Storyteller(ScriptedClient):
    """Answers well unless something else is enqueued; under an envelope, in the place of the task."""

    def __init__(self) -> None:
        super().__init__(self._told)

    def calls(self) -> Counter[str]:
        """Return how often each prompt was asked."""
        return Counter(request.prompt_id for request in self.requests)

    def of(self, prompt_id: str) -> list[StructuredRequest]:
        return [request for request in self.requests if request.prompt_id == prompt_id]

    def _told(self, request: StructuredRequest) -> JsonValue:
        reply = reply_to(request)
        if request.schema_name != "answers":
            return reply
        places: Any = request.schema["properties"]
        own = request.prompt_id.partition(".")[0].removeprefix("dnd/").replace("-", "_")
        return {place: reply if place == own else None for place in places}
