"""What an installation's processes use over time: memory, how much it grows, and processor time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from threading import Event

SAMPLE_S = 10.0
ROLES = {b"gunicorn": "web", b"cluster": "worker", b"work": "supervisor"}
FIFTHS = 5
KIB = 1024
SIZES = {"VmRSS", "RssAnon"}
# Of the fields of /proc/PID/stat behind the name in brackets: ticks of the processor for the program and the system.
TICKS = slice(11, 13)


@dataclass(frozen=True, slots=True)
class Sample:
    """Seconds since the start; MiB, all that is resident, and of it what no file stands behind; processor seconds."""

    at: float
    resident: float
    own: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Growth:
    """Of one process: MiB in the second and in the last fifth of the time, and the ratios of these."""

    resident: tuple[float, float]
    own: tuple[float, float]

    @property
    def ratio(self) -> float:
        return self.resident[1] / self.resident[0]

    @property
    def own_ratio(self) -> float:
        return self.own[1] / self.own[0]


@dataclass
class Usage:
    """Looks at every process whose environment names this data directory; nothing where the system has no /proc."""

    folder: str
    seen: dict[tuple[str, int], list[Sample]] = field(default_factory=dict)

    def watch(self, stop: Event) -> None:
        """Look every ten seconds until told to stop."""
        began = time.monotonic()
        while True:
            at = time.monotonic() - began
            for role, process, resident, own, cpu_s in self._processes():
                self.seen.setdefault((role, process), []).append(Sample(at, resident, own, cpu_s))
            if stop.wait(SAMPLE_S):
                return

    def resident(self, role: str) -> float:
        """Return the MiB that the role's processes hold now."""
        return sum(resident for own_role, _, resident, _, _ in self._processes() if own_role == role)

    def of(self, role: str) -> list[list[Sample]]:
        """Return the samples of each process of the role that there ever was."""
        return [samples for (own_role, _), samples in self.seen.items() if own_role == role]

    def cpu_s(self, role: str) -> float:
        """Return the processor seconds of the role's processes between the first and the last look at each."""
        return sum(samples[-1].cpu_s - samples[0].cpu_s for samples in self.of(role))

    def grown(self, role: str, seconds: float) -> list[Growth]:
        """Return how much each process of the role grew that lived from the second fifth of the time to its end."""
        found = []
        for samples in self.of(role):
            early, late = (_within(samples, seconds, fifth) for fifth in (1, FIFTHS - 1))
            if early and late:
                resident, own = (
                    (fmean(getattr(each, name) for each in early), fmean(getattr(each, name) for each in late))
                    for name in ("resident", "own")
                )
                found.append(Growth(resident, own))
        return found

    def _processes(self) -> Iterator[tuple[str, int, float, float, float]]:
        marked = f"NOTARIUS_DATA_DIR={self.folder}".encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if marked not in (process / "environ").read_bytes().split(b"\0"):
                    continue
                words = (process / "cmdline").read_bytes().split(b"\0")
                lines = (process / "status").read_text(encoding="ascii").splitlines()
                ticks = (process / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[TICKS]
            except OSError:
                continue  # it ended while we looked, or is none of ours
            role = next((role for word, role in ROLES.items() if word in words), None)
            named = (line.partition(":") for line in lines)
            sizes = {name: int(value.split()[0]) / KIB for name, _, value in named if name in SIZES}
            if role is not None and sizes.keys() == SIZES:
                cpu_s = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
                yield role, int(process.name), sizes["VmRSS"], sizes["RssAnon"], cpu_s


def _within(samples: Sequence[Sample], seconds: float, fifth: int) -> list[Sample]:
    begin = seconds * fifth / FIFTHS
    return [each for each in samples if begin <= each.at <= begin + seconds / FIFTHS]
