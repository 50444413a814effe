"""How often one may ask: so many requests a minute for a token or a person, fewer for an address.

Counted in this process by default, so that the limit is that of each web process; with REDIS_URL in Redis, for all of
them together. While Redis does not answer, each process counts for itself again.
"""

from __future__ import annotations

import ipaddress
import logging
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from threading import Lock
from time import time

from django.conf import settings
from django.http import HttpRequest
from ninja.errors import Throttled
from redis import Redis, RedisError

from campaigns.models import ApiToken

logger = logging.getLogger("notarius.api")

WINDOW_S = 60
# Beyond so many callers in one minute, new ones share one count: a flood of addresses fills no memory.
MOST_CALLERS = 50_000
REDIS_PATIENCE_S = 0.1


@dataclass(frozen=True, slots=True)
class Allowance:
    """What somebody may still ask in this minute. `reset_s` is when the next one begins."""

    limit: int
    remaining: int
    reset_s: int
    exceeded: bool

    def headers(self) -> dict[str, str]:
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset_s),
            "RateLimit-Policy": f"{self.limit};w={WINDOW_S}",
        }


class Counts:
    """How often each caller has asked in the present minute."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._window = 0
        self._counts: dict[str, int] = {}

    def add(self, caller: str, window: int) -> int:
        with self._lock:
            if window != self._window:
                self._window, self._counts = window, {}
            if caller not in self._counts and len(self._counts) >= MOST_CALLERS:
                caller = ""
            count = self._counts[caller] = self._counts.get(caller, 0) + 1
        return count


own = Counts()


@lru_cache(maxsize=1)
def shared(url: str) -> Redis:
    return Redis.from_url(url, socket_timeout=REDIS_PATIENCE_S, socket_connect_timeout=REDIS_PATIENCE_S)


def charge(caller: str, limit: int) -> Allowance:
    """Count one request of the caller and return what is left."""
    now = time()
    window = int(now // WINDOW_S)
    count = _count(caller, window)
    reset_s = max(1, ceil((window + 1) * WINDOW_S - now))
    return Allowance(limit, max(0, limit - count), reset_s, count > limit)


def name_of(token: ApiToken) -> str:
    """Return the caller that a token is: each has its own count."""
    return f"t{token.pk}"


def charge_known(request: HttpRequest, caller: str) -> None:
    """Count a request of a token or a signed-in person; Throttled beyond the limit."""
    _charge(request, caller, settings.API_RATE)


def charge_address(request: HttpRequest) -> None:
    """Count a request of nobody in particular, or of somebody with a token that is not valid."""
    _charge(request, f"a{address_of(request)}", settings.API_RATE_ANONYMOUS)


def allowance_of(request: HttpRequest) -> Allowance | None:
    found: object = getattr(request, "allowance", None)
    return found if isinstance(found, Allowance) else None


def address_of(request: HttpRequest) -> str:
    """Return the address that asks, as `household` does."""
    return household(request.headers.get("X-Forwarded-For", ""), request.META.get("REMOTE_ADDR", ""))


def household(forwarded: str, peer: str) -> str:
    """Return the address that our outermost proxy saw, the peer's without one. An IPv6 network of /64 is one."""
    proxies = settings.API_PROXIES
    seen = [part.strip() for part in forwarded.split(",")]
    text = seen[-proxies] if 0 < proxies <= len(seen) else peer
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False).network_address)
    return str(address)


def _charge(request: HttpRequest, caller: str, limit: int) -> None:
    allowance = charge(caller, limit)
    request.allowance = allowance  # type: ignore[attr-defined]  # the gate writes it into the answer's headers
    if allowance.exceeded:
        raise Throttled(wait=allowance.reset_s)


def _count(caller: str, window: int) -> int:
    url = settings.API_REDIS_URL
    if not url:
        return own.add(caller, window)
    key = f"notarius:rate:{window}:{caller}"
    try:
        pipeline = shared(url).pipeline(transaction=False)
        pipeline.incr(key)
        pipeline.expire(key, 2 * WINDOW_S)
        return int(pipeline.execute()[0])
    except RedisError:
        logger.warning("Redis does not answer: this process counts requests for itself")
        return own.add(caller, window)
