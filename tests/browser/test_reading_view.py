"""The page of a session's units, and the way from a unit back to the records on the review page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from campaigns.models import ArtifactVersion, Transcript
from extraction.source.documents import SourceUnit
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm, make_session_of_all
from tests.browser.test_review import ON_SCREEN, SIZES, overflow, review
from tests.campaigns.review import families

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BAD = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>\"'><svg onload=window.pwned=1>"


@pytest.fixture
def made(transactional_db: None) -> dict[str, ArtifactVersion]:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    return make_session_of_all(campaign, 3_308)


def read(window: Window, transcript: Transcript, query: str = "") -> None:
    window.enter("greta", f"/review/sessions/{transcript.session_id}/units{query}")


def until_on_screen(window: Window, unit_id: int) -> None:
    window.page.locator(f"#unit-{unit_id}").wait_for()
    window.page.wait_for_function(f"() => ({ON_SCREEN})(document.getElementById('unit-{unit_id}'))")


def unit_at(transcript: Transcript, position: int) -> int:
    return transcript.units.get(position=position).unit_id


def test_units_are_walked_by_keyboard_with_their_records_beside(
    window: Window, made: dict[str, ArtifactVersion]
) -> None:
    transcript = made["npcs"].transcript
    read(window, transcript)
    page = window.page
    page.get_by_label("Go to unit").fill(str(unit_at(transcript, 300)))
    page.keyboard.press("Enter")
    until_on_screen(window, unit_at(transcript, 300))
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("#citing-title")).to_contain_text("is cited by")
    page.get_by_role("link", name=f"unit {unit_at(transcript, 300)}", exact=True).click()

    expect(page.locator("#citing-title")).to_have_text(f"Unit {unit_at(transcript, 300)} is cited by")
    expect(page.locator("#citing h3").first).to_contain_text("NPCs")
    expect(page.locator("#citing a.cites").first).to_have_text("Wick")
    page.keyboard.press("j")
    expect(page.locator("#citing-title")).to_have_text(f"Unit {unit_at(transcript, 301)} is cited by")
    expect(page.locator(f"#unit-{unit_at(transcript, 301)} .id")).to_be_focused()
    page.keyboard.press("c")
    expect(page.locator("#citing a.cites").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/versions/**")
    expect(page.locator("#now b")).to_have_text("Wick")
    assert window.faults == []


def test_list_jumps_by_strip_and_by_number_and_stays_small(window: Window, made: dict[str, ArtifactVersion]) -> None:
    transcript = made["npcs"].transcript
    read(window, transcript)
    page = window.page
    box = page.locator("#strip").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 5)
    until_on_screen(window, unit_at(transcript, 2_481))
    for position in (3_307, 0, 1_600):
        page.get_by_label("Go to unit").fill(str(unit_at(transcript, position)))
        page.keyboard.press("Enter")

        until_on_screen(window, unit_at(transcript, position))
        assert page.locator(".unit").count() <= 30 * 30
    page.wait_for_function("() => Math.abs(parseFloat(document.getElementById('here').style.left) - 48) < 2")
    assert window.faults == []


def test_filter_leaves_what_no_lane_cites_and_keeps_the_chosen_unit(
    window: Window, made: dict[str, ArtifactVersion]
) -> None:
    transcript = made["npcs"].transcript
    read(window, transcript)
    page = window.page
    page.get_by_label("Show", exact=True).select_option("uncited")
    page.get_by_label("spoken by").select_option(label="Bram")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#now")).to_contain_text("of 3,308 units")

    expect(page.locator(".unit .who").first).to_have_text("Bram")
    expect(page.locator(".unit .who").filter(has_not_text=re.compile("^Bram$"))).to_have_count(0)
    expect(page.locator(".chips a:not(.chip-scene)")).to_have_count(0)
    name = page.locator(".unit").nth(40).get_attribute("id")
    page.locator(f"#{name} .id").click()
    page.reload()
    expect(page.locator(f"#{name}.target")).to_have_count(1)
    expect(page.locator("#citing")).to_contain_text("No record cites")
    box = page.locator("#strip").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 5)
    page.wait_for_function("() => parseFloat(document.getElementById('here').style.left) > 85")
    assert window.faults == []


def test_unit_on_the_review_page_shows_the_turns_that_cite_it(window: Window, made: dict[str, ArtifactVersion]) -> None:
    version = made["combat-turns"]
    review(window, version)
    page = window.page
    second = unit_at(version.transcript, 140)
    page.get_by_label("Go to unit").fill(str(second))
    page.keyboard.press("Enter")
    until_on_screen(window, second)
    page.locator(f"#unit-{second} .said").click()
    expect(page.locator("#citing-title")).to_have_text(f"Unit {second} is cited by")
    expect(page.locator("#citing a.cites")).to_have_count(1)
    expect(page.locator(".records .record.lit")).to_have_count(1)
    page.locator("#citing a.cites").click()

    expect(page.locator(".records .record.lit > .pick")).to_have_attribute("aria-current", "true")
    expect(page.locator("#now")).to_contain_text("evidence 1 of 3")
    page.keyboard.press("]")
    expect(page.locator(f"#unit-{unit_at(version.transcript, 141)} .id")).to_be_focused()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#citing-panel")).to_be_hidden()
    expect(page.locator(".records .record.lit")).to_have_count(0)
    assert window.faults == []


def test_list_of_a_unit_that_was_closed_does_not_open_when_its_answer_comes(
    window: Window, made: dict[str, ArtifactVersion]
) -> None:
    version = made["combat-turns"]
    first, second = unit_at(version.transcript, 140), unit_at(version.transcript, 141)
    window.enter("greta", f"/review/versions/{version.pk}/?unit={first}")
    page = window.page
    page.locator(f"#unit-{first} .id").click()
    expect(page.locator("#citing-title")).to_have_text(f"Unit {first} is cited by")
    held = window.hold("**/citing?*")
    with page.expect_request(f"**/citing?unit={second}"):
        page.keyboard.press("]")
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#citing-panel")).to_be_hidden()
    window.until_held(held)
    held.pop().continue_()
    window.until_loaded(f"/citing?unit={second}")

    assert page.locator("#citing-panel").is_hidden()
    expect(page.locator(".records .record.lit")).to_have_count(0)
    # The next question is answered again.
    page.unroute("**/citing?*")
    page.locator(f"#unit-{second} .id").click()
    expect(page.locator("#citing-title")).to_have_text(f"Unit {second} is cited by")
    expect(page.locator("#citing-panel")).to_be_visible()
    assert window.faults == []


@pytest.mark.parametrize("context", [{"java_script_enabled": False}], indirect=True)
def test_units_without_a_script_are_read_by_links(window: Window, made: dict[str, ArtifactVersion]) -> None:
    transcript = made["npcs"].transcript
    read(window, transcript, "?near=300")
    page = window.page
    page.get_by_role("link", name=f"unit {unit_at(transcript, 300)}", exact=True).click()
    expect(page.locator("#citing a.cites").first).to_have_text("Wick")
    page.get_by_role("link", name="Later units").click()
    page.wait_for_url("**from=*")
    expect(page.locator(".unit")).to_have_count(60)
    page.locator(".coverage-more summary").click()
    page.locator(".numbers a").last.click()
    expect(page.locator(f"#unit-{unit_at(transcript, 3_150)}")).to_have_count(1)
    page.goto(f"{window.base}/review/versions/{made['combat-turns'].pk}/?record=3")
    page.locator(".unit.now .id").first.click()

    expect(page.locator("#citing a.cites")).to_have_count(1)
    assert window.faults == []


def test_keys_are_listed_and_can_be_switched_off(window: Window, made: dict[str, ArtifactVersion]) -> None:
    review(window, made["combat-turns"])
    page = window.page
    page.locator(".records .pick").nth(1).focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys of this page")
    expect(dialog).to_contain_text("next record")
    page.get_by_label("Use keys of a single character").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator(".records .pick").nth(1)).to_be_focused()
    page.reload()
    name = page.locator("#now b").inner_text()
    for key in ("j", "?", "]"):
        page.keyboard.press(key)
    expect(dialog).to_be_hidden()
    expect(page.locator("#now b")).to_have_text(name)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#now")).to_contain_text("evidence 2 of")
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Use keys of a single character").check()
    page.get_by_role("button", name="Close").last.click()
    page.keyboard.press("j")

    expect(page.locator("#now b")).not_to_have_text(name)
    assert window.faults == []


def test_units_of_hostile_text_run_no_script(window: Window, transactional_db: None) -> None:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    units = [SourceUnit(at, BAD, f"{BAD} {at}") for at in range(1, 200)]
    transcript = factories.make_transcript(factories.make_session(campaign), units)
    factories.make_version(transcript, {BAD: ((1, 4), (150, 151))})
    families.make_version(transcript, "scenes", [families.scene(BAD, 1, 199)])
    read(window, transcript)
    page = window.page
    page.keyboard.press("j")
    expect(page.locator("#citing a.cites b")).to_have_text(BAD)
    page.get_by_label("Go to unit").fill("150")
    page.keyboard.press("Enter")

    until_on_screen(window, 150)
    assert page.evaluate("window.pwned") is None
    assert page.locator("#transcript img, #citing img, #content script").count() == 0
    assert window.faults == []


@pytest.mark.parametrize(("name", "context"), list(SIZES.items()), indirect=["context"])
def test_units_fit_their_screen(
    window: Window, context: BrowserContext, name: str, made: dict[str, ArtifactVersion], tmp_path: Path
) -> None:
    transcript = made["npcs"].transcript
    read(window, transcript, f"?unit={unit_at(transcript, 300)}")
    page = window.page
    until_on_screen(window, unit_at(transcript, 300))
    page.screenshot(path=tmp_path / f"units-{name}.png")
    wide = [overflow(window)]
    page.locator(".coverage-more summary").click()
    page.wait_for_timeout(200)
    page.screenshot(path=tmp_path / f"units-legend-{name}.png", full_page=True)
    wide.append(overflow(window))
    page.get_by_role("button", name="Keys").click()
    page.screenshot(path=tmp_path / f"units-keys-{name}.png")
    wide.append(overflow(window))
    page.keyboard.press("Escape")
    window.open(f"/review/versions/{made['combat-turns'].pk}/?record=2&unit={unit_at(transcript, 180)}")
    page.locator("#citing-panel").scroll_into_view_if_needed()
    until_on_screen(window, unit_at(transcript, 180))
    page.screenshot(path=tmp_path / f"turned-round-{name}.png")
    wide.append(overflow(window))

    assert wide == [0, 0, 0, 0]
    assert window.faults == []
