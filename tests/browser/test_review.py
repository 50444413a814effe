from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, expect

from campaigns.models import ArtifactVersion
from extraction.source.documents import SourceUnit
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm, make_story

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ON_SCREEN = """(unit) => {
  const box = unit.getBoundingClientRect(), pane = document.getElementById("transcript").getBoundingClientRect();
  return box.height > 0 && box.top >= pane.top - 1 && box.top < pane.bottom;
}"""


@pytest.fixture
def story(transactional_db: None) -> ArtifactVersion:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    return make_story(campaign, 3_308)


def review(window: Window, version: ArtifactVersion) -> str:
    path = f"/review/versions/{version.pk}/"
    window.enter("greta", path)
    return path


def until_now_on_screen(window: Window) -> None:
    window.page.locator(".unit.now").first.wait_for()
    window.page.wait_for_function(f"() => ({ON_SCREEN})(document.querySelector('.unit.now'))")


def test_review_by_keyboard_shows_each_evidence_and_approves(window: Window, story: ArtifactVersion) -> None:
    review(window, story)
    page = window.page

    until_now_on_screen(window)
    for _ in range(5):
        page.keyboard.press("j")
    chosen = page.locator(".pick[aria-current]")
    expect(chosen).to_have_count(1)
    name = chosen.locator("b").inner_text()
    expect(page.locator("#now b")).to_have_text(name)
    until_now_on_screen(window)
    before = page.locator(".unit.now").first.get_attribute("id")
    page.keyboard.press("n")
    expect(page.locator("#now")).to_contain_text("evidence 2 of")
    until_now_on_screen(window)
    assert page.locator(".unit.now").first.get_attribute("id") != before
    page.keyboard.press("p")
    expect(page.locator("#now")).to_contain_text("evidence 1 of")
    page.keyboard.press("k")
    expect(page.locator("#now b")).not_to_have_text(name)

    page.get_by_label("Note").fill("Read with the table: j, k, n and p are letters here.")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".verdict")).to_contain_text("Decided by greta")
    expect(page.locator(".verdict blockquote")).to_have_text("Read with the table: j, k, n and p are letters here.")
    story.refresh_from_db()

    assert (story.state, story.decided_by) == ("approved", User.objects.get(username="greta"))
    assert window.faults == []


def test_review_jumps_to_any_unit_and_scrolls_without_end(window: Window, story: ArtifactVersion) -> None:
    review(window, story)
    page = window.page
    units = list(story.transcript.units.order_by("position").values_list("unit_id", flat=True))
    for wanted in (units[-1], units[0], units[1_600], units[3_000]):
        page.get_by_label("Go to unit").fill(str(wanted))
        page.keyboard.press("Enter")
        target = page.locator(f"#unit-{wanted}.target")
        target.wait_for()
        page.wait_for_function(f"() => ({ON_SCREEN})(document.getElementById('unit-{wanted}'))")
        page.wait_for_timeout(300)

        assert target.evaluate(ON_SCREEN)
        assert page.locator(".unit").count() <= 30 * 30
    page.locator("#transcript").evaluate("pane => { pane.scrollTop = pane.scrollHeight / 3 }")
    page.wait_for_function(f"() => [...document.querySelectorAll('.unit')].filter({ON_SCREEN}).length > 3")
    page.get_by_label("Go to unit").fill("999999")
    page.keyboard.press("Enter")
    expect(page.locator("#goto-problem")).to_contain_text("no such unit")
    # Chromium itself writes a console line for the 404 of that last question.
    assert [fault for fault in window.faults if "404" not in fault] == []


def test_unit_that_was_asked_for_does_not_come_over_the_record_that_was_chosen_since(
    window: Window, story: ArtifactVersion
) -> None:
    review(window, story)
    page = window.page
    until_now_on_screen(window)
    wanted = story.transcript.units.get(position=3_000).unit_id
    held = window.hold("**/units?unit=*")
    page.get_by_label("Go to unit").fill(str(wanted))
    with page.expect_request(f"**/units?unit={wanted}"):
        page.keyboard.press("Enter")
    pick = page.locator(".records > li > .pick").nth(5)
    pick.click()
    until_now_on_screen(window)
    window.until_held(held)
    held.pop().continue_()
    window.until_loaded(f"/units?unit={wanted}")

    assert page.locator(".unit.now").first.evaluate(ON_SCREEN)
    expect(page.locator(".unit.target")).to_have_count(0)
    expect(pick).to_be_focused()
    assert window.faults == []


def test_review_choice_by_click_and_enter_reaches_members_and_survives_a_reload(
    window: Window, story: ArtifactVersion
) -> None:
    review(window, story)
    page = window.page
    page.get_by_role("link", name="the harbourmaster").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#now b")).to_have_text("the harbourmaster")
    expect(page.locator("#now")).to_contain_text("evidence 1 of 1")
    pick = page.locator(".records > li > .pick").nth(20)
    name = pick.locator("b").inner_text()
    pick.click()
    expect(page.locator("#now b")).to_have_text(name)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#now")).to_contain_text("evidence 2 of")
    page.reload()
    expect(page.locator("#now b")).to_have_text(name)
    expect(page.locator("#now")).to_contain_text("evidence 2 of")

    until_now_on_screen(window)
    assert window.faults == []


@pytest.mark.parametrize("context", [{"java_script_enabled": False}], indirect=True)
def test_review_without_a_script_reads_and_rejects(window: Window, story: ArtifactVersion) -> None:
    review(window, story)
    page = window.page
    pick = page.locator(".records > li > .pick").nth(3)
    name = pick.locator("b").inner_text()
    pick.click()
    expect(page.locator(".pick[aria-current] b")).to_have_text(name)
    expect(page.locator("#now b")).to_have_text(name)
    expect(page.locator(".unit.now").first).to_be_visible()
    page.get_by_role("link", name="Later units").click()
    page.wait_for_url("**from=*")
    expect(page.locator(".unit")).to_have_count(60)
    page.get_by_label("Note").fill("Not yet.")
    page.get_by_role("button", name="Reject").click()
    expect(page.locator(".verdict blockquote")).to_have_text("Not yet.")
    story.refresh_from_db()

    assert story.state == "rejected"
    assert window.faults == []


def test_review_of_hostile_text_runs_no_script(window: Window, transactional_db: None) -> None:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    bad = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>\"'><svg onload=window.pwned=1>"
    units = [SourceUnit(at, bad, f"{bad} {at}") for at in range(1, 200)]
    version = factories.make_version(
        factories.make_transcript(factories.make_session(campaign), units), {bad: ((150, 151),), f"{bad}2": ((3, 3),)}
    )
    review(window, version)
    page = window.page
    page.keyboard.press("j")
    until_now_on_screen(window)
    page.keyboard.press("k")
    until_now_on_screen(window)

    expect(page.locator("#now b")).to_have_text(bad)
    assert page.evaluate("window.pwned") is None
    assert page.locator("#transcript img, #transcript script, .records img").count() == 0
    assert window.faults == []


# A desk by day and a phone by night: between them they show what any width and both themes do.
SIZES = {
    "light": {"color_scheme": "light"},
    "phone-dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "is_mobile": True},
}


@pytest.mark.parametrize(("name", "context"), list(SIZES.items()), indirect=["context"])
def test_pages_fit_their_screen(
    window: Window, context: BrowserContext, name: str, story: ArtifactVersion, tmp_path: Path
) -> None:
    """Every page in light, dark and at the width of a phone: nothing runs off the side, nothing violates the policy."""
    factories.make_user("root", staff=True, superuser=True)
    window.open("/")
    window.page.screenshot(path=tmp_path / f"home-{name}.png")
    window.enter("root", f"/review/versions/{story.pk}/?record=2")
    until_now_on_screen(window)
    window.page.screenshot(path=tmp_path / f"review-{name}.png")
    wide = [overflow(window)]
    window.page.locator(".records > li > .pick").nth(3).click()
    until_now_on_screen(window)
    window.page.wait_for_timeout(300)
    window.page.screenshot(path=tmp_path / f"review-chosen-{name}.png")
    for path in ("/", "/nowhere", "/admin/", "/admin/campaigns/artifactversion/", "/api/v1/docs"):
        window.open(path)
        window.page.wait_for_load_state("networkidle")
        wide.append(overflow(window))
        window.page.screenshot(path=tmp_path / f"{path.strip('/').replace('/', '-') or 'root'}-{name}.png")

    assert [fault for fault in window.faults if "404" not in fault] == []
    # The stock admin's lists scroll sideways on a phone by themselves; ours do not.
    assert wide[:3] == [0, 0, 0]


def overflow(window: Window) -> int:
    return int(window.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
