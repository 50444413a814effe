"""A fight in the browser: the timeline, units selected for evidence, and a whole review by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.models import ArtifactVersion, Decision
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_fight, make_gm
from tests.browser.test_acts import tab_to, until_version
from tests.browser.test_reading_axe import axe, faults
from tests.campaigns.reviews.acting import head, ranges, records

__all__ = ["axe"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def fight(transactional_db: None) -> ArtifactVersion:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    return make_fight(campaign)


def review(window: Window, version: ArtifactVersion, query: str = "") -> Page:
    window.enter("greta", f"/review/versions/{version.pk}/{query}")
    return window.page


def unit_at(version: ArtifactVersion, position: int) -> int:
    return version.transcript.units.get(position=position).unit_id


def stretches(version: ArtifactVersion, *places: tuple[int, int]) -> list[tuple[int, int]]:
    return [(unit_at(version, first), unit_at(version, last)) for first, last in places]


def named(version: ArtifactVersion) -> list[tuple[str, int | None]]:
    return [(one["actor"], one["round"]) for one in records(version)]


def stand_at(page: Page, position: int) -> None:
    expect(page.locator(f'.unit[data-at="{position}"] .id')).to_be_focused()


def chosen(page: Page, name: str) -> None:
    expect(page.locator(".pick[aria-current] b")).to_have_text(name)


def test_turns_stand_in_rounds_and_what_breaks_in_stands_inside(window: Window, fight: ArtifactVersion) -> None:
    page = review(window, fight)
    expect(page.locator(".timeline h3")).to_contain_text("Encounter 1: The bell tower 7 turns")
    expect(page.locator(".timeline h4")).to_have_text(["Round 1", "Round 2"])
    broken = page.locator(".turn:has(> .breaks)")
    expect(broken.locator("> .pick b")).to_have_text("Captain Voss")
    expect(broken.locator(".breaks .pick b")).to_have_text("Warden Wick")

    assert window.faults == []


def test_turn_lights_its_ranges_and_a_unit_lights_the_turns_that_cite_it(
    window: Window, fight: ArtifactVersion
) -> None:
    page = review(window, fight, "?record=1")
    expect(page.locator(".unit.cited")).to_have_count(6)
    expect(page.locator('.unit.now[data-at="110"]')).to_be_in_viewport()
    page.locator('.unit[data-at="125"] .id').click()

    expect(page.locator(".record.lit > .pick b")).to_have_text("Warden Wick")
    expect(page.locator("#citing .cites b")).to_have_text("Warden Wick")
    assert window.faults == []


def walk_through(page: Page) -> None:
    """Go through the turns, what breaks in included, and back to what breaks in."""
    for name in ("Mother Quillon", "Captain Voss", "Warden Wick", "Old Dell"):
        page.keyboard.press("j")
        chosen(page, name)
    page.keyboard.press("k")
    chosen(page, "Warden Wick")


def edit_round(page: Page) -> None:
    """Give a round that is none, which is refused beside its field, then a right one."""
    press = page.keyboard.press
    press("e")
    expect(page.locator("#act-actor")).to_be_focused()
    tab_to(page, "#act-round")
    page.keyboard.type("0")
    press("Enter")
    expect(page.locator("#problem-round")).to_have_text("A whole number from 1, or nothing.")
    expect(page.locator("#act-round")).to_be_focused()
    press("Control+A")
    page.keyboard.type("1")
    press("Enter")


def move_units(page: Page) -> None:
    """Move the last unit of the turn's first range, and the whole of its second, to the next turn."""
    press = page.keyboard.press
    press("b")
    expect(page.locator("#act-ranges")).to_be_focused()
    press("Tab")
    press("Enter")
    stand_at(page, 110)
    for key in ("ArrowDown", "ArrowDown", "Space", "ArrowDown", "ArrowDown"):
        press(key)
    stand_at(page, 114)
    press("Shift+ArrowDown")
    expect(page.locator("#selection-count")).to_have_text("3 units in 2 ranges selected")
    press("Enter")
    expect(page.locator("#act-ranges")).to_be_focused()
    tab_to(page, "#act-to")
    page.keyboard.type("Captain")
    tab_to(page, "form.act .btn-main")
    press("Enter")


def split_turn(page: Page, kept: tuple[int, int], going: tuple[int, int]) -> None:
    """Make a turn of its own of the second action, with these units."""
    press = page.keyboard.press
    press("s")
    expect(page.locator("#act-kept")).to_be_focused()
    press("Control+A")
    page.keyboard.type(f"{kept[0]}-{kept[1]}")
    tab_to(page, '[name="going"][value="1"]')
    press("Space")
    tab_to(page, "#act-ranges")
    press("Control+A")
    page.keyboard.type(f"{going[0]}-{going[1]}")
    press("Enter")


def join_with_next(page: Page, reason: str) -> None:
    page.keyboard.press("m")
    expect(page.locator('[name="records"]:checked')).to_have_count(2)
    tab_to(page, "#act-reason")
    page.keyboard.type(reason)
    page.keyboard.press("Enter")


def remove_turn(page: Page) -> None:
    page.keyboard.press("x")
    page.locator("form.act").wait_for()
    tab_to(page, "form.act .btn-main")
    page.keyboard.press("Enter")


def select_two_ranges(page: Page) -> int:
    """Select two units, and one more with a unit between, from where the transcript is; return the first's place."""
    press = page.keyboard.press
    tab_to(page, "#transcript")
    press("]")
    expect(page.locator(".unit .id:focus")).to_have_count(1)
    start = int(page.evaluate("document.activeElement.closest('.unit').dataset.at"))
    press("Space")
    press("Shift+ArrowDown")
    expect(page.locator("#selection-count")).to_have_text("2 units in 1 range selected")
    press("]")
    press("]")
    stand_at(page, start + 3)
    press("Space")
    expect(page.locator("#selection-count")).to_have_text("3 units in 2 ranges selected")
    return start


def add_turn(page: Page, actor: str) -> None:
    """Add a turn that was missed, over what is selected."""
    page.keyboard.press("i")
    expect(page.locator("#act-actor")).to_be_focused()
    page.keyboard.type(actor)
    tab_to(page, "#act-summary")
    page.keyboard.type(f"{actor} rings the bell.")
    tab_to(page, "#act-action-0-declaration")
    page.keyboard.type("rings the bell")
    tab_to(page, "#act-ranges")
    page.keyboard.press("Enter")


def approve(page: Page) -> None:
    tab_to(page, "button[value=approve]")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("Decided by greta")


def press_to(page: Page, key: str, times: int, name: str) -> None:
    for _ in range(times):
        page.keyboard.press(key)
    chosen(page, name)


def test_whole_fight_is_reviewed_by_keyboard_alone(window: Window, fight: ArtifactVersion) -> None:
    """Walk, edit a field, move units of two ranges, split, join, remove, add, undo, do again, approve."""
    page = review(window, fight)
    walk_through(page)
    edit_round(page)
    until_version(page, 2)
    chosen(page, "Warden Wick")
    assert named(head(fight))[3] == ("Warden Wick", 1)

    press_to(page, "k", 2, "Mother Quillon")
    move_units(page)
    until_version(page, 3)
    moved = records(head(fight))
    assert ranges(moved[1]) == stretches(fight, (110, 111), (118, 118))
    assert ranges(moved[2]) == stretches(fight, (112, 112), (114, 115), (120, 122), (128, 129))

    press_to(page, "k", 1, "Old Dell")
    first, second = stretches(fight, (100, 102), (106, 107))
    split_turn(page, first, second)
    until_version(page, 4)
    split = records(head(fight))
    assert [len(one["actions"]) for one in split[:2]] == [1, 1]
    assert [ranges(one) for one in split[:2]] == [[first], [second]]

    chosen(page, "Old Dell")
    join_with_next(page, "One turn.")
    until_version(page, 5)
    assert records(head(fight))[0] == records(fight)[0]
    assert Decision.objects.get(kind="join_turns").reason == "One turn."

    press_to(page, "j", 6, "Captain Voss")
    remove_turn(page)
    until_version(page, 6)
    assert len(records(head(fight))) == 6

    start = select_two_ranges(page)
    add_turn(page, "Brother Sable")
    until_version(page, 7)
    chosen(page, "Brother Sable")
    (added,) = [one for one in records(head(fight)) if one["actor"] == "Brother Sable"]
    assert ranges(added) == stretches(fight, (start, start + 1), (start + 3, start + 3))

    page.keyboard.press("u")
    until_version(page, 8)
    assert len(records(head(fight))) == 6
    page.keyboard.press("U")
    until_version(page, 9)
    approve(page)
    approved = head(fight)

    assert approved.state == "approved"
    assert [name for name, _ in named(approved)].count("Brother Sable") == 1
    # Chromium itself writes a console line for the 422.
    assert [fault for fault in window.faults if "422" not in fault] == []


def test_selection_by_mouse_takes_ranges_and_lets_them_go(window: Window, fight: ArtifactVersion) -> None:
    page = review(window, fight, "?record=4")
    page.locator('#acts [data-act="evidence"]').click()
    count = page.locator("#selection-count")
    expect(count).to_have_text("3 units in 1 range selected")
    page.locator('.unit[data-at="144"] .id').click()
    page.locator('.unit[data-at="146"] .id').click(modifiers=["Shift"])
    expect(count).to_have_text("6 units in 2 ranges selected")
    page.locator('.unit[data-at="141"] .id').click()
    expect(count).to_have_text("5 units in 3 ranges selected")
    typed = ", ".join(
        f"{first}" if first == last else f"{first}-{last}"
        for first, last in stretches(fight, (140, 140), (142, 142), (144, 146))
    )
    expect(page.locator("#act-ranges")).to_have_value(typed)
    expect(page.locator(".unit.picked")).to_have_count(5)
    page.get_by_role("button", name="Clear the selection").click()
    expect(page.locator("#act-ranges")).to_have_value("")
    page.locator("#act-ranges").fill(f"{unit_at(fight, 144)}")
    page.locator("#act-ranges").blur()
    expect(page.locator('.unit.picked[data-at="144"]')).to_have_count(1)
    page.locator("form.act .btn-main").click()
    until_version(page, 2)

    assert ranges(records(head(fight))[4]) == stretches(fight, (144, 144))
    assert window.faults == []


@pytest.mark.parametrize("context", [{"viewport": {"width": 360, "height": 740}, "has_touch": True}], indirect=True)
def test_selection_by_touch_takes_a_range(window: Window, fight: ArtifactVersion) -> None:
    page = review(window, fight, "?record=4")
    page.locator('#acts [data-act="evidence"]').tap()
    page.get_by_role("button", name="Choose in the transcript").tap()
    stand_at(page, 140)
    expect(page.locator('.unit[data-at="140"]')).to_be_in_viewport()
    page.locator('.unit[data-at="144"]').tap()
    page.get_by_role("button", name="Up to the next one I choose").tap()
    page.locator('.unit[data-at="146"]').tap()
    expect(page.locator("#selection-count")).to_have_text("6 units in 2 ranges selected")
    page.get_by_role("button", name="Back to the form").tap()
    expect(page.locator("#act-ranges")).to_be_focused()
    page.locator("form.act .btn-main").tap()
    until_version(page, 2)

    assert ranges(records(head(fight))[4]) == stretches(fight, (140, 142), (144, 146))
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    assert window.faults == []


@pytest.mark.parametrize("context", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True)
def test_fight_has_no_grave_fault_of_access(window: Window, fight: ArtifactVersion, axe: str) -> None:
    page = review(window, fight, "?record=3")
    page.evaluate(axe)
    plain = faults(window)
    page.keyboard.press("b")
    page.locator("form.act").wait_for()
    page.locator('.unit[data-at="124"] .id').click()
    expect(page.locator(".unit.picked")).to_have_count(1)

    assert (plain, faults(window)) == ([], [])
