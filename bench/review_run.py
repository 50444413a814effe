"""A person's review in headless Chromium: `python -m bench.review_run`; a line of JSON each.

First the sample campaign's session 1: every record of people, items and places is looked at, every merge accepted,
every piece of evidence of every turn read, each version approved. Then the pages of long invented sessions.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import statistics
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from bench.transcripts import generated

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from campaigns.models import ArtifactVersion, Campaign

WALKED = ("dnd/npcs", "dnd/items", "dnd/locations", "dnd/combat-turns")
SIZES = (3_308, 10_000)
RECORDS = 60
TIMES = 7
PASSWORD = "lantern-and-oar"  # noqa: S105 - of an archive that is gone a minute later
PAINT = """() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
  const went = performance.getEntriesByType("navigation")[0];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  done([went.responseStart, paint ? paint.startTime : went.domContentLoadedEventEnd, went.domContentLoadedEventEnd]);
})))"""
JUMP = """(unit) => new Promise((done) => {
  const from = performance.now(), pane = document.getElementById("transcript");
  document.getElementById("goto-unit").value = unit;
  document.getElementById("goto").requestSubmit();
  (function look() {
    const box = document.getElementById(`unit-${unit}`)?.getBoundingClientRect(), view = pane.getBoundingClientRect();
    if (box && box.height > 0 && box.top >= view.top - 1 && box.top < view.bottom) done(performance.now() - from);
    else requestAnimationFrame(look);
  })();
})"""


class Hands:
    """Keys and clicks of somebody at the page, counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.keys, self.clicks = page, 0, 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.keys += 1

    def click(self, selector: str) -> None:
        self.page.locator(selector).click()
        self.clicks += 1


def main() -> None:
    os.environ |= {"DJANGO_SETTINGS_MODULE": "notarius_site.settings", "DJANGO_ALLOW_ASYNC_UNSAFE": "1"}
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    from playwright.sync_api import sync_playwright

    found = _sample()
    long = {size: _long(size) for size in SIZES}
    base = _serve()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"{base}/login/?next=/review/")
        page.get_by_label("User name").fill("greta")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{base}/review/")
        _walk_all(page, base, found)
        for size, versions in long.items():
            for version in versions:
                _weigh(page, base, size, version)
        browser.close()


def _walk_all(page: Page, base: str, found: dict[str, ArtifactVersion]) -> None:
    total: dict[str, float] = {"records": 0, "merges": 0, "keys": 0, "clicks": 0, "seconds": 0}
    for lane in WALKED:
        figures = _walk(page, base, found[lane])
        _say(f"sample session 1, {lane}", **figures)
        total = {name: value + figures[name] for name, value in total.items()}
    _say("sample session 1, all of it", **total)


def _walk(page: Page, base: str, version: ArtifactVersion) -> dict[str, float]:
    from playwright.sync_api import expect

    hands, start, merges = Hands(page), time.perf_counter(), 0
    page.goto(f"{base}/review/versions/{version.pk}/")
    number = version.number
    turns = version.artifact.lane == "dnd/combat-turns"
    for at in range(version.record_count):
        expect(page.locator("#acts")).to_have_attribute("data-record", str(at))
        if page.locator('#acts [data-key="a"]').count():
            hands.press("a")
            merges, number = merges + 1, number + 1
            expect(page.locator(".review-head h1")).to_contain_text(f"version {number}")
        spans = page.locator(".pick[aria-current]").get_attribute("data-spans") or ""
        for _ in spans.split()[1:] if turns else ():
            hands.press("n")
        if at + 1 < version.record_count:
            hands.press("j")
    hands.click("button[value=approve]")
    expect(page.locator(".verdict")).to_contain_text("Decided by")
    seconds = time.perf_counter() - start
    figures = {"records": version.record_count, "merges": merges, "keys": hands.keys, "clicks": hands.clicks}
    return {**figures, "seconds": seconds}


def _weigh(page: Page, base: str, size: int, version: ArtifactVersion) -> None:
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    path = f"/review/versions/{version.pk}/"
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get())
    client.get(path)
    with CaptureQueriesContext(connection) as seen:
        html = client.get(path).content
    timings: list[list[float]] = []
    for _ in range(TIMES):
        page.goto(base + path)
        timings.append(page.evaluate(PAINT))
    units = list(version.transcript.units.order_by("position").values_list("unit_id", flat=True))
    far = [units[int(share * (size - 1))] for share in (1, 0.5, 0.25, 0.9, 0.1, 0.7, 0.35)]
    jumps = [page.evaluate(JUMP, unit) for unit in far]
    first, paint, ready = (statistics.median(column) for column in zip(*timings, strict=True))
    _say(
        f"{version.artifact.lane}, {version.record_count} records, {size:,} units",
        page_bytes=len(html),
        gzip_bytes=len(gzip.compress(html)),
        queries=len(seen),
        first_byte_ms=first,
        first_paint_ms=paint,
        ready_ms=ready,
        jump_ms=statistics.median(jumps),
        worst_jump_ms=max(jumps),
    )


def _sample() -> dict[str, ArtifactVersion]:
    """Return what the offline rules make of the sample's first session."""
    from campaigns import sample
    from campaigns.actions import plans, runs
    from campaigns.management import following
    from campaigns.models import ArtifactVersion

    campaign = sample.load_sample()
    _gm(campaign)
    session = sample.sessions_never_run()[0]
    run = runs.start(session=session, pipeline=plans.default_pipeline(), lanes=None, by=None)
    following.work_inline(run, label="Sample", stream=io.StringIO())
    found = ArtifactVersion.objects.filter(artifact__session=session).select_related("artifact", "transcript")
    return {version.artifact.lane: version for version in found}


def _gm(campaign: Campaign) -> None:
    from django.contrib.auth.models import User

    from campaigns.models import Membership

    user = User.objects.filter(username="greta").first() or User.objects.create_user("greta", password=PASSWORD)
    Membership.objects.create(campaign=campaign, user=user, role=Membership.Role.GM)


def _long(size: int) -> list[ArtifactVersion]:
    """Return a version of people and one of turns over a session of this many units."""
    from campaigns.models import Campaign, GameSession, Transcript, Unit
    from extraction.identity import comparison_key, npc_id

    campaign = Campaign.objects.create(slug=f"bench-{size}", name=f"Bench {size}")
    _gm(campaign)
    session = GameSession.objects.create(campaign=campaign, number=1)
    said = generated(size)
    transcript = Transcript.objects.create(
        session=session, revision=1, source_id=f"bench-{size}.s1.t1", digest=f"{size:064}", unit_count=size
    )
    Unit.objects.bulk_create(
        Unit(transcript=transcript, position=at, unit_id=unit.unit_id, speaker=unit.speaker, text=unit.text)
        for at, unit in enumerate(said)
    )
    step = size // (RECORDS + 1)

    def refs(at: int) -> list[dict[str, Any]]:
        places = [at * step + more for more in (0, 9, 20)]
        return [
            {
                "source_id": transcript.source_id,
                "start_unit_id": said[place].unit_id,
                "end_unit_id": said[place + 1].unit_id,
            }
            for place in places
        ]

    people = [
        {"id": npc_id(comparison_key(f"Person {at}")), "name": f"Person {at}", "source_refs": refs(at)}
        for at in range(RECORDS)
    ]
    action = {"category": "attack", "declaration": "swings the hook", "targets": ["the mate"], "resolution": "hits"}
    turns = [
        {
            "actor": f"Person {at % 5}",
            "turn_kind": "reaction" if at % 4 == 3 else "turn",
            "round": 1 + at // 6,
            "actions": [action] * (1 + at % 3),
            "summary": "Keeps the rail.",
            "source_refs": refs(at),
        }
        for at in range(RECORDS)
    ]
    return [_version(transcript, "npcs", "npcs", people), _version(transcript, "combat-turns", "turns", turns)]


def _version(transcript: Any, family: str, key: str, records: list[dict[str, Any]]) -> ArtifactVersion:
    from campaigns.models import Artifact, ArtifactVersion
    from extraction.canonical import canonical_json, digest

    source = {"source_id": transcript.source_id, "digest": transcript.digest, "unit_count": transcript.unit_count}
    payload: Any = {"schema": f"notarius.dnd.{family}.v1", "source": source, key: records}
    return ArtifactVersion.objects.create(
        artifact=Artifact.objects.create(session=transcript.session, lane=f"dnd/{family}"),
        number=1,
        transcript=transcript,
        payload=canonical_json(payload).decode(),
        digest=digest(payload),
        record_count=len(records),
    )


def _serve() -> str:
    """Serve the site from threads of this process, as the development server does; return its address."""
    from django.contrib.staticfiles.handlers import StaticFilesHandler
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application

    class Quiet(WSGIRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: the figures are the output."""

    server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet)
    server.set_app(StaticFilesHandler(get_wsgi_application()))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def _say(what: str, **figures: float) -> None:
    sys.stdout.write(json.dumps({"what": what, **figures}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
