"""`pages`: the website's session page and the API's transcript at 3,308 and 10,000 units, as their readers get them."""

from __future__ import annotations

import gzip
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bench.processes import Stopwatch, measured, print_result
from bench.report import Row
from bench.scale_seed import FIRST, fill

if TYPE_CHECKING:
    from django.test import Client

    from campaigns.models import Campaign

SIZES = (3_308, 10_000)
TIMES = 9
ASKED_FOR = (
    ("session page, first part", "/campaigns/{slug}/sessions/{number}/"),
    ("session page, at a unit in the middle", "/campaigns/{slug}/sessions/{number}/?unit={middle}"),
    ("API, whole transcript", "/api/v1/campaigns/{slug}/sessions/{number}/transcript"),
    ("API, 100 units of it", "/api/v1/campaigns/{slug}/sessions/{number}/transcript?start_unit=1&end_unit=100"),
)


def rows() -> Iterator[Row]:
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            environ = {"NOTARIUS_DATA_DIR": folder, "DATABASE_URL": "", "NOTARIUS_DEBUG": "1"}
            found = measured("bench.pages", str(size), environ=environ)
        for what, figures in found.items():
            yield Row("pages", f"{size:,} units: {what}", "python -m bench pages", figures)


def begin() -> tuple[Campaign, Client]:
    """Make the tables and a campaign; return it with the client of a member who is signed in."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "notarius_site.settings")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)

    from django.contrib.auth.models import User
    from django.test import Client

    from campaigns.models import Campaign, Membership

    campaign = Campaign.objects.create(slug=FIRST, name="Bench")
    user = User.objects.create_user("reader")
    Membership.objects.create(campaign=campaign, user=user)
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    return campaign, client


def run(size: int) -> dict[str, Any]:
    """Return the figures of each address: answers are made in this process, with no server between."""
    campaign, client = begin()

    from campaigns.models import GameSession

    fill(GameSession.objects.create(campaign=campaign, number=1), size)
    where = {"slug": FIRST, "number": 1, "middle": size // 2}
    return {what: _figures(client, path.format(**where)) for what, path in ASKED_FOR}


def _figures(client: Any, path: str) -> dict[str, int | float]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    body = client.get(path).content
    with CaptureQueriesContext(connection) as seen:
        answer = client.get(path)
    queries = len(seen)
    if answer.status_code != 200:
        raise ValueError(f"{path} answered {answer.status_code}")
    spent = []
    for _ in range(TIMES):
        watch = Stopwatch()
        client.get(path)
        spent.append(watch.figures())
    return {
        "bytes": len(body),
        "gzip_bytes": len(gzip.compress(body)),
        "queries": queries,
        "cpu_ms": 1000 * statistics.median(each["cpu_s"] for each in spent),
        "wall_ms": 1000 * statistics.median(each["seconds"] for each in spent),
    }


if __name__ == "__main__":
    print_result(run(int(sys.argv[1])))
