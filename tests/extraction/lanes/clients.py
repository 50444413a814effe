"""Clients that answer the standard document's pages: from queues, in a given order, or carelessly."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from extraction.canonical import JsonValue
from extraction.lanes.job import LaneResult
from extraction.lanes.ports import FixedSeats, LanePorts
from extraction.lanes.run import run_lane
from extraction.llm.boundary import ExchangeSink, StructuredCompletion, StructuredRequest
from extraction.llm.scripted import ScriptedClient
from extraction.registry import LANES
from tests.extraction import story
from tests.extraction.story import EXTRACT, RECONCILE, asked, asking, first_unit, groups, make_job

NPCS = LANES["dnd/npcs"]
GOOD = {at: story.npcs_reply(records) for at, records in story.ANSWERS.items()}
BAD_RANGE = story.npcs_reply({"Wick": [(50, 9999)]})


def run(client: Any, ports: LanePorts | None = None, **changes: Any) -> LaneResult:
    return run_lane(NPCS, make_job(client, **changes), ports or LanePorts(seats=FixedSeats(1)))


@dataclass
class Pages(ScriptedClient):
    """Answers pages by their first unit: each from its own queue, then well."""

    queues: dict[int, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(self._page)
        self.enqueue(RECONCILE, *[groups()] * 9)

    def _page(self, request: StructuredRequest) -> JsonValue:
        queue = self.queues.get(first_unit(request), [])
        reply: Any = queue.pop(0) if queue else GOOD[first_unit(request)]
        if isinstance(reply, Exception):
            raise reply
        return reply  # type: ignore[no-any-return]  # a scripted JSON value

    def pages(self) -> list[int]:
        return [first_unit(request) for request in asked(self, EXTRACT)]


class Turnstile:
    """Lets the calls for pages end in the given order, whatever order they started in."""

    def __init__(self, order: Sequence[int]) -> None:
        self.identity = ScriptedClient().identity
        self._inner = asking(groups(group_of_voss()))
        self._gates = {page: threading.Event() for page in order}
        self._next = dict(pairwise(order))
        self._gates[order[0]].set()

    def complete(self, request: StructuredRequest, record: ExchangeSink) -> StructuredCompletion:
        if request.prompt_id != EXTRACT:
            return self._inner.complete(request, record)
        page = first_unit(request)
        assert self._gates[page].wait(20)
        try:
            return self._inner.complete(request, record)
        finally:
            if page in self._next:
                self._gates[self._next[page]].set()


def group_of_voss() -> dict[str, JsonValue]:
    return story.group("Aurelio Voss", "Captain Voss")


class Careless:
    """A provider that hands on what breaks the schema; the second gate is the private reply type."""

    def __init__(self, prompt_id: str) -> None:
        self.identity = ScriptedClient().identity
        self._inner = asking(groups())
        self._prompt_id = prompt_id

    def complete(self, request: StructuredRequest, record: ExchangeSink) -> StructuredCompletion:
        completion = self._inner.complete(request, record)
        return replace(completion, data={"npcs": "Wick"}) if request.prompt_id == self._prompt_id else completion
