"""The page of secrets: kept and revealed from it, on every screen, light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from campaigns.models import ArtifactVersion, Secret
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm
from tests.browser.test_reading_axe import axe, faults
from tests.browser.test_review import SIZES, overflow
from tests.campaigns.library import story

__all__ = ["axe"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("name", "context"), list(SIZES.items()), indirect=["context"])
def test_a_passage_is_kept_and_revealed_on_the_page_of_secrets(
    window: Window, transactional_db: None, axe: str, tmp_path: Path, name: str
) -> None:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    story.make(campaign, User.objects.get(username="greta"))
    window.enter("greta", "/campaigns/salt-ferry/secrets/")
    page = window.page
    page.get_by_label("From unit").fill("1")
    page.get_by_label("To unit").fill("91")
    page.get_by_label("Note, for game masters").fill("until the ball")
    page.get_by_role("button", name="Hide the passage").click()
    expect(page.get_by_role("alert")).to_have_text("There is no unit 91 in this transcript.")
    expect(page.get_by_role("alert")).to_be_in_viewport()
    page.evaluate(axe)
    assert faults(window) == []
    assert overflow(window) == 0
    page.get_by_label("To unit").fill("2")
    page.get_by_role("button", name="Hide the passage").click()
    expect(page.get_by_role("status")).to_contain_text("Players do not see this")
    page.get_by_role("button", name="Reveal units 30 to 20").click()
    expect(page.get_by_role("status")).to_contain_text("Players see this")
    page.screenshot(path=tmp_path / f"secrets-{name}.png", full_page=True)

    assert Secret.objects.get(binding__start=1).note == "until the ball"
    assert Secret.objects.get(binding__start=30).revealed_at is not None
    page.evaluate(axe)
    assert faults(window) == []
    assert overflow(window) == 0
    # The browser notes the answer to the passage that there is not.
    assert [fault for fault in window.faults if "422" not in fault] == []


@pytest.mark.parametrize(("name", "context"), list(SIZES.items()), indirect=["context"])
def test_a_record_is_kept_and_revealed_beside_its_evidence(
    window: Window, transactional_db: None, axe: str, tmp_path: Path, name: str
) -> None:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    transcript = story.told(campaign, User.objects.get(username="greta"))
    gifts = ArtifactVersion.objects.approved().get(
        artifact__session=transcript.session, artifact__lane="dnd/item-occurrences"
    )
    window.enter("greta", f"/review/versions/{gifts.pk}/?record=1")
    acts = window.page.locator("#acts")
    acts.get_by_role("button", name="Hide from players").click()
    expect(acts.get_by_text("hidden from players")).to_be_visible()
    window.page.screenshot(path=tmp_path / f"kept-{name}.png", full_page=True)
    window.page.evaluate(axe)
    assert faults(window) == []
    assert overflow(window) == 0
    acts.get_by_role("button", name="Reveal").click()
    expect(acts.get_by_role("button", name="Hide from players")).to_be_visible()

    assert Secret.objects.get().revealed_at is not None
    assert window.faults == []
