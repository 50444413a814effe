"""A unit that the transcript does not have, typed into a field of evidence: said there, before anything is saved."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from campaigns.models import ArtifactVersion
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_fight, make_gm
from tests.campaigns.reviews.acting import head, ranges, records

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NO_UNIT = "There is no unit 9999 in this transcript."


@pytest.fixture
def fight(transactional_db: None) -> ArtifactVersion:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    return make_fight(campaign)


def test_unknown_unit_is_said_in_its_field_before_it_is_saved(window: Window, fight: ArtifactVersion) -> None:
    window.enter("greta", f"/review/versions/{fight.pk}/")
    page = window.page
    page.keyboard.press("v")
    field = page.locator("#act-ranges")
    field.fill("102, 9999, 120-9999, often")
    page.keyboard.press("Tab")
    said = page.locator("#unknown-ranges")
    expect(said).to_have_text(f"{NO_UNIT} “often” is neither a unit number nor a range.")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("102, 9999, 120-9999, often")
    assert window.faults == []

    page.locator("form.act .btn-main").click()
    expect(page.locator("#acts [role=alert]")).to_contain_text("nothing was changed")
    expect(said).to_contain_text(NO_UNIT)
    expect(page.locator("#problem-ranges p")).to_have_count(1)
    expect(page.locator("#problem-ranges p:visible")).to_have_count(0)
    field.fill("102, 104-103")
    page.keyboard.press("Tab")
    expect(said).to_contain_text("104-103 is the other way round")
    field.fill("102")
    page.keyboard.press("Tab")
    expect(said).to_be_empty()
    page.locator("form.act .btn-main").click()
    expect(page.locator(".review-head h1")).to_contain_text("version 2")

    assert ranges(records(head(fight))[0]) == [(102, 102)]
    # Chromium itself writes a console line for the 422.
    assert [fault for fault in window.faults if "422" not in fault] == []


def test_unknown_unit_is_said_of_a_field_that_was_left_for_the_next_one(window: Window, fight: ArtifactVersion) -> None:
    window.enter("greta", f"/review/versions/{fight.pk}/")
    page = window.page
    page.keyboard.press("s")
    page.locator("#act-kept").fill("9999")
    page.locator("#act-ranges").click()

    expect(page.locator("#unknown-kept")).to_have_text(NO_UNIT)
    expect(page.locator("#unknown-ranges")).to_be_empty()
    assert window.faults == []


def test_unit_to_go_to_that_is_not_there_is_no_fault_of_the_page(window: Window, fight: ArtifactVersion) -> None:
    window.enter("greta", f"/review/versions/{fight.pk}/")
    window.page.get_by_label("Go to unit").fill("9999")
    window.page.keyboard.press("Enter")

    expect(window.page.locator("#goto-problem")).to_contain_text("no such unit")
    assert window.faults == []
