"""What a monitoring program reads: HTTP answers of this process, and the archive's runs, lanes, calls and queue.

HTTP is counted in memory, or over all web processes of a host where PROMETHEUS_MULTIPROC_DIR names a folder. The rest
is read from the database when somebody asks: the rows are the truth, and workers on other hosts are counted too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db.models import Count, Min, Sum
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from campaigns import queue
from campaigns.actions import pulses
from campaigns.models import LaneRun, Run, WorkerPulse

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
TOKENS = ("prompt_tokens", "cached_tokens", "completion_tokens")

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
    registry = CollectorRegistry()
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library leaves it untyped
    else:
        registry = own
    return generate_latest(registry) + generate_latest(_archive())


def _archive() -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(ArchiveCollector())
    return registry


class ArchiveCollector(Collector):
    """The rows' numbers at this moment, in a handful of queries."""

    def collect(self) -> Iterator[Metric]:
        yield _by_state("notarius_runs", "Runs by state.", Run)
        yield _by_state("notarius_lanes", "Lanes by state.", LaneRun)
        yield from _usage()
        waiting = LaneRun.objects.filter(state=LaneRun.State.QUEUED).aggregate(since=Min("rung_at"))["since"]
        age = (timezone.now() - waiting).total_seconds() if waiting else 0.0
        yield GaugeMetricFamily("notarius_queue_age_seconds", "How long the longest waiting lane has waited.", age)
        yield GaugeMetricFamily("notarius_queue_tasks", "Tasks that no worker has taken.", queue.undelivered())
        alive = WorkerPulse.objects.filter(
            name__startswith=f"{pulses.SUPERVISOR} ", seen_at__gte=timezone.now() - pulses.ALIVE
        )
        yield GaugeMetricFamily("notarius_supervisors", "Worker supervisors seen just now.", alive.count())


def _by_state(name: str, what: str, model: type[Run] | type[LaneRun]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, what, labels=["state"])
    counted = dict(model.objects.order_by().values_list("state").annotate(Count("pk")))
    for state in model.State.values:
        family.add_metric([state], counted.get(state, 0))
    return family


def _usage() -> Iterator[Metric]:
    calls = CounterMetricFamily("notarius_calls", "Model calls by lane.", labels=["lane"])
    tokens = CounterMetricFamily("notarius_tokens", "Tokens by lane and kind.", labels=["lane", "kind"])
    sums = {f"all_{name}": Sum(name) for name in ("calls", *TOKENS)}
    for lane, called, *counts in LaneRun.objects.order_by().values_list("key").annotate(**sums).order_by("key"):
        calls.add_metric([lane], called)
        for kind, count in zip(TOKENS, counts, strict=True):
            tokens.add_metric([lane, kind.removesuffix("_tokens")], count)
    yield calls
    yield tokens
