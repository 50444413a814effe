"""The rules provider as a structured client."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from extraction.canonical import JsonValue, bytes_digest
from extraction.codes import Code
from extraction.errors import InvalidCompletion, RequestRefused
from extraction.llm.boundary import Exchange, ExchangeSink, StructuredCompletion, StructuredRequest, Usage
from extraction.llm.profiles import OutputMode
from extraction.llm.reading import decode_reply
from extraction.llm.rules.bounds import bounded
from extraction.llm.rules.combat_turns import extract_combat_turns
from extraction.llm.rules.enemy_events_extract import extract_enemy_events
from extraction.llm.rules.item_occurrences import extract_item_occurrences
from extraction.llm.rules.items_extract import extract_items
from extraction.llm.rules.items_reconcile import reconcile_items
from extraction.llm.rules.location_occurrences import extract_location_occurrences
from extraction.llm.rules.locations_extract import extract_locations
from extraction.llm.rules.locations_reconcile import reconcile_locations
from extraction.llm.rules.materials import Materials
from extraction.llm.rules.npc_occurrences import extract_npc_occurrences
from extraction.llm.rules.npcs_extract import extract_npcs
from extraction.llm.rules.npcs_reconcile import reconcile_npcs
from extraction.llm.rules.scenes_extract import extract_scenes
from extraction.llm.rules.spells_extract import extract_spells

# The digest of the rules' own text: whatever changes an answer changes the version, and no stored answer outlives it.
RULES_VERSION = bytes_digest(
    b"".join(file.read_bytes().replace(b"\r\n", b"\n") for file in sorted(Path(__file__).parent.glob("*.py")))
)[:16]
PROVIDER = "rules"

ANSWERS: Mapping[str, Callable[[Materials], JsonValue]] = MappingProxyType(
    {
        "dnd/combat-turns.extract": extract_combat_turns,
        "dnd/enemy-events.extract": extract_enemy_events,
        "dnd/spells.extract": extract_spells,
        "dnd/items.extract": extract_items,
        "dnd/items.reconcile": reconcile_items,
        "dnd/locations.extract": extract_locations,
        "dnd/locations.reconcile": reconcile_locations,
        "dnd/item-occurrences.extract": extract_item_occurrences,
        "dnd/location-occurrences.extract": extract_location_occurrences,
        "dnd/npc-occurrences.extract": extract_npc_occurrences,
        "dnd/scenes.extract": extract_scenes,
        "dnd/npcs.extract": extract_npcs,
        "dnd/npcs.reconcile": reconcile_npcs,
    }
)


class RulesClient:
    """Answers from a request's materials, offline and always alike. Holds no state, so threads may share it."""

    @property
    def identity(self) -> Mapping[str, JsonValue]:
        return {"provider": PROVIDER, "version": RULES_VERSION}

    def complete(self, request: StructuredRequest, record: ExchangeSink) -> StructuredCompletion:
        """Return the rules' answer.

        Raises RequestRefused for a prompt without rules, InvalidCompletion for an answer its schema refuses.
        """
        answer = ANSWERS.get(request.prompt_id)
        if answer is None:
            raise RequestRefused(
                f"The rules provider has no rules for the prompt {request.prompt_id}; set up a model for this lane.",
                code=Code.LLM_NOT_COVERED,
            )
        started = time.monotonic()
        text = json.dumps(bounded(answer(request.materials), request.schema), ensure_ascii=False)
        outcome = "ok"
        try:
            data = decode_reply(text, request.schema, OutputMode.JSON_SCHEMA)
        except InvalidCompletion as error:
            outcome = str(error.code)
            raise
        finally:
            record(
                Exchange(
                    prompt_id=request.prompt_id,
                    request=b"",
                    reply=text.encode(),
                    outcome=outcome,
                    latency_ms=round((time.monotonic() - started) * 1000),
                    model=RULES_VERSION,
                    provider=PROVIDER,
                )
            )
        return StructuredCompletion(data=data, text=text, usage=Usage(), model=RULES_VERSION)
