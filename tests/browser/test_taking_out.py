"""Searching by keyboard on a phone, and an export that becomes ready while one looks; both without grave faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from playwright.sync_api import expect

from campaigns.actions import exports
from campaigns.models import Campaign, Export
from campaigns.search.index import index
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm
from tests.browser.test_reading_axe import axe, faults
from tests.campaigns.exports.telling import tell_an_evening

__all__ = ["axe"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"viewport": {"width": 360, "height": 740}}


@pytest.fixture
def told(transactional_db: None, settings: LazySettings, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path
    campaign = factories.make_campaign("salt-ferry")
    index(tell_an_evening(campaign, make_gm(campaign)))
    return campaign


def wide(window: Window) -> bool:
    return bool(window.page.evaluate("document.documentElement.scrollWidth > innerWidth"))


@pytest.mark.parametrize("context", [PHONE, {"color_scheme": "dark", **PHONE}], indirect=True)
def test_a_line_is_found_and_opened_by_keyboard(window: Window, told: Campaign, axe: str) -> None:
    window.enter("greta", "/campaigns/salt-ferry/exports/")
    window.open("/campaigns/salt-ferry/search/")
    expect(window.page.get_by_role("searchbox")).to_be_focused()
    window.page.keyboard.type("eel-catcher")
    window.page.keyboard.press("Enter")
    expect(window.page.locator(".result mark").first).to_have_text("eel")
    window.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    window.page.evaluate(axe)

    assert faults(window) == []
    assert not wide(window)
    window.page.locator(".result a").first.focus()
    window.page.keyboard.press("Enter")
    window.page.wait_for_url("**/sessions/1/?unit=50#u50")
    assert window.faults == []


@pytest.mark.parametrize("context", [PHONE], indirect=True)
def test_an_export_is_ordered_and_becomes_ready(window: Window, told: Campaign, axe: str) -> None:
    window.enter("greta", "/campaigns/salt-ferry/exports/")
    window.page.get_by_label("Tables").check()
    window.page.get_by_role("button", name="Make the export").click()
    expect(window.page.get_by_text("waits for a worker")).to_be_visible()
    assert exports.work(export_id=Export.objects.get(ordered_by=User.objects.get(username="greta")).pk) == "succeeded"
    with window.page.expect_download() as download:
        window.page.get_by_role("link", name="Download").click()
    window.page.evaluate(axe)

    assert download.value.suggested_filename == "salt-ferry-player-csv.zip"
    assert faults(window) == []
    assert not wide(window)
    assert window.faults == []


def test_list_of_exports_stays_once_somebody_has_signed_out(window: Window, told: Campaign) -> None:
    window.enter("greta", "/campaigns/salt-ferry/exports/")
    window.page.get_by_label("Tables").check()
    window.page.get_by_role("button", name="Make the export").click()
    expect(window.page.get_by_text("waits for a worker")).to_be_visible()
    window.page.context.clear_cookies()
    # The second question shows that the first one's answer has been dealt with.
    for _ in range(2):
        with window.page.expect_response("**/login/**"):
            pass

    expect(window.page.get_by_text("waits for a worker")).to_be_visible()
    expect(window.page.locator("#exports input[type=password]")).to_have_count(0)
    assert window.faults == []
