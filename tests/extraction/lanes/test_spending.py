"""What a lane may cost at the most, and what it may lose, when an endpoint misbehaves: counted at the endpoint.

A chunk costs at most one call, and one more for each retry: the profile's further tries where no answer came, and the
stage's retries where one was unusable, together. The same holds for the one question of a registry lane.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

import pytest

from extraction.canonical import canonical_json
from extraction.errors import LaneFailed, NotariusError, ProviderUnavailable
from extraction.lanes.job import LaneResult, Retries
from extraction.lanes.ports import FixedSeats, LanePorts, MemoryCheckpoints
from extraction.lanes.run import run_lane
from extraction.llm.openai_client import OpenAIClient
from extraction.llm.profiles import Profile, ProviderKind
from extraction.registry import LANES
from extraction.source.documents import SourceDocument, SourceUnit
from tests.extraction.story import make_job
from tests.loopback import DROP, HANG, Reply, RequestJson, ScriptedServer, answer, chat, failure

WORKERS, TRIES, RETRIES = 8, 3, 2
HANG_S, PATIENCE_S = 0.5, 30.0
CHUNKS = 60
UNITS = tuple(
    SourceUnit(number, "Ada", f"Warden {a}{b.lower()} opens the gate.")
    for number, (a, b) in enumerate(product("BDFGK", "ABCDEFGHIJKL"), start=1)
)
DOCUMENT = SourceDocument("gates.s1.t1", UNITS)
NPCS, SPELLS = LANES["dnd/npcs"], LANES["dnd/spells"]
REGISTRIES = 1
MOST_CALLS = (2 * CHUNKS + REGISTRIES) * (1 + (TRIES - 1) + RETRIES)

WHOLE = answer({"npcs": []})
HALF = '{"npcs": [{"name": "Warden'
NO_ANSWER = {
    "500": failure(500, message="oops"),
    "503": failure(503, message="busy"),
    "429": failure(429, headers={"Retry-After": "0"}, type="rate_limit_exceeded"),
    "reset": DROP,
    "half-a-body": replace(WHOLE, cut=len(WHOLE.body) // 2),
    "hang": HANG,
}
UNUSABLE = {
    "prose": chat("The wardens open the gates."),
    "half-a-json": chat(HALF),
    "cut-by-length": chat(HALF, finish_reason="length"),
    "empty": chat(""),
}
FAULTS = NO_ANSWER | UNUSABLE


@dataclass
class Gates:
    """Answers each chunk with the warden of its unit, and every `every`th call with `fault` instead; 0 for none.

    `asked` counts calls by what they ask about: the task, and the chunk's unit or None for the registry's question.
    `refused` counts those that the server turned away.
    """

    fault: Reply = WHOLE
    every: int = 0
    model: str = "test-model"
    asked: Counter[tuple[str, int | None]] = field(default_factory=Counter)
    refused: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: RequestJson) -> Reply:
        shape = request["response_format"]["json_schema"]
        unit = next(_enums(shape["schema"]), None)
        with self._lock:
            self.asked[shape["name"], unit] += 1
            spoilt = self.every and self.asked.total() % self.every == 0
        if spoilt:
            return self.fault
        return chat(json.dumps(_reply(shape["name"], unit)), model=self.model)


def _enums(schema: object) -> Iterator[int]:
    """Yield the units that the schema allows to be cited: those of the chunk, whatever its prompt looks like."""
    if isinstance(schema, dict):
        if isinstance(schema.get("enum"), list):
            yield from (value for value in schema["enum"] if isinstance(value, int))
        for value in schema.values():
            yield from _enums(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _enums(value)


def _reply(shape: str, unit: int | None) -> dict[str, object]:
    if shape != "npcs" or unit is None:
        return {"spells": []} if shape == "spells" else {"duplicate_groups": []}
    name = " ".join(UNITS[unit - 1].text.split()[:2])
    return {"npcs": [{"name": name, "source_refs": [{"start_unit_id": unit, "end_unit_id": unit}]}]}


@dataclass
class Outcome:
    result: LaneResult | None = None
    failure: NotariusError | None = None


def run_both(responder: Gates, stores: dict[str, MemoryCheckpoints], *, limit: int | None = None) -> list[Outcome]:
    """Run a registry lane and one that is none, under the real client; return how each ended."""
    outcomes = []
    with ScriptedServer(responder=responder, limit=limit, latency=0.01 if limit else 0) as server:
        profile = Profile(
            provider=ProviderKind.OPENAI,
            base_url=server.base_url,
            model="test-model",
            concurrency=WORKERS,
            timeout_s=HANG_S if responder.fault is HANG else PATIENCE_S,
            tries=TRIES,
            chunk_units=1,
            unit_id_enum=True,
        )
        client = OpenAIClient(profile, pause=None if limit else lambda seconds: None)
        job = make_job(client, document=DOCUMENT, profile=profile, retries=Retries(RETRIES, RETRIES))
        for lane in (NPCS, SPELLS):
            ports = LanePorts(stores.setdefault(lane.key, MemoryCheckpoints()), FixedSeats(WORKERS))
            try:
                outcomes.append(Outcome(result=run_lane(lane, job, ports)))
            except (LaneFailed, ProviderUnavailable) as error:
                outcomes.append(Outcome(failure=error))
        client.close()
        responder.refused = server.refused
    return outcomes


@pytest.fixture(scope="module")
def whole() -> list[bytes]:
    """The artifacts of both lanes from an endpoint without a fault, which take the calls that were forecast."""
    gates = Gates()
    outcomes = run_both(gates, {})

    assert set(gates.asked.values()) == {1}
    assert gates.asked.total() == 2 * CHUNKS + REGISTRIES
    return payloads(outcomes)


def payloads(outcomes: list[Outcome]) -> list[bytes]:
    return [canonical_json(outcome.result.payload) for outcome in outcomes if outcome.result]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("every", [50, 2], ids=["1-in-50", "1-in-2"])
def test_faults_cost_no_call_beyond_the_bound_and_no_record_without_a_mark(
    fault: str, every: int, whole: list[bytes]
) -> None:
    """What did not come is said: the lane failed, and the next run asks for what is missing and for nothing else."""
    gates, stores = Gates(FAULTS[fault], every), dict[str, MemoryCheckpoints]()
    outcomes = run_both(gates, stores)
    answered = {key: len(store.values) for key, store in stores.items()}
    healed = Gates()
    after = payloads(run_both(healed, stores))

    assert gates.asked.total() <= MOST_CALLS
    assert max(gates.asked.values()) <= 1 + (TRIES - 1) + RETRIES
    for lane, outcome, expected in zip((NPCS, SPELLS), outcomes, whole, strict=True):
        if outcome.result is not None:
            assert canonical_json(outcome.result.payload) == expected
        elif isinstance(outcome.failure, LaneFailed):
            assert len(outcome.failure.findings) == CHUNKS - answered[lane.key]
    assert after == whole
    assert healed.asked.total() == 2 * CHUNKS + REGISTRIES - sum(answered.values())


@pytest.mark.parametrize("fault", FAULTS)
def test_endpoint_that_never_answers_well_costs_no_more_than_the_bound(fault: str) -> None:
    gates = Gates(FAULTS[fault], 1)
    failures = [outcome.failure for outcome in run_both(gates, {})]

    assert {type(failure) for failure in failures} == {ProviderUnavailable if fault in NO_ANSWER else LaneFailed}
    assert max(gates.asked.values()) == (TRIES if fault in NO_ANSWER else 1 + RETRIES)
    assert gates.asked.total() <= MOST_CALLS


@pytest.mark.parametrize(
    ("script", "calls", "ends_as"),
    [
        pytest.param("xx...", 1 + (TRIES - 1) + RETRIES, LaneFailed, id="no-answer-first"),
        pytest.param(".x.x.", 1 + (TRIES - 1) + RETRIES, LaneFailed, id="by-turns"),
        pytest.param("xx.xx.xx.", TRIES + 1, ProviderUnavailable, id="no-answer-again-in-each-attempt"),
    ],
)
def test_tries_and_retries_of_a_chunk_add_up_and_do_not_multiply(
    script: str, calls: int, ends_as: type[NotariusError]
) -> None:
    """x is no answer, a point an unusable one. The tries that one attempt used are not given anew to the next."""
    replies = [FAULTS["500"] if sign == "x" else FAULTS["prose"] for sign in script]
    with ScriptedServer(*replies) as server:
        profile = Profile(provider=ProviderKind.OPENAI, base_url=server.base_url, model="test-model", tries=TRIES)
        client = OpenAIClient(profile, pause=lambda seconds: None)
        document = SourceDocument("gates.s1.t1", UNITS[:1])
        job = make_job(client, document=document, profile=profile, retries=Retries(RETRIES, RETRIES))
        with pytest.raises(ends_as):
            run_lane(NPCS, job, LanePorts())
        client.close()

    assert server.calls == calls


def test_another_models_name_costs_nothing(whole: list[bytes]) -> None:
    gates = Gates(model="somebody-else")
    outcomes = run_both(gates, {})

    assert payloads(outcomes) == whole
    assert gates.asked.total() == 2 * CHUNKS + REGISTRIES


def test_provider_that_holds_fewer_calls_refuses_no_more_than_were_in_flight(whole: list[bytes]) -> None:
    gates = Gates()
    outcomes = run_both(gates, {}, limit=WORKERS - 2)

    assert payloads(outcomes) == whole
    assert set(gates.asked.values()) == {1}
    assert 1 <= gates.refused <= WORKERS
