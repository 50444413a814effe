"""What cites a unit follows the version: an act changes the numbers of the records that the list names."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from campaigns.models import ArtifactVersion
from extraction.source.documents import SourceUnit
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import FIRST, make_gm
from tests.campaigns.reviews.acting import head

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def story(transactional_db: None) -> ArtifactVersion:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    said = [SourceUnit(at, "Bram", f"Line {at} of the evening.") for at in range(1, 201)]
    people = {f"{first} Dell": ((10 * at + 1, 10 * at + 2),) for at, first in enumerate(FIRST)}
    return factories.make_version(factories.make_transcript(factories.make_session(campaign), said), people)


def choose_record(page: Page, at: int) -> None:
    page.locator(".records > li > .pick").nth(at).click()
    expect(page.locator(f'#acts:not([inert])[data-record="{at}"]')).to_be_visible()


def choose_unit_of(page: Page, at: int) -> str:
    """Choose the first unit that the record cites, and return its id."""
    choose_record(page, at)
    unit = (page.locator(".unit.now").first.get_attribute("id") or "").removeprefix("unit-")
    page.locator(f"#unit-{unit} .id").click()
    return unit


def remove_record(page: Page, at: int) -> None:
    choose_record(page, at)
    page.keyboard.press("x")
    page.locator("form.act .btn-main").click()
    page.locator(".impact").wait_for()
    page.locator("form.act .btn-main").click()
    expect(page.locator(".review-head h1")).to_contain_text("version 2")


def test_records_that_cite_the_unit_stay_the_right_ones_after_an_act(window: Window, story: ArtifactVersion) -> None:
    window.enter("greta", f"/review/versions/{story.pk}/")
    page = window.page
    choose_unit_of(page, 5)
    page.locator("#citing .cites").first.wait_for()
    removed = page.locator(".records > li > .pick b").nth(1).inner_text()
    citing = [name for name in page.locator("#citing .cites b").all_inner_texts() if name != removed]
    remove_record(page, 1)

    assert citing
    expect(page.locator("#citing .cites b")).to_have_text(citing)
    expect(page.locator(".record.lit > .pick b")).to_have_text(citing)
    page.locator("#citing .cites").last.click()
    expect(page.locator(".pick[aria-current] b")).to_have_text(citing[-1])
    assert window.faults == []


def test_answer_about_the_version_before_is_not_shown(window: Window, story: ArtifactVersion) -> None:
    window.enter("greta", f"/review/versions/{story.pk}/")
    page = window.page
    held = window.hold("**/citing?unit=*")
    with page.expect_request("**/citing?unit=*"):
        unit = choose_unit_of(page, 5)
    with page.expect_request(lambda request: "/citing?" in request.url):
        remove_record(page, 1)
    window.until_held(held, 2)
    before, after = held
    before.continue_()
    window.until_loaded(f"/versions/{story.pk}/citing?unit={unit}")

    expect(page.locator("#citing-panel")).to_be_hidden()
    after.continue_()
    expect(page.locator("#citing .cites").first).to_have_attribute("href", re.compile(f"/versions/{head(story).pk}/"))
    assert window.faults == []
