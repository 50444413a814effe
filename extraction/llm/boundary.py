"""The seam to a language model: one request, one completion, one method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from extraction.canonical import JsonValue


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


def never_stopped() -> bool:
    return False


@dataclass(slots=True)
class Tally:
    """How many round trips of one request got no answer. For one thread at a time: its tries follow each other."""

    unanswered: int = 0


@dataclass(frozen=True, slots=True)
class StructuredRequest:
    """A prepared request.

    `materials` are the same facts the messages render, as plain JSON values by material name: the embedded rules
    provider answers from them. They never leave the process. `schema` is the JSON Schema of the reply, already
    narrowed by the profile's options (unit id enum, bounded arrays). Once `stopped` answers True nobody waits for the
    reply: a client starts no further round trip for it. `tally` stays with the request: when it is asked again since an
    answer was unusable, the round trips without one count on, so that the two budgets add up and do not multiply.
    """

    prompt_id: str
    messages: tuple[Message, ...]
    schema_name: str
    schema: Mapping[str, JsonValue]
    materials: Mapping[str, JsonValue]
    stopped: Callable[[], bool] = field(default=never_stopped, compare=False, repr=False)
    tally: Tally = field(default_factory=Tally, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; None where it did not say."""

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP round trip (or its local equal), byte-faithful. `reply` is empty where none came.

    `outcome` is "ok" or the code of the error it ended in.
    """

    prompt_id: str
    request: bytes
    reply: bytes
    outcome: str
    usage: Usage = field(default_factory=Usage)
    latency_ms: int = 0
    model: str = ""
    provider: str = ""
    provider_request_id: str = ""


@dataclass(frozen=True, slots=True)
class StructuredCompletion:
    """A reply that satisfies the request's schema. `text` is the raw reply text, `data` its decoded JSON."""

    data: JsonValue
    text: str
    usage: Usage
    model: str


class ExchangeSink(Protocol):
    def __call__(self, exchange: Exchange) -> None:
        """Keep the exchange. Called once a round trip, also for those that failed; may be called from any thread."""


class StructuredClient(Protocol):
    """`identity` is what of the provider changes its answers (kind, model, sampling, output mode): for fingerprints."""

    @property
    def identity(self) -> Mapping[str, JsonValue]: ...

    def complete(self, request: StructuredRequest, record: ExchangeSink) -> StructuredCompletion:
        """Return decoded JSON that satisfies `request.schema`.

        Raises InvalidCompletion if the reply does not, ProviderUnavailable if there was none after the client's
        own backoff, RequestRefused if no retry would help. Safe to call from several threads.
        """
