"""The way of a newcomer and of a careful admin, in a real browser under the real policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import BrowserContext, expect

from campaigns.models import Campaign, Membership
from tests import factories
from tests.browser.conftest import Window

if TYPE_CHECKING:
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "lantern-and-oar"


@pytest.fixture
def campaign() -> Campaign:
    """A campaign of the GM greta, who can sign in."""
    campaign = factories.make_campaign("salt-ferry")
    greta = factories.make_user("greta")
    greta.set_password(PASSWORD)
    greta.save()
    factories.make_membership(campaign, greta, Membership.Role.GM)
    return campaign


def violations(window: Window) -> list[str]:
    found = Axe().run(window.page).response["violations"]
    return [violation["id"] for violation in found]


@pytest.mark.parametrize(
    "context",
    [pytest.param({"color_scheme": "dark", "viewport": {"width": 360, "height": 740}}, id="phone")],
    indirect=True,
)
def test_gm_invites_and_a_newcomer_joins(window: Window, context: BrowserContext, campaign: Campaign) -> None:
    path = f"/campaigns/{campaign.slug}/members/"
    window.login("greta", PASSWORD, path)
    page = window.page
    faults = violations(window)
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("The invitation's link").input_value()
    window.logout()
    page.goto(link)
    faults += violations(window)
    page.get_by_label("User name").fill("wilm")
    page.get_by_label("Password", exact=True).fill("tide-and-candle")
    page.get_by_label("Password confirmation").fill("tide-and-candle")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{window.base}/campaigns/{campaign.slug}/")

    expect(page.get_by_role("status")).to_contain_text("you belong to")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert (window.faults, faults) == ([], [])


@pytest.mark.parametrize("context", [{"viewport": {"width": 390, "height": 800}}], indirect=True)
def test_a_phone_shows_the_whole_menu_of_a_campaign(
    window: Window, context: BrowserContext, campaign: Campaign
) -> None:
    window.enter("greta", f"/campaigns/{campaign.slug}/members/")
    menu = window.page.get_by_role("navigation", name="Campaign")

    expect(menu.get_by_role("link", name="Webhooks")).to_be_in_viewport()
    assert menu.evaluate("menu => menu.scrollWidth <= menu.clientWidth")
    assert window.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_two_factor_is_turned_on_and_asked_for(window: Window, live_server: LiveServer, campaign: Campaign) -> None:
    window.login("greta", PASSWORD, "/account/two-factor/")
    page = window.page
    page.get_by_role("link", name="Turn it on").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    secret = page.get_by_label("Key", exact=True).inner_text()
    expect(page.get_by_alt_text("The key as a QR code")).not_to_have_js_property("naturalWidth", 0)
    faults = violations(window)
    page.get_by_label("Authenticator code").fill(code_of(secret))
    page.get_by_role("button", name="Turn it on").click()
    page.locator(".codes code").first.wait_for()
    page.wait_for_load_state()
    codes = page.locator(".codes code").all_inner_texts()
    faults += violations(window)
    window.logout()
    window.open("/account/")
    page.get_by_label("User name").fill("greta")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(window.base + "/account/")

    expect(page.get_by_text("On: signing in asks for a code")).to_be_visible()
    assert (window.faults, faults) == ([], [])


@pytest.mark.parametrize(
    "context",
    [pytest.param({"color_scheme": "dark", "viewport": {"width": 360, "height": 740}}, id="phone")],
    indirect=True,
)
def test_phone_shows_the_whole_key_and_opens_its_app(
    window: Window, context: BrowserContext, campaign: Campaign
) -> None:
    window.login("greta", PASSWORD, "/account/two-factor/")
    page = window.page
    page.get_by_role("link", name="Turn it on").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    key = page.get_by_label("Key", exact=True)
    link = page.get_by_role("link", name="Open in an authenticator app")

    expect(key).to_be_visible()
    assert key.evaluate("key => key.scrollWidth <= key.clientWidth")
    assert f"secret={key.inner_text()}&" in str(link.get_attribute("href"))
    assert str(link.get_attribute("href")).startswith("otpauth://totp/")
    assert (window.faults, violations(window)) == ([], [])


def code_of(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time())))))
