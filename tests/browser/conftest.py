"""A headless Chromium that reports what a person would see in its console, and every request that leaves the site."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Route, expect, sync_playwright

if TYPE_CHECKING:
    from pytest_django.live_server_helper import LiveServer

# How long a busy machine may take for anything that is waited for; a page that is right never needs it.
PATIENCE_MS = 60_000
LOADED = "(end) => performance.getEntriesByType('resource').some((each) => each.name.endsWith(end))"
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)


@dataclass
class Window:
    """A page, with what must stay empty: console errors (a violated policy is one), exceptions, requests outside."""

    page: Page
    base: str
    faults: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.faults.append(f"exception: {error}"))
        self.page.on("request", self._request)

    def open(self, path: str) -> None:
        self.page.goto(self.base + path)

    def enter(self, username: str, to: str) -> None:
        """Open the page as somebody who has signed in before."""
        client = Client()
        client.force_login(User.objects.get(username=username))
        held = client.cookies[settings.SESSION_COOKIE_NAME].value
        self.page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": held, "url": self.base}])
        self.open(to)

    def login(self, username: str, password: str, to: str) -> None:
        """Sign in through the login form, which then leads on to the page."""
        self.open(to)
        self.page.get_by_label("User name").fill(username)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(self.base + to)

    def logout(self) -> None:
        self.page.get_by_role("button", name="Sign out").click()
        self.page.wait_for_url(self.base + "/")

    def hold(self, addresses: str) -> list[Route]:
        """Return the list that fills with what the page asks of such addresses; each waits there to be continued."""
        held: list[Route] = []

        def keep(route: Route) -> None:
            held.append(route)

        self.page.route(addresses, keep)
        return held

    def until_held(self, held: list[Route], count: int = 1) -> None:
        """Wait until so many requests are held: the page tells of a request before it is."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while len(held) < count:
            assert time.monotonic() < end, f"{len(held)} of {count} requests came"
            self.page.wait_for_timeout(10)

    def until_loaded(self, end: str) -> None:
        """Wait until an answer from the address that ends so has come, and the page has done with it what it does."""
        self.page.wait_for_function(LOADED, arg=end)
        # With a limit: where nothing is left to be drawn, it may never be called otherwise.
        self.page.evaluate("() => new Promise((done) => requestIdleCallback(() => done(), { timeout: 1000 }))")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.base, "data:")):
            self.faults.append(f"request: {request.url}")


@pytest.fixture(scope="session")
def chromium(django_db_setup: None) -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium on this machine")
    # Playwright's loop runs in this thread, and Django would refuse the test's own queries in it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        yield browser
        browser.close()
        # In that loop the thread has connections of its own: left open, they keep the databases from being dropped.
        connections.close_all()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def context(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    options = getattr(request, "param", {})
    context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@pytest.fixture
def window(context: BrowserContext, live_server: LiveServer) -> Window:
    window = Window(context.new_page(), live_server.url)
    window.watch()
    return window
