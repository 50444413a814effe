"""What the runner needs from outside. `campaigns.adapters` implements these on Django; tests use the ones below."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from extraction.llm.boundary import Exchange, ExchangeSink


class CheckpointStore(Protocol):
    """Results by key. Keys are digests; values are bytes that only the codec reads. Called from one thread."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, value: bytes) -> None:
        """Keep the value in place of any older one of this key; once this returns it survives a crash.

        A key is written again where an accepted fallback was not reused because the budget grew.
        """


class Progress(Protocol):
    def __call__(self, done: int, total: int) -> None:
        """Take the number of finished and of all chunk calls of the lane; called from one thread."""


class CallSeats(Protocol):
    """The share of a profile's limit on calls in flight that this lane may use, over all processes."""

    def resize(self, *, in_flight: int, wanted: int) -> int:
        """Return how many calls may be in flight now (0: wait). Also keeps the seats already held alive.

        `in_flight` calls are running and cannot be given back; `wanted` could be used at most. A return below
        `in_flight` asks the runner to let calls end without starting new ones.
        """

    def release(self) -> None:
        """Give everything back. Safe to call twice."""


class Pulse(Protocol):
    def __call__(self) -> None:
        """Say that the lane is alive. Raises RunCancelled or LeaseLost when it must stop."""


class Hold(Protocol):
    def __call__(self) -> bool:
        """Return whether no further call may start: the run is paused, or its cap is reached. Asked before each.

        Raises RunCancelled or LeaseLost when the lane must stop.
        """


class MemoryCheckpoints:
    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.values.get(key)

    def put(self, key: str, value: bytes) -> None:
        self.values[key] = value


class FixedSeats:
    """A limit of this process alone."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def resize(self, *, in_flight: int, wanted: int) -> int:
        return min(self.limit, wanted)

    def release(self) -> None:
        pass


def no_progress(done: int, total: int) -> None:
    pass


def no_pulse() -> None:
    pass


def never_held() -> bool:
    return False


def drop_exchange(exchange: Exchange) -> None:
    pass


@dataclass(frozen=True, slots=True)
class LanePorts:
    checkpoints: CheckpointStore = field(default_factory=MemoryCheckpoints)
    seats: CallSeats = field(default_factory=lambda: FixedSeats(4))
    progress: Progress = no_progress
    pulse: Pulse = no_pulse
    hold: Hold = never_held
    record: ExchangeSink = drop_exchange
