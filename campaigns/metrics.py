"""What a monitoring program reads: HTTP answers of this process, and the archive's runs, lanes, calls and queue.

HTTP is counted in memory, or over all web processes of a host where PROMETHEUS_MULTIPROC_DIR names a folder. The rest
is read from the database when somebody asks: the rows are the truth, and workers on other hosts are counted too. All
of that are gauges: who deletes a campaign deletes its calls and tokens, which a counter must never show.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponseBase
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from campaigns.now import Now, read_now

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SHARED = "PROMETHEUS_MULTIPROC_DIR"

own = CollectorRegistry(auto_describe=True)
ANSWERS = Counter("notarius_http_answers", "HTTP answers.", ("method", "view", "status"), registry=own)
SECONDS = Histogram("notarius_http_seconds", "Seconds until an answer.", ("view",), registry=own)


@contextmanager
def measured(request: HttpRequest) -> Iterator[Callable[[HttpResponseBase], None]]:
    """Measure a request; what is given takes the answer. Views are counted by name, so that labels stay few."""
    began = time.perf_counter()

    def measure(response: HttpResponseBase) -> None:
        match = request.resolver_match
        view = match.view_name if match and match.view_name else "none"
        method = request.method if request.method in METHODS else "other"
        ANSWERS.labels(method, view, response.status_code).inc()
        SECONDS.labels(view).observe(time.perf_counter() - began)

    yield measure


def exposition() -> bytes:
    """Return everything in Prometheus' text format."""
    archive = CollectorRegistry()
    archive.register(ArchiveCollector())
    return generate_latest(_http()) + generate_latest(archive)


@dataclass(slots=True)
class Answers:
    """HTTP answers of a view, how many of them were a 4xx or a 5xx, and their seconds together."""

    all: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0

    @property
    def mean_ms(self) -> float:
        return 1000 * self.seconds / self.all if self.all else 0.0


def http_answers() -> list[tuple[str, Answers]]:
    """Return what the exposition says of HTTP, summed by view, the view with the most answers first."""
    views: defaultdict[str, Answers] = defaultdict(Answers)
    for sample in (sample for family in _http().collect() for sample in family.samples):
        if sample.name == "notarius_http_answers_total":
            view, count = views[sample.labels["view"]], int(sample.value)
            view.all += count
            view.refused += count if sample.labels["status"].startswith("4") else 0
            view.failed += count if sample.labels["status"].startswith("5") else 0
        elif sample.name == "notarius_http_seconds_sum":
            views[sample.labels["view"]].seconds += sample.value
    return sorted(views.items(), key=lambda item: (-item[1].all, item[0]))


def is_shared() -> bool:
    """Return whether HTTP is counted over all web processes of this host, and not in this one alone."""
    return bool(os.environ.get(SHARED))


def _http() -> CollectorRegistry:
    if not is_shared():
        return own
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library leaves it untyped
    return registry


class ArchiveCollector(Collector):
    """The rows' numbers at this moment."""

    def collect(self) -> Iterator[Metric]:
        now = read_now()
        yield _by_state("notarius_runs", "Runs by state.", now.runs)
        yield _by_state("notarius_lanes", "Lanes by state.", now.lanes)
        yield from _usage(now)
        yield GaugeMetricFamily(
            "notarius_queue_age_seconds", "How long the longest waiting lane has waited for a worker.", now.queue_age
        )
        if now.queue_tasks is not None:
            yield GaugeMetricFamily("notarius_queue_tasks", "Tasks that no worker has taken.", now.queue_tasks)
        yield GaugeMetricFamily("notarius_supervisors", "Worker supervisors seen just now.", now.supervisors)


def _by_state(name: str, what: str, counts: Mapping[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, what, labels=["state"])
    for state, count in counts.items():
        family.add_metric([state], count)
    return family


def _usage(now: Now) -> Iterator[Metric]:
    calls = GaugeMetricFamily("notarius_calls", "Model calls of all runs that are kept, by lane.", labels=["lane"])
    tokens = GaugeMetricFamily(
        "notarius_tokens", "Tokens of all runs that are kept, by lane and kind.", labels=["lane", "kind"]
    )
    for total in now.usage:
        calls.add_metric([total.lane], total.calls)
        for kind, count in total.tokens.items():
            tokens.add_metric([total.lane, kind], count)
    yield calls
    yield tokens
