"""The API's interactive page: it follows the reader's theme, under the same policy as all pages."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Window

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_api_page_is_dark_with_the_readers_theme_and_loads_nothing_from_elsewhere(window: Window) -> None:
    window.page.emulate_media(color_scheme="dark")
    window.open("/api/v1/docs")
    expect(window.page.get_by_text("List Campaigns")).to_be_visible()

    expect(window.page.locator("#swagger-ui .swagger-ui").first).to_have_css("background-color", "rgb(28, 32, 34)")
    window.page.emulate_media(color_scheme="light")
    expect(window.page.locator("html.dark-mode")).to_have_count(0)
    assert window.faults == []
