"""The review page of the other families, and the page of a session."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from campaigns.models import ArtifactVersion
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm, make_session_of_all
from tests.browser.test_review import SIZES, overflow, review, until_now_on_screen

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def made(transactional_db: None) -> dict[str, ArtifactVersion]:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    return make_session_of_all(campaign, 3_308)


def test_turn_chosen_by_keyboard_has_all_its_ranges_lit(window: Window, made: dict[str, ArtifactVersion]) -> None:
    review(window, made["combat-turns"])
    page = window.page
    for _ in range(3):
        page.keyboard.press("j")
    chosen = page.locator(".record:has(> .pick[aria-current])")
    expect(chosen).to_have_class("record turn interrupt")
    expect(chosen.locator(".tag").first).to_have_text("reaction")
    expect(page.locator("#now")).to_contain_text("evidence 1 of 3")
    until_now_on_screen(window)
    spans = page.locator(".pick[aria-current]").get_attribute("data-spans") or ""
    lit = [page.locator(f'.unit.cited[data-at="{piece.split("-")[0]}"]') for piece in spans.split()]
    for at in (2, 3):
        page.keyboard.press("n")
        expect(page.locator("#now")).to_contain_text(f"evidence {at} of 3")
        expect(lit[at - 1]).to_have_class("unit cited now")
        until_now_on_screen(window)
    # What the last two of them have brought on screen stays there: all three are lit together.
    for unit in lit:
        expect(unit).to_have_count(1)
    expect(page.locator(".unit.cited")).to_have_count(6)

    assert window.faults == []


def test_scene_chosen_by_keyboard_scrolls_to_its_start(window: Window, made: dict[str, ArtifactVersion]) -> None:
    review(window, made["scenes"])
    page = window.page
    for _ in range(7):
        page.keyboard.press("j")
    expect(page.locator(".unit.now")).to_have_count(1)
    expect(page.locator("#now")).to_contain_text(": units ")

    until_now_on_screen(window)
    expect(page.locator(".unit.cited").nth(20)).to_be_attached()
    page.keyboard.press("n")
    expect(page.locator(".unit.now")).to_have_count(1)
    assert window.faults == []


@pytest.mark.parametrize("context", [{"java_script_enabled": False}], indirect=True)
def test_turns_without_a_script_show_their_actions_and_evidence(
    window: Window, made: dict[str, ArtifactVersion]
) -> None:
    review(window, made["combat-turns"])
    page = window.page
    page.locator(".turn > .pick").nth(2).click()
    expect(page.locator(".turn:has(> .pick[aria-current]) .steps li")).to_have_count(3)
    expect(page.locator(".unit.now").first).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.locator("#now")).to_contain_text("evidence 2 of 3")

    assert window.faults == []


@pytest.mark.parametrize(("name", "context"), list(SIZES.items()), indirect=["context"])
def test_family_pages_fit_their_screen(
    window: Window, context: BrowserContext, name: str, made: dict[str, ArtifactVersion], tmp_path: Path
) -> None:
    session = made["scenes"].artifact.session_id
    window.enter("greta", f"/review/sessions/{session}/")
    wide = {}
    pages = {
        "session": f"/review/sessions/{session}/",
        "turns": f"/review/versions/{made['combat-turns'].pk}/?record=3",
        "places": f"/review/versions/{made['locations'].pk}/",
        "scenes": f"/review/versions/{made['scenes'].pk}/?record=3",
        "occurrences": f"/review/versions/{made['item-occurrences'].pk}/",
        "events": f"/review/versions/{made['enemy-events'].pk}/",
        "home": "/",
    }
    for page, path in pages.items():
        window.open(path)
        window.page.wait_for_load_state("networkidle")
        wide[page] = overflow(window)
        window.page.screenshot(path=tmp_path / f"{page}-{name}.png", full_page=page in ("session", "home"))

    assert wide == dict.fromkeys(pages, 0)
    assert window.faults == []


def test_session_page_leads_from_home_to_a_review(window: Window, made: dict[str, ArtifactVersion]) -> None:
    review(window, made["scenes"])
    page = window.page
    window.open("/")
    page.get_by_role("link", name="Review session 35: The longboat").click()
    expect(page.get_by_text("could not be made")).to_be_visible()
    page.get_by_role("link", name="Review Combat turns, version 1").click()
    expect(page.get_by_role("heading", name="Combat turns, version 1")).to_be_visible()
    page.get_by_role("link", name="Session 35: The longboat").click()
    expect(page.get_by_role("heading", name="Session 35: The longboat")).to_be_visible()

    assert window.faults == []
