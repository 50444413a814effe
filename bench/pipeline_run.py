"""One run of all lanes of `complete`, step by step: `python -m bench.pipeline_run '<PipelinePlan as JSON>'`.

The lanes of a step run side by side and share one limit on calls in flight evenly. What each lane sent, and what the
endpoint's cache served of it, is read from the usage in the replies, so any endpoint will do.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from http.client import HTTPConnection
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from bench.processes import Stopwatch, peak_mib, print_result
from bench.transcripts import ROOT, document
from extraction.canonical import JsonValue, digest
from extraction.lanes.job import BoundReference, LaneJob, LaneResult, Retries
from extraction.lanes.ports import LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.boundary import Exchange, ExchangeSink, StructuredClient
from extraction.llm.openai_client import preload
from extraction.llm.profiles import OutputMode, Profile, ProviderKind, SchemaLayout
from extraction.llm.providers import client_for
from extraction.pipelines.config import bundled
from extraction.prompts.catalog import Catalog
from extraction.registry import CHUNK_REPLIES, LANES
from extraction.source.documents import SourceDocument

ASSETS = ROOT / "assets" / "dnd"


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """`spread` lets lanes of a step begin at different chunks; `forget` empties the endpoint's cache before a step."""

    source: str
    url: str | None = None
    workers: int = 18
    chunk_units: int = Profile().chunk_units
    chunk_words: int = Profile().chunk_words
    layout: str = SchemaLayout.LANE.value
    output: str = OutputMode.JSON_SCHEMA.value
    spread: bool = False
    forget: bool = False

    def arguments(self) -> str:
        return json.dumps(asdict(self))

    def job(self, client: StructuredClient | None = None) -> LaneJob:
        """Return what every lane is run with; the profile's own client unless another is given."""
        profile = self._profile()
        read = document(self.source)
        return LaneJob(
            read,
            Catalog.load(ASSETS),
            client or client_for(profile),
            profile,
            table_of(read),
            retries=Retries(2, 2),
            envelope=CHUNK_REPLIES,
        )

    def _profile(self) -> Profile:
        given: dict[str, object] = {"chunk_units": self.chunk_units, "chunk_words": self.chunk_words}
        if self.url is not None:
            given |= {"provider": ProviderKind.OPENAI, "base_url": self.url, "model": "bench", "tries": 20}
            given |= {"schema_layout": self.layout, "structured_output": self.output}
        return Profile.model_validate(given | {"concurrency": self.workers})


@dataclass
class SharedSeats:
    """One limit for the lanes of a step: each gets an even share, more as others end."""

    limit: int
    lanes: list[str]
    _lock: Lock = field(default_factory=Lock)

    def allowed(self, lane: str, wanted: int) -> int:
        with self._lock:
            if lane not in self.lanes:
                self.lanes.append(lane)
            share, rest = divmod(self.limit, len(self.lanes))
            return min(wanted, share + (self.lanes.index(lane) < rest))

    def leave(self, lane: str) -> None:
        with self._lock:
            if lane in self.lanes:
                self.lanes.remove(lane)


@dataclass(frozen=True)
class LaneSeats:
    """The CallSeats of one lane."""

    shared: SharedSeats
    lane: str

    def resize(self, *, in_flight: int, wanted: int) -> int:
        return self.shared.allowed(self.lane, wanted)

    def release(self) -> None:
        self.shared.leave(self.lane)


def table_of(read: SourceDocument) -> dict[str, JsonValue]:
    """Return a roster in which whoever speaks most is the game master."""
    gm, *players = [label for label, _ in Counter(unit.speaker for unit in read.units).most_common(9)]
    party: list[JsonValue] = [
        {"character": f"Wayfarer {label}", "player": label, "speaker_labels": [label], "other_names": []}
        for label in players
    ]
    return {"gm": {"player": gm, "speaker_labels": [gm]}, "party": party, "glossary": []}


def steps() -> list[list[str]]:
    """Return the lanes of the bundled pipeline `complete`, step by step."""
    pipeline = bundled(ASSETS / "pipelines", "complete")
    return [[lane.lane for lane in step.lanes] for step in pipeline.steps]


def start_at(step: Sequence[str], lane: str) -> float:
    """Return where the archive lets the lane begin."""
    together = [key for key in step if LANES[key].shares_chunks]
    return together.index(lane) / len(together) if lane in together else 0.0


def complete(
    job: LaneJob, *, spread: bool, record: ExchangeSink, before_step: Callable[[], None]
) -> dict[str, LaneResult]:
    """Run every lane and return the results by lane."""
    results: dict[str, LaneResult] = {}
    for step in steps():
        before_step()
        seats = SharedSeats(job.profile.concurrency, list(step))
        run = partial(_run_one, job, seats, results, record, step if spread else ())
        with ThreadPoolExecutor(len(step)) as pool:
            results |= dict(zip(step, pool.map(run, step), strict=True))
    return results


def _run_one(
    job: LaneJob,
    seats: SharedSeats,
    results: Mapping[str, LaneResult],
    record: ExchangeSink,
    spread_over: Sequence[str],
    key: str,
) -> LaneResult:
    lane = LANES[key]
    bound = {name: _bound(slot.lane, results[slot.lane]) for name, slot in lane.slots.items()}
    given = replace(job, references=bound, start_at=start_at(spread_over, key))
    return run_lane(lane, given, LanePorts(seats=LaneSeats(seats, key), record=record))


def _bound(lane: str, result: LaneResult) -> BoundReference:
    applied: Any = result.consolidations.get("applied", ())
    members = {group["id"]: [member["name"] for member in group["members"]] for group in applied}
    return BoundReference(lane, result.payload, members)


def run(plan: PipelinePlan) -> dict[str, object]:
    """Return wall, CPU, peak of memory and, by prompt, the calls and the tokens as the endpoint counted them."""
    preload()
    prompts: dict[str, Counter[str]] = {}
    lock = Lock()

    def record(exchange: Exchange) -> None:
        usage = exchange.usage
        with lock:
            seen = prompts.setdefault(exchange.prompt_id, Counter())
            seen.update(
                calls=1,
                sent=usage.prompt_tokens or 0,
                cached=usage.cached_tokens or 0,
                answered=usage.completion_tokens or 0,
            )

    forget = partial(_reset, plan.url) if plan.url and plan.forget else nothing
    watch = Stopwatch()
    results = complete(plan.job(), spread=plan.spread, record=record, before_step=forget)
    return {
        **watch.figures(),
        "peak_mib": peak_mib(),
        "prompts": prompts,
        "records": {key: result.record_count for key, result in results.items()},
        "digest": digest({key: result.digest for key, result in results.items()}),
    }


def nothing() -> None:
    pass


def _reset(base_url: str) -> None:
    parts = urlsplit(base_url)
    connection = HTTPConnection(parts.netloc, timeout=10)
    connection.request("POST", "/reset", body=b"{}")
    connection.getresponse().read()
    connection.close()


if __name__ == "__main__":
    print_result(run(PipelinePlan(**json.loads(sys.argv[1]))))
