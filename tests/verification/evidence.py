"""What is kept of a run while it happens, so that every answer of the model can be accounted for afterwards."""

from __future__ import annotations

import json
import logging
import time
from collections import defaultdict
from dataclasses import dataclass, field

from extraction.codes import Code
from extraction.errors import LeaseLost, NotariusError, RunCancelled
from extraction.lanes.job import LaneJob, LaneResult
from extraction.lanes.ports import FixedSeats, LanePorts, MemoryCheckpoints
from extraction.lanes.run import run_lane
from extraction.llm.boundary import Exchange
from extraction.llm.openai_client import SCHEMA_NOTE, OpenAIClient
from extraction.prompts.catalog import Catalog
from extraction.registry import LANES
from tests.verification.environment import ROOT
from tests.verification.scenarios import Scenario, stretch, table

LANE = LANES["dnd/npcs"]


@dataclass
class Witnessed:
    """One run: what it was asked to do, what went over the wire, what was kept, and how it ended."""

    scenario: Scenario
    job: LaneJob
    exchanges: list[Exchange] = field(default_factory=list)
    checkpoints: MemoryCheckpoints = field(default_factory=MemoryCheckpoints)
    log: list[str] = field(default_factory=list)
    result: LaneResult | None = None
    error: NotariusError | None = None
    seconds: float = 0.0

    @property
    def end(self) -> str:
        """Return `published` or the code that the run ended in."""
        return self.error.code.value if self.error is not None else "published"

    @property
    def cut_off(self) -> bool:
        """Return whether our own time limit ended it: then it says nothing about what was still in flight."""
        return self.error is not None and self.error.code is Code.RUN_CANCELLED

    def asked(self, prompt: str) -> dict[str, list[Exchange]]:
        """Return the prompt's exchanges by what the user message said before any schema, each in order of time."""
        grouped: defaultdict[str, list[Exchange]] = defaultdict(list)
        for exchange in self.exchanges:
            if exchange.prompt_id == prompt:
                said = json.loads(exchange.request)["messages"][-1]["content"]
                grouped[said.partition(f"\n\n{SCHEMA_NOTE}\n")[0]].append(exchange)
        return grouped


class _Lines(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.INFO)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())


def witness(scenario: Scenario, base_url: str, deadline: float) -> Witnessed:
    """Run the NPC lane as the scenario says. Only errors of our own tree are an end; a bug comes through."""
    profile = scenario.profile(base_url)
    client = OpenAIClient(profile)
    catalog = Catalog.load(ROOT / "assets" / "dnd")
    job = LaneJob(stretch(scenario.units), catalog, client, profile, table(), retries=scenario.retries)
    seen = Witnessed(scenario, job)

    def pulse() -> None:
        if time.monotonic() > deadline:
            raise RunCancelled("The time for the verification is over.", code=Code.RUN_CANCELLED)

    def keep(exchange: Exchange) -> None:
        seen.exchanges.append(exchange)

    ports = LanePorts(checkpoints=seen.checkpoints, seats=FixedSeats(profile.concurrency), pulse=pulse, record=keep)
    handler = _Lines(seen.log)
    logging.getLogger().addHandler(handler)
    began = time.monotonic()
    try:
        seen.result = run_lane(LANE, job, ports)
    except LeaseLost:
        raise
    except NotariusError as error:
        seen.error = error
    finally:
        seen.seconds = time.monotonic() - began
        logging.getLogger().removeHandler(handler)
        client.close()
    return seen
