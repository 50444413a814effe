"""What a run would take before it starts: calls, tokens, cost and minutes, lane by lane.

Calls and prompt tokens come from the very prompts that would be sent; what checkpoints answer is not asked again. The
length of answers and the seconds of a call are taken from what these lanes and models did before, else assumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Avg, Sum

from campaigns.actions import bindings, plans
from campaigns.adapters.documents import load_document
from campaigns.adapters.providers import catalog, profiles
from campaigns.adapters.table import table_of
from campaigns.models import Checkpoint, Exchange, GameSession, LaneRun, Transcript
from extraction.lanes.forecast import Expected, expected
from extraction.lanes.job import BoundReference, LaneJob
from extraction.llm.profiles import Profile, ProviderKind
from extraction.llm.providers import client_for
from extraction.pipelines.config import Pipeline
from extraction.registry import CHUNK_REPLIES, LANES, is_registry

ANSWER_SHARE = 0.1
CALL_S = {ProviderKind.OPENAI: 8.0, ProviderKind.RULES: 0.02, ProviderKind.REPLAY: 0.02}
LAST = 500
MICROS = 1_000_000


@dataclass(frozen=True, slots=True)
class LaneForecast:
    """`assumed` are the registries that this run would make first, so that their names are not counted yet."""

    lane: str
    profile: str
    expected: Expected
    completion_tokens: int
    cost: float | None
    currency: str
    seconds: float
    assumed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forecast:
    lanes: tuple[LaneForecast, ...]

    @property
    def calls(self) -> int:
        return sum(lane.expected.calls for lane in self.lanes)

    @property
    def prompt_tokens(self) -> int:
        return sum(lane.expected.prompt_tokens for lane in self.lanes)

    @property
    def completion_tokens(self) -> int:
        return sum(lane.completion_tokens for lane in self.lanes)

    @property
    def minutes(self) -> float:
        """Lanes share their profile's calls in flight, so their times add up."""
        return sum(lane.seconds for lane in self.lanes) / 60

    @property
    def costs(self) -> Mapping[str, float]:
        """The sum in each currency; empty where no profile has prices."""
        sums: dict[str, float] = {}
        for lane in self.lanes:
            if lane.cost is not None:
                sums[lane.currency] = sums.get(lane.currency, 0.0) + lane.cost
        return sums

    @property
    def money(self) -> str:
        return " + ".join(f"{cost:,.2f} {currency}" for currency, cost in sorted(self.costs.items())) or "no prices set"


def forecast(session: GameSession, transcript: Transcript, pipeline: Pipeline) -> Forecast:
    """Return what the pipeline would take over the transcript now. No model is asked and nothing is written.

    Raises PipelineError for a profile that is not configured.
    """
    known = profiles()
    plan = plans.plan_of(pipeline, known)
    document = load_document(transcript)
    table = table_of(session.campaign)
    made = [lane.lane for lane in plan]
    kept = _Kept(session.pk)
    lanes = []
    for planned in plan:
        profile = known[planned.profile]
        references, assumed = _references(planned.lane, transcript, made)
        job = LaneJob(
            document=document,
            catalog=catalog(),
            client=client_for(profile),
            profile=profile,
            table=table,
            references=references,
            retries=planned.retries,
            envelope=CHUNK_REPLIES,
        )
        lanes.append(_lane(planned, profile, expected(LANES[planned.lane], job, kept), assumed))
    return Forecast(tuple(lanes))


class _Kept:
    """The session's checkpoints, read with one query; a forecast keeps none."""

    def __init__(self, session_id: int) -> None:
        rows = Checkpoint.objects.filter(session_id=session_id).values_list("key", "value")
        self._values = {key: bytes(value) for key, value in rows.iterator()}

    def get(self, key: str) -> bytes | None:
        return self._values.get(key)

    def put(self, key: str, value: bytes) -> None:
        raise AssertionError("a forecast writes nothing")


def _references(
    lane: str, transcript: Transcript, made: Sequence[str]
) -> tuple[dict[str, BoundReference], tuple[str, ...]]:
    """Return what would bind, as far as it is there, and the lanes that this run would make it in."""
    bound, assumed = {}, []
    for name, slot in LANES[lane].slots.items():
        found = bindings.archived(slot.lane, transcript)
        if found is not None:
            bound[name] = bindings.reference(slot.lane, *found)
        elif slot.required:
            bound[name] = BoundReference(slot.lane, {LANES[slot.lane].records_key: []})
        if slot.lane in made and is_registry(slot.lane):
            assumed.append(slot.lane)
    return bound, tuple(assumed)


def _lane(planned: plans.PlannedLane, profile: Profile, asked: Expected, assumed: tuple[str, ...]) -> LaneForecast:
    answered = round(asked.prompt_tokens * _answer_share(planned.lane))
    prices = profile.prices
    micros = prices.micros(prompt=asked.prompt_tokens, cached=0, completion=answered) if prices else None
    return LaneForecast(
        lane=planned.lane,
        profile=planned.profile,
        expected=asked,
        completion_tokens=answered,
        cost=None if micros is None else micros / MICROS,
        currency=profile.currency,
        seconds=asked.calls * _call_seconds(profile) / profile.concurrency,
        assumed=assumed,
    )


def _answer_share(lane: str) -> float:
    """Return how long the lane's answers were against its prompts so far."""
    sums = LaneRun.objects.filter(key=lane, completion_tokens__gt=0).aggregate(
        asked=Sum("prompt_tokens"), answered=Sum("completion_tokens")
    )
    return sums["answered"] / sums["asked"] if sums["asked"] else ANSWER_SHARE


def _call_seconds(profile: Profile) -> float:
    """Return how long the model's last calls took on average."""
    rows = Exchange.objects.filter(model=profile.model, outcome="ok") if profile.model else Exchange.objects.none()
    latest = rows.order_by("-pk").values("pk")[:LAST]
    taken = Exchange.objects.filter(pk__in=latest).aggregate(ms=Avg("latency_ms"))["ms"]
    return CALL_S[profile.provider] if taken is None else taken / 1_000
