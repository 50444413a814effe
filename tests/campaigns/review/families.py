"""Hand-made artifacts of all ten families over the standard document, and over any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from campaigns.models import Artifact, ArtifactVersion, Transcript
from extraction.canonical import JsonValue, canonical_json, digest
from extraction.identity import comparison_key, item_id, location_id, npc_id

Record = Mapping[str, JsonValue]
Pairs = Sequence[tuple[int, int]]

RECORDS_KEYS = {
    "scenes": "scenes",
    "npcs": "npcs",
    "items": "items",
    "locations": "locations",
    "npc-occurrences": "occurrences",
    "item-occurrences": "occurrences",
    "location-occurrences": "occurrences",
    "combat-turns": "turns",
    "spells": "spells",
    "enemy-events": "events",
}


def refs(transcript: Transcript, pairs: Pairs) -> list[JsonValue]:
    return [{"source_id": transcript.source_id, "start_unit_id": start, "end_unit_id": end} for start, end in pairs]


def item(transcript: Transcript, name: str, pairs: Pairs = ((16, 16),)) -> dict[str, JsonValue]:
    return {"id": item_id(comparison_key(name)), "name": name, "source_refs": refs(transcript, pairs)}


def place(transcript: Transcript, name: str, pairs: Pairs = ((41, 41),)) -> dict[str, JsonValue]:
    scope = transcript.source_id.rpartition(".")[0]
    place_id = location_id(comparison_key(name), scope, pairs[0][0])
    return {"id": place_id, "name": name, "source_refs": refs(transcript, pairs)}


def scene(title: str, start: int, end: int, mode: str = "social") -> dict[str, JsonValue]:
    return {"title": title, "primary_mode": mode, "start_unit_id": start, "end_unit_id": end}


def action(
    declaration: str, resolution: str | None = None, targets: Sequence[str] = (), category: str = "attack"
) -> dict[str, JsonValue]:
    return {"category": category, "declaration": declaration, "targets": list(targets), "resolution": resolution}


def turn(
    transcript: Transcript,
    actor: str,
    actions: Sequence[JsonValue],
    summary: str,
    pairs: Pairs,
    *,
    kind: str = "turn",
    number: int | None = None,
) -> dict[str, JsonValue]:
    return {
        "actor": actor,
        "turn_kind": kind,
        "round": number,
        "actions": list(actions),
        "summary": summary,
        "source_refs": refs(transcript, pairs),
    }


def make_version(
    transcript: Transcript,
    family: str,
    records: Sequence[Record],
    *,
    state: str = ArtifactVersion.State.PENDING,
    consolidations: Mapping[str, JsonValue] | None = None,
) -> ArtifactVersion:
    """Store the next version of the session's artifact of this family, superseding and rebuilding nothing."""
    source: JsonValue = {
        "source_id": transcript.source_id,
        "digest": transcript.digest,
        "unit_count": transcript.unit_count,
    }
    payload: dict[str, JsonValue] = {
        "schema": f"notarius.dnd.{family}.v1",
        "source": source,
        RECORDS_KEYS[family]: [dict(record) for record in records],
    }
    artifact, _ = Artifact.objects.get_or_create(session=transcript.session, lane=f"dnd/{family}")
    return ArtifactVersion.objects.create(
        artifact=artifact,
        number=artifact.versions.count() + 1,
        state=state,
        origin=ArtifactVersion.Origin.EXTRACTION,
        transcript=transcript,
        payload=canonical_json(payload).decode(),
        digest=digest(payload),
        record_count=len(records),
        consolidations=dict(consolidations or {}),
    )


def one_of_each(transcript: Transcript, said: Callable[[str], str] = str) -> dict[str, list[dict[str, JsonValue]]]:
    """Return one record a family with every field filled; each of its texts goes through `said`."""
    proof = {"source_refs": refs(transcript, ((50, 52), (206, 205)))}
    name = said("Wick")
    return {
        "scenes": [scene(said("The pier at dusk"), 41, 55), scene(said("Below the chapel"), 7, 211, "table_talk")],
        "npcs": [{"id": npc_id(comparison_key(name)), "name": name, **proof}],
        "items": [{"id": item_id(comparison_key(name)), "name": name, **proof}],
        "locations": [place(transcript, said("Saltwick")), place(transcript, said("Saltwick"), ((9, 9),))],
        "npc-occurrences": [{"npc_id": npc_id(comparison_key(name)), "name": name, "kind": "dialogue", **proof}],
        "item-occurrences": [
            {
                "item_id": item_id(comparison_key(name)),
                "name": name,
                "kind": "transferred",
                "actor": said("Pike"),
                "recipient": said("Old Wick"),
                "detail": said("thrown across the water"),
                **proof,
            }
        ],
        "location-occurrences": [
            {
                "location_id": place(transcript, said("Saltwick"))["id"],
                "name": said("Saltwick"),
                "kind": "arrival",
                **proof,
            }
        ],
        **one_of_each_fight(transcript, said),
    }


def one_of_each_fight(transcript: Transcript, said: Callable[[str], str]) -> dict[str, list[dict[str, JsonValue]]]:
    """Return of the families of fights what `one_of_each` returns."""
    proof = {"source_refs": refs(transcript, ((50, 52), (206, 205)))}
    return {
        "combat-turns": [
            turn(
                transcript,
                said("Corwen"),
                [
                    action(
                        said("raises the candle"), said("the captain halts"), [said("Voss"), said("the crew")], "spell"
                    )
                ],
                said("Corwen holds the longboat off."),
                ((202, 202), (211, 211)),
                kind="legendary_action",
                number=2,
            )
        ],
        "spells": [
            {
                "caster": said("Corwen"),
                "spell": said("Light of the Ninth Candle"),
                "level": 3,
                "targets": [said("Voss"), said("the longboat")],
                "outcome": said("he stops"),
                **proof,
            }
        ],
        "enemy-events": [
            {
                "enemy": said("Voss"),
                "kind": "surrenders",
                "detail": said("lays down the oar"),
                "actor": said("Corwen"),
                **proof,
            }
        ],
    }
