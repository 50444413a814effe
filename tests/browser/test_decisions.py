"""The table of decisions with rows in it, on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from campaigns.actions import reviews
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm, make_story
from tests.browser.test_reading_axe import axe, faults
from tests.campaigns.reviews.acting import on

__all__ = ["axe"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"viewport": {"width": 390, "height": 800}}


@pytest.mark.parametrize("context", [PHONE, {**PHONE, "color_scheme": "dark"}], indirect=True)
def test_decisions_are_read_and_undone_on_a_phone_without_scrolling_sideways(
    window: Window, transactional_db: None, axe: str
) -> None:
    campaign = factories.make_campaign("salt-ferry")
    gm, version = make_gm(campaign), make_story(campaign, 600)
    why = "because everybody at the table said so, again and again"
    made = reviews.rename(**on(version), record=1, name="Somebody of a Long Name Indeed", reason=why, by=gm).version
    made = reviews.merge(**on(made), records=(5, 6), canonical=5, reason=why, by=gm).version
    window.enter("greta", f"/review/versions/{made.pk}/decisions/")
    window.page.evaluate(axe)

    expect(window.page.get_by_role("button", name="Undo")).to_be_in_viewport()
    assert window.page.locator(".act-table").evaluate("table => table.scrollWidth <= table.clientWidth")
    assert window.page.locator("tbody tr").count() == 2
    assert faults(window) == []
    assert window.faults == []
