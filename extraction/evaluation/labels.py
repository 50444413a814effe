"""The gold label file, `notarius.gold.v1`: durable records without ids, and what else is accepted in their place."""

from __future__ import annotations

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Words = Annotated[str, Field(min_length=1)]
UnitId = Annotated[int, Field(ge=1)]
Hex = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Level = Annotated[int, Field(ge=0, le=9)] | None
Round = Annotated[int, Field(ge=1)] | None

NpcKind = Literal["appearance", "dialogue", "action", "mention"]
ItemKind = Literal["acquired", "used", "transferred", "lost", "destroyed", "identified", "mentioned"]
LocationKind = Literal["arrival", "presence", "departure", "mention"]
EventKind = Literal["appears", "damaged", "healed", "condition", "flees", "surrenders", "defeated", "other"]
TurnKind = Literal["turn", "reaction", "legendary_action", "lair_action", "other"]
Category = Literal["attack", "spell", "movement", "item", "ability_check", "saving_throw", "condition", "other"]
Mode = Literal["combat", "social", "exploration", "downtime", "table_talk", "other"]


class Strict(BaseModel):
    """Unknown fields are refused on reading, and no value is coerced."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Range(Strict):
    start_unit_id: UnitId
    end_unit_id: UnitId


class Names(Strict):
    """One individual and everything it may be called."""

    name: Words
    also: list[Words] = []


class Label(Strict):
    """What every labelled record carries; `source_refs` is its evidence, `also_refs` may be cited without blame."""

    source_refs: Annotated[list[Range], Field(min_length=1)]
    also_refs: list[Range] = []
    optional: bool = False
    note: Words | None = None


class EntityLabel(Label):
    name: Words
    also: list[Words] = []


class NpcKindOther(Strict):
    kind: list[NpcKind] = []


class ItemKindOther(Strict):
    kind: list[ItemKind] = []
    actor: list[Words | None] = []
    recipient: list[Words | None] = []


class LocationKindOther(Strict):
    kind: list[LocationKind] = []


class NpcOccurrenceLabel(Label):
    name: Words
    kind: NpcKind
    alternatives: NpcKindOther = NpcKindOther()


class ItemOccurrenceLabel(Label):
    name: Words
    kind: ItemKind
    actor: Words | None = None
    recipient: Words | None = None
    detail: Words | None = None
    alternatives: ItemKindOther = ItemKindOther()


class LocationOccurrenceLabel(Label):
    name: Words
    kind: LocationKind
    alternatives: LocationKindOther = LocationKindOther()


class SpellOther(Strict):
    caster: list[Words] = []
    spell: list[Words] = []
    level: list[Level] = []
    targets: list[list[Words]] = []


class SpellLabel(Label):
    caster: Words
    spell: Words
    level: Level = None
    targets: list[Words] = []
    outcome: Words | None = None
    alternatives: SpellOther = SpellOther()


class ActionLabel(Strict):
    category: Category
    declaration: Words | None = None
    targets: list[Words] = []
    resolution: Words | None = None


class TurnOther(Strict):
    actor: list[Words] = []
    turn_kind: list[TurnKind] = []
    round: list[Round] = []


class TurnLabel(Label):
    actor: Words
    turn_kind: TurnKind
    round: Round = None
    actions: list[ActionLabel] = []
    summary: Words | None = None
    alternatives: TurnOther = TurnOther()


class EventOther(Strict):
    enemy: list[Words] = []
    kind: list[EventKind] = []
    actor: list[Words | None] = []


class EventLabel(Label):
    enemy: Words
    kind: EventKind
    detail: Words | None = None
    actor: Words | None = None
    alternatives: EventOther = EventOther()


class SceneOther(Strict):
    primary_mode: list[Mode] = []


class SceneLabel(Strict):
    """`optional` says that the border at the scene's start may be missing."""

    primary_mode: Mode
    start_unit_id: UnitId
    end_unit_id: UnitId
    title: Words | None = None
    optional: bool = False
    note: Words | None = None
    alternatives: SceneOther = SceneOther()


L = TypeVar("L", bound=Strict)


class LaneLabels(Strict, Generic[L]):
    """The labels of one lane; `segment` stands for the file's where this lane was labelled in another stretch."""

    records: list[L]
    not_entities: list[Words] = []
    segment: Annotated[list[Range], Field(min_length=1)] | None = None


AnyLabels = (
    LaneLabels[EntityLabel]
    | LaneLabels[NpcOccurrenceLabel]
    | LaneLabels[ItemOccurrenceLabel]
    | LaneLabels[LocationOccurrenceLabel]
    | LaneLabels[SpellLabel]
    | LaneLabels[TurnLabel]
    | LaneLabels[EventLabel]
    | LaneLabels[SceneLabel]
)


class Lanes(Strict):
    npcs: Annotated[LaneLabels[EntityLabel] | None, Field(alias="dnd/npcs")] = None
    items: Annotated[LaneLabels[EntityLabel] | None, Field(alias="dnd/items")] = None
    locations: Annotated[LaneLabels[EntityLabel] | None, Field(alias="dnd/locations")] = None
    npc_occurrences: Annotated[LaneLabels[NpcOccurrenceLabel] | None, Field(alias="dnd/npc-occurrences")] = None
    item_occurrences: Annotated[LaneLabels[ItemOccurrenceLabel] | None, Field(alias="dnd/item-occurrences")] = None
    location_occurrences: Annotated[
        LaneLabels[LocationOccurrenceLabel] | None, Field(alias="dnd/location-occurrences")
    ] = None
    spells: Annotated[LaneLabels[SpellLabel] | None, Field(alias="dnd/spells")] = None
    combat_turns: Annotated[LaneLabels[TurnLabel] | None, Field(alias="dnd/combat-turns")] = None
    enemy_events: Annotated[LaneLabels[EventLabel] | None, Field(alias="dnd/enemy-events")] = None
    scenes: Annotated[LaneLabels[SceneLabel] | None, Field(alias="dnd/scenes")] = None

    def by_key(self) -> dict[str, AnyLabels]:
        """Return the labelled lanes in the format's order."""
        fields = type(self).model_fields.items()
        return {field.alias or name: labels for name, field in fields if (labels := getattr(self, name)) is not None}

    def registries(self) -> dict[str, LaneLabels[EntityLabel]]:
        """Return the labelled registries."""
        known = {"dnd/npcs": self.npcs, "dnd/items": self.items, "dnd/locations": self.locations}
        return {key: labels for key, labels in known.items() if labels is not None}


class GoldFile(Strict):
    schema_: Annotated[Literal["notarius.gold.v1"], Field(alias="schema")]
    title: Words | None = None
    note: Words | None = None
    transcript_digest: Hex | None = None
    segment: Annotated[list[Range], Field(min_length=1)] | None = None
    party: list[Names] = []
    others: list[Names] = []
    lanes: Lanes
