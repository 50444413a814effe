"""Withdraw, in the box of a contradiction: an act like others, which leaves the reviewer where they are."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from campaigns.models import ArtifactVersion, Decision
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm, make_story
from tests.campaigns.review.acting import contradicted

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def torn(transactional_db: None) -> ArtifactVersion:
    """A registry in which a merge was undone: the two decisions contradict each other."""
    campaign = factories.make_campaign("salt-ferry")
    gm = make_gm(campaign)
    return contradicted(make_story(campaign, 1_200), gm, gm, 3, 4)


def test_withdraw_acts_in_place_and_keeps_the_record_and_its_evidence(window: Window, torn: ArtifactVersion) -> None:
    window.enter("greta", f"/review/versions/{torn.pk}/")
    page = window.page
    page.evaluate("window.stays = true")
    page.locator(".records > li > .pick").nth(5).click()
    page.keyboard.press("n")
    place = page.locator("#now").inner_text()
    page.locator(".opposed button", has_text="Withdraw").click()
    expect(page.locator("#said")).to_contain_text("Withdrawn. The next run of this lane does without it.")

    expect(page.locator(".opposed")).to_have_count(0)
    expect(page.locator("#now")).to_have_text(place)
    expect(page.locator(".pick[aria-current]")).to_be_focused()
    assert "evidence 2 of" in place
    assert page.evaluate("window.stays") is True
    assert Decision.objects.filter(kind="withdraw").count() == 1
    assert window.faults == []
