from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, expect

from campaigns.models import ArtifactVersion, Run
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm, make_session_of_all, make_story
from tests.browser.test_review import SIZES, overflow

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def made(transactional_db: None) -> dict[str, ArtifactVersion]:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    make_story(campaign, 200)
    factories.make_session(campaign, 36, "Not recorded yet")
    return make_session_of_all(campaign, 1_200, turns=20)


@pytest.mark.parametrize("context", [{}, {"java_script_enabled": False}], indirect=True)
def test_failed_lanes_are_run_again_by_one_click(window: Window, made: dict[str, ArtifactVersion]) -> None:
    window.enter("greta", "/review/")
    page = window.page
    window.open("/")
    page.get_by_role("link", name="Work list").click()
    first = page.locator(".work").first
    expect(first).to_contain_text("could not be made")
    first.get_by_role("button", name="Run these 2 again").click()
    expect(page.get_by_role("status")).to_contain_text("will be made next")
    expect(page.locator(".work-stopped")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("At work, without you")
    run = Run.objects.latest("pk")

    assert set(run.lanes.values_list("key", flat=True)) == {"dnd/spells", "dnd/npc-occurrences"}
    assert run.created_by == User.objects.get(username="greta")
    assert window.faults == []


@pytest.mark.parametrize(("name", "context"), list(SIZES.items()), indirect=["context"])
def test_worklist_fits_its_screen(
    window: Window, context: BrowserContext, name: str, made: dict[str, ArtifactVersion], tmp_path: Path
) -> None:
    window.enter("greta", "/review/")
    window.page.screenshot(path=tmp_path / f"worklist-{name}.png", full_page=True)

    assert overflow(window) == 0
    assert window.faults == []
