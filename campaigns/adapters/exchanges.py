"""Round trips with a provider, taken from any thread and written by the lane's own."""

from __future__ import annotations

import zlib
from collections import deque

from django.db.models import F
from django.db.models.expressions import Combinable

from campaigns.models import Exchange as ExchangeRow
from extraction.llm.boundary import Exchange

# Level 1: most of the gain, and a model call is not kept waiting for it.
COMPRESSION = 1
COUNTED = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens")


class ExchangeLog:
    """An ExchangeSink. Calling it only appends, which is safe from several threads at once."""

    def __init__(self, lane_id: int) -> None:
        self._lane_id = lane_id
        self._pending: deque[Exchange] = deque()

    def __call__(self, exchange: Exchange) -> None:
        self._pending.append(exchange)

    def __len__(self) -> int:
        return len(self._pending)

    def take(self) -> list[Exchange]:
        """Return what came in since the last time, each exchange once."""
        taken = []
        while self._pending:
            taken.append(self._pending.popleft())
        return taken

    def put_back(self, exchanges: list[Exchange]) -> None:
        """Have exchanges that were taken but not written stand first again."""
        self._pending.extendleft(reversed(exchanges))

    def rows(self, exchanges: list[Exchange]) -> list[ExchangeRow]:
        """Return unsaved rows of the exchanges."""
        return [self._row(exchange) for exchange in exchanges]

    def _row(self, exchange: Exchange) -> ExchangeRow:
        return ExchangeRow(
            lane_id=self._lane_id,
            prompt_id=exchange.prompt_id,
            request=zlib.compress(exchange.request, COMPRESSION),
            reply=zlib.compress(exchange.reply, COMPRESSION),
            outcome=exchange.outcome,
            provider=exchange.provider[:20],
            model=exchange.model[:200],
            prompt_tokens=exchange.usage.prompt_tokens,
            cached_tokens=exchange.usage.cached_tokens,
            completion_tokens=exchange.usage.completion_tokens,
            latency_ms=exchange.latency_ms,
            provider_request_id=exchange.provider_request_id[:200],
        )


def counted(exchanges: list[Exchange]) -> dict[str, int]:
    """Return how many calls and tokens the exchanges are, by the columns of a lane's row."""
    return {
        "calls": len(exchanges),
        "prompt_tokens": sum(e.usage.prompt_tokens or 0 for e in exchanges),
        "cached_tokens": sum(e.usage.cached_tokens or 0 for e in exchanges),
        "completion_tokens": sum(e.usage.completion_tokens or 0 for e in exchanges),
    }


def raised_counters(exchanges: list[Exchange]) -> dict[str, Combinable]:
    """Return the changes to a lane's row that count the exchanges; none for none."""
    return {name: F(name) + count for name, count in counted(exchanges).items()} if exchanges else {}
