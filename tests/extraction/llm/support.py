"""What the tests of the model boundary share: one small invented reply type, one request, one profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, SecretStr

from extraction.codes import Code
from extraction.errors import ProviderUnavailable
from extraction.llm.boundary import Exchange, Message, Role, StructuredRequest
from extraction.llm.profiles import Profile, ProviderKind
from extraction.llm.schema import narrow, response_schema

KEY = "sk-canary-key-7391"
SYSTEM_TEXT = "Canary-instruction: list the lighthouse keepers."
USER_TEXT = "Canary-transcript: [7] Odile: Wickern lights the “lamp”."
GOOD = {
    "keepers": [{"name": "Wickern", "rank": "first", "note": None, "seen": [{"start_unit_id": 7, "end_unit_id": 7}]}]
}


class Seen(BaseModel):
    model_config = ConfigDict(extra="forbid")
    start_unit_id: int
    end_unit_id: int


class Keeper(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    rank: Literal["first", "second"]
    note: str | None
    seen: list[Seen]


class Keepers(BaseModel):
    model_config = ConfigDict(extra="forbid")
    keepers: list[Keeper]


def request(*, unit_ids: list[int] | None = None, max_records: int | None = None, **changes: Any) -> StructuredRequest:
    values: dict[str, Any] = {
        "prompt_id": "test/keepers",
        "messages": (Message(Role.SYSTEM, SYSTEM_TEXT), Message(Role.USER, USER_TEXT)),
        "schema_name": "keepers",
        "schema": narrow(response_schema(Keepers), unit_ids=unit_ids, max_records=max_records),
        "materials": {},
    }
    return StructuredRequest(**values | changes)


def profile(base_url: str, **changes: Any) -> Profile:
    values: dict[str, Any] = {
        "provider": ProviderKind.OPENAI,
        "base_url": base_url,
        "model": "test-model",
        "api_key": SecretStr(KEY),
        "timeout_s": 5.0,
        "tries": 3,
    }
    return Profile(**values | changes)


@dataclass
class Recorder:
    """An ExchangeSink that keeps everything."""

    exchanges: list[Exchange] = field(default_factory=list)

    def __call__(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)

    @property
    def outcomes(self) -> list[str]:
        return [exchange.outcome for exchange in self.exchanges]


@dataclass
class Pauses:
    """Takes the place of sleeping before a retry."""

    seconds: list[float] = field(default_factory=list)

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def no_jitter(low: float, high: float) -> float:
    return low


def failing(*errors: Exception) -> Callable[[], str]:
    left = list(errors)

    def call() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return call


def unavailable(code: Code = Code.LLM_SERVER_ERROR, retry_after: float | None = None) -> ProviderUnavailable:
    return ProviderUnavailable("no answer", code=code, retry_after=retry_after)
