"""What comes out, as the OpenAPI document shows it. Answers of a review stand in `shown_reviews`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from campaigns.api.schemas import Kind


def example(**values: Any) -> ConfigDict:  # Any: JSON
    return ConfigDict(json_schema_extra={"examples": [values]})


class CampaignOut(Schema):
    model_config = example(slug="glass-tithe", name="The Glass Tithe", public=False)

    slug: str
    name: str
    public: bool


class CampaignList(Schema):
    items: list[CampaignOut]
    next_cursor: str | None


class EntryOut(Schema):
    """An entry. With `fields`, those that were asked for."""

    model_config = example(id=f"npc:sha256:{'3f' * 32}", name="Sister Corwen", sessions=[1, 3], evidence_count=7)

    id: str = ""
    name: str = ""
    sessions: list[int] = Field([])
    evidence_count: int = 0


class EntryList(Schema):
    items: list[EntryOut]
    next_cursor: str | None


class EvidenceOut(Schema):
    session: int
    source_id: str
    start_unit_id: int
    end_unit_id: int
    quote: str | None = None


class EntryDetail(EntryOut):
    evidence: list[EvidenceOut] = Field([])
    other_ids: list[str] = Field([], description="Ids that lead here too: of records that were united or renamed.")
    also_called: list[str] = Field([], description="Names of what was united in this entry.")


class OccurrenceOut(Schema):
    model_config = example(
        session=2,
        family="npc-occurrences",
        kind="dialogue",
        name="Sister Corwen",
        detail=None,
        actor=None,
        recipient=None,
        scene=4,
        index=17,
        evidence=[{"session": 2, "source_id": "glass-tithe.s2.t1", "start_unit_id": 40, "end_unit_id": 44}],
    )

    session: int
    family: str
    kind: str
    name: str
    detail: str | None
    actor: str | None
    recipient: str | None
    scene: int | None = Field(description="Which scene of its session it begins in, counted from 0.")
    index: int = Field(description="Its place among the records of its family in that session.")
    evidence: list[EvidenceOut]


class OccurrenceList(Schema):
    items: list[OccurrenceOut]
    next_cursor: str | None


class CombatOut(Schema):
    model_config = example(
        session=2,
        family="spells",
        index=3,
        roles=["caster"],
        record={"caster": "Sister Corwen", "spell": "Bless", "level": 1, "targets": ["Pike"], "outcome": None},
        evidence=[{"session": 2, "source_id": "glass-tithe.s2.t1", "start_unit_id": 40, "end_unit_id": 44}],
    )

    session: int
    family: Literal["combat-turns", "spells", "enemy-events"]
    index: int = Field(description="Its place among the records of its family in that session.")
    roles: list[Literal["actor", "caster", "enemy", "target"]]
    record: dict[str, Any] = Field(description="The record, as the artifact of its family has it.")
    evidence: list[EvidenceOut]


class CombatList(Schema):
    items: list[CombatOut]
    next_cursor: str | None


class CompanionOut(Schema):
    model_config = example(kind="npc", id=f"npc:sha256:{'5a' * 32}", name="Wick", scenes=3)

    kind: Kind
    id: str
    name: str
    scenes: int


class CompanionList(Schema):
    items: list[CompanionOut]
    next_cursor: str | None


class StaleOut(Schema):
    version: int
    reason: str
    family: str = Field(description="What it was made with, or was made from, that is another now.")
    was: int | None
    now: int | None


class ArtifactOut(Schema):
    family: str
    approved: int | None
    latest: int | None = Field(description="The newest usable version; as approved for those who see no pending ones.")
    approved_id: int | None = Field(description="The id of that version, for `/artifact-versions`.")
    latest_id: int | None
    stale: list[StaleOut] = Field(description="What was made otherwise by now: a run would renew it.")


class SessionOut(Schema):
    model_config = example(
        number=2, title="The weir", played="2031-05-04T20:15:00Z", unit_count=812, families={"npcs": 9}
    )

    number: int
    title: str
    played: datetime | None = Field(None, description="When it was first put into the archive.")
    unit_count: int | None = Field(None, description="Of its newest transcript; for members.")
    families: dict[str, int] = Field({}, description="How many records of each family there are to see.")


class SessionList(Schema):
    items: list[SessionOut]
    next_cursor: str | None


class SessionDetail(SessionOut):
    model_config = example(
        number=2,
        title="The weir",
        played="2031-05-04T20:15:00Z",
        unit_count=812,
        families={"npcs": 9},
        artifacts=[
            {"family": "npcs", "approved": 1, "approved_id": 31, "latest": 2, "latest_id": 34, "stale": []},
        ],
    )

    artifacts: list[ArtifactOut]


class ArtifactList(Schema):
    items: list[ArtifactOut]
    next_cursor: str | None


class SceneOut(Schema):
    model_config = example(index=0, title="At the ferry", primary_mode="social", start_unit_id=1, end_unit_id=40)

    index: int
    title: str
    primary_mode: str
    start_unit_id: int
    end_unit_id: int


class SceneList(Schema):
    items: list[SceneOut]
    next_cursor: str | None


class TurnOut(Schema):
    index: int = Field(description="Its place among the session's turns.")
    record: dict[str, Any] = Field(description="The turn, as the artifact combat-turns has it.")
    during: str = Field(description="Whose turn it breaks into, where it does not stand inside that one.")
    assumed: bool = Field(description="Nobody said its round: it stands in the one before.")
    interrupts: list[TurnOut]
    evidence: list[EvidenceOut]


class RoundOut(Schema):
    number: int | None
    turns: list[TurnOut]


class FightOut(Schema):
    model_config = example(number=1, title="On the pier", rounds=[{"number": 1, "turns": []}])

    number: int
    title: str = Field(description="That of the scene in which it begins.")
    rounds: list[RoundOut]


class FightList(Schema):
    items: list[FightOut]
    next_cursor: str | None


class UnitOut(Schema):
    """An utterance. With `fields`, those that were asked for."""

    unit_id: int = 0
    speaker: str | None = None
    text: str = ""
    start_ms: int | None = None
    end_ms: int | None = None


class TranscriptOut(Schema):
    source_id: str
    digest: str
    unit_count: int
    units: list[UnitOut]
    next_cursor: str | None = Field(description="Leads on where `limit` left units out.")


class UploadOut(Schema):
    source_id: str
    revision: int
    digest: str
    unit_count: int
    created: bool
    same_as: int | None = Field(description="The older revision whose units these are.")


class LaneOut(Schema):
    lane: str
    state: str
    attempts: int
    chunks_done: int
    chunks_total: int
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    error_code: str | None
    error_message: str | None


class RunOut(Schema):
    id: int
    campaign: str
    session: int
    pipeline: str
    state: str
    created_at: datetime
    finished_at: datetime | None
    pause_code: str | None
    token_cap: int | None
    cost_cap: float | None
    costs: dict[str, float]
    lanes: list[LaneOut]


class RunList(Schema):
    items: list[RunOut]
    next_cursor: str | None


class LaneForecastOut(Schema):
    lane: str
    profile: str
    chunks: int
    kept_chunks: int
    calls: int
    prompt_tokens: int
    completion_tokens: int


class ForecastOut(Schema):
    calls: int
    prompt_tokens: int
    completion_tokens: int
    minutes: float
    costs: dict[str, float]
    lanes: list[LaneForecastOut]


class VersionOut(Schema):
    id: int
    number: int
    family: str
    state: str
    digest: str
    note: str


class ChangeOut(Schema):
    model_config = example(
        at="2031-05-04T20:15:00Z",
        change="renamed",
        kind="npc",
        id=f"npc:sha256:{'3f' * 32}",
        name="Sister Corwen",
        was="Corwen",
        superseded_by=[],
        session=3,
    )

    at: datetime
    change: str
    kind: Kind
    id: str
    name: str
    was: str | None
    superseded_by: list[str]
    session: int | None


class ChangeList(Schema):
    items: list[ChangeOut]
    since: str = Field(description="Ask with it next time. It stays the same as long as nothing has changed.")
    more: bool = Field(description="There is more already: ask again at once.")


class HitOut(Schema):
    model_config = example(
        kind="unit",
        session=2,
        unit_id=41,
        speaker="Ottilie",
        id=None,
        name="",
        sessions=[2],
        snippet="A woman with a <mark>lantern</mark> waits on the pier.",
    )

    kind: Literal["npc", "item", "location", "unit"]
    session: int | None
    unit_id: int | None
    speaker: str | None
    id: str | None
    name: str
    sessions: list[int]
    snippet: str = Field(description="HTML: escaped words, with `mark` around what was found.")


class SuggestionOut(Schema):
    name: str
    query: str


class HitList(Schema):
    items: list[HitOut]
    next_cursor: str | None
    suggestions: list[SuggestionOut]


class FaultOut(Schema):
    field: str
    code: str
    detail: str


class Problem(Schema):
    """What went wrong (RFC 9457). The `code` is stable, the sentences are not."""

    model_config = example(
        type="about:blank",
        title="Not Found",
        status=404,
        code="campaign.unknown",
        detail="There is no such campaign.",
    )

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[FaultOut] | None = Field(
        None,
        description="A fault a field: `pointer` leads into the body, `in` and `parameter` name any other place.",
    )
