"""The acts of a review in the browser: a whole registry by keyboard alone, forms in place, no scripts."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from campaigns import sample
from campaigns.actions import plans, reviews, runs
from campaigns.management import following
from campaigns.models import ArtifactVersion, Decision
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm, make_session_of_all, make_story
from tests.browser.test_reading_axe import axe, faults
from tests.campaigns.reviews.acting import head, names, on, ranges, records

__all__ = ["axe"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def sampled(transactional_db: None) -> ArtifactVersion:
    """The NPCs of the sample campaign's first session, as the offline rules find them."""
    campaign = sample.load_sample()
    make_gm(campaign)
    session = sample.sessions_never_run()[0]
    lanes = ["dnd/scenes", "dnd/npcs"]
    run = runs.start(session=session, pipeline=plans.default_pipeline(), lanes=lanes, by=None)
    following.work_inline(run, label="Sample", stream=io.StringIO())
    return ArtifactVersion.objects.get(artifact__session=session, artifact__lane="dnd/npcs")


@pytest.fixture
def story(transactional_db: None) -> ArtifactVersion:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    return make_story(campaign, 3_308)


@pytest.fixture
def made(transactional_db: None) -> dict[str, ArtifactVersion]:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    return make_session_of_all(campaign, 1_200, turns=20)


def review(window: Window, version: ArtifactVersion) -> Page:
    window.enter("greta", f"/review/versions/{version.pk}/")
    return window.page


def until_version(page: Page, number: int) -> None:
    expect(page.locator(".review-head h1")).to_contain_text(f"version {number}")


def tab_to(page: Page, selector: str) -> None:
    """Go on with Tab until the element has the focus, as somebody without a mouse does."""
    for _ in range(120):
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {selector}")


def merges(version: ArtifactVersion) -> Iterator[str]:
    return (group["canonical"] for group in version.consolidations["applied"])


def accept_each(page: Page, merged: set[str], records: int) -> int:
    """Go through the records and accept every merge; return the number of the version that this comes to."""
    number = 1
    for _ in range(records):
        expect(page.locator("#acts")).to_have_attribute(
            "data-record",
            page.evaluate("new URLSearchParams(document.querySelector('.pick[aria-current]').search).get('record')"),
        )
        if page.locator(".pick[aria-current] b").inner_text() in merged:
            page.keyboard.press("a")
            number += 1
            until_version(page, number)
            expect(page.locator("#acts .tag")).to_have_text("accepted")
        page.keyboard.press("j")
    return number


def rename(page: Page, more: str) -> None:
    """Write this behind the record's name, and confirm what it changes."""
    page.keyboard.press("e")
    expect(page.locator("#act-name")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type(more)
    page.keyboard.press("Enter")
    expect(page.locator(".impact")).to_contain_text("the old one keeps resolving")
    page.keyboard.press("Enter")


def merge_with_another(page: Page, reason: str) -> None:
    page.keyboard.press("m")
    expect(page.locator("#act-canonical")).to_be_focused()
    tab_to(page, '[name="records"]:not(:checked)')
    page.keyboard.press("Space")
    tab_to(page, "#act-reason")
    page.keyboard.type(reason)
    page.keyboard.press("Enter")
    expect(page.locator(".impact")).to_be_visible()
    page.keyboard.press("Enter")


def test_registry_of_the_sample_is_reviewed_by_keyboard_alone(window: Window, sampled: ArtifactVersion) -> None:
    """Accept each merge, rename one, merge two by hand, undo that and do it again, then approve."""
    page = review(window, sampled)
    merged = set(merges(sampled))
    number = accept_each(page, merged, sampled.record_count)
    accepted = head(sampled)

    assert merged
    assert all(group["by"] == "review" for group in accepted.consolidations["applied"])
    assert accepted.digest == sampled.digest

    rename(page, " the Last")
    until_version(page, number + 1)
    expect(page.locator(".pick[aria-current]")).to_be_focused()
    expect(page.locator(".pick[aria-current] b")).to_contain_text("the Last")

    merge_with_another(page, "One and the same.")
    until_version(page, number + 2)
    united = head(sampled)
    page.keyboard.press("u")
    until_version(page, number + 3)
    undone = head(sampled)
    page.keyboard.press("U")
    until_version(page, number + 4)
    again = head(sampled)

    assert united.record_count == undone.record_count - 1
    assert again.digest == united.digest
    assert Decision.objects.get(kind="merge").reason == "One and the same."

    tab_to(page, "button[value=approve]")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("Decided by greta")
    again.refresh_from_db()

    assert again.state == "approved"
    assert window.faults == []


def test_key_waits_for_the_record_that_was_just_chosen(window: Window, sampled: ArtifactVersion) -> None:
    """Keys pressed faster than the panel follows never act on the record before."""
    page = review(window, sampled)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("e")
    expect(page.locator("#act-name")).to_have_value(names(sampled)[2])
    page.keyboard.press("Escape")
    expect(page.locator("#act-name")).to_have_count(0)
    page.keyboard.press("k")
    page.keyboard.press("d")
    expect(page.locator("#act-title")).to_have_text(f"Not the same: {names(sampled)[1]}")

    assert window.faults == []


def test_acts_come_and_go_without_a_new_page(window: Window, sampled: ArtifactVersion) -> None:
    """The page stays: what was opened stays open, the transcript where it was read, the focus at the record."""
    page = review(window, sampled)
    merged = next(merges(sampled))
    page.evaluate("window.stays = true")
    page.locator("#verdicts summary").click()
    page.locator(".records .record > .pick", has_text=merged).first.click()
    expect(page.locator(f'#acts:not([inert])[data-record="{names(sampled).index(merged)}"]')).to_be_visible()
    page.locator("#goto-unit").fill(page.locator(".unit .id").last.inner_text().strip())
    before = page.locator("#transcript").get_attribute("data-url")
    page.locator("#acts [data-act=explode]").click()
    expect(page.locator(".impact")).to_be_visible()
    page.keyboard.press("Enter")
    until_version(page, 2)
    expect(page.locator("#said")).to_contain_text("Undo the merge: done. This is version 2.")
    expect(page.locator(".pick[aria-current]")).to_be_focused()
    expect(page.locator("#verdicts")).to_have_attribute("open", "")
    expect(page.locator("#verdicts")).to_contain_text("goes against a decision")

    assert page.locator("#transcript").get_attribute("data-url") != before
    page.wait_for_url(f"{window.base}/review/versions/{head(sampled).pk}/**")

    page.keyboard.press("u")
    until_version(page, 3)
    expect(page.locator("[data-act=accept_all]")).to_be_visible()
    page.keyboard.press("A")
    page.locator("form.act [name=records]").first.wait_for()
    page.locator("form.act .btn-main").click()
    until_version(page, 4)
    expect(page.locator("[data-act=accept_all]")).to_have_count(0)
    page.locator("button[value=approve]").click()
    expect(page.locator("div.verdict")).to_contain_text("Decided by greta")

    assert head(sampled).state == "approved"
    assert page.evaluate("window.stays") is True
    assert window.faults == []


def test_act_brings_its_version_whatever_was_chosen_while_it_was_done(window: Window, sampled: ArtifactVersion) -> None:
    merged = names(sampled).index(next(merges(sampled)))
    window.enter("greta", f"/review/versions/{sampled.pk}/?record={merged}")
    page = window.page
    held = window.hold("**/acts/accept/**")
    with page.expect_request("**/acts/accept/**"):
        page.keyboard.press("a")
    other = 1 if merged == 0 else 0
    page.locator(".records > li > .pick").nth(other).click()
    expect(page.locator("#acts")).to_have_attribute("data-record", str(other))
    window.until_held(held)
    held.pop().continue_()
    until_version(page, 2)

    expect(page.locator(".pick[aria-current]")).to_be_focused()
    assert window.faults == []


def test_open_form_stays_while_other_records_are_looked_at(window: Window, story: ArtifactVersion) -> None:
    page = review(window, story)
    page.keyboard.press("e")
    page.locator("#act-name").fill("Half a name")
    page.locator(".records > li > .pick").nth(4).click()
    page.wait_for_timeout(300)

    expect(page.locator("#act-name")).to_have_value("Half a name")
    page.locator("#acts [data-cancel]").click()
    expect(page.locator("#acts")).to_have_attribute("data-record", "4")
    assert window.faults == []


def test_acts_come_back_where_a_form_did_not_come_in_their_place(window: Window, sampled: ArtifactVersion) -> None:
    page = review(window, sampled)
    page.route("**/acts/add/**", lambda route: route.fulfill(status=503))
    held = window.hold("**/acts?record=1")
    with page.expect_request("**/acts?record=1"):
        page.keyboard.press("j")
    with page.expect_request(lambda request: "/acts?record=1" in request.url):
        page.keyboard.press("i")
    window.until_held(held, 2)
    for route in held:
        route.continue_()

    expect(page.locator('#acts:not([inert])[data-record="1"] [data-act=rename]')).to_be_visible()
    expect(page.locator("#acts > [role=alert]")).to_have_text("This could not be done. Load the page again.")
    # Chromium itself writes a console line for the 503.
    assert [fault for fault in window.faults if "503" not in fault] == []


def test_second_reviewer_keeps_their_words_in_place(window: Window, story: ArtifactVersion) -> None:
    page = review(window, story)
    page.keyboard.press("e")
    page.locator("#act-name").fill("The Ferryman")
    reviews.rename(
        **on(story), record=3, name="Somebody Else", by=story.artifact.session.campaign.memberships.get().user
    )
    page.keyboard.press("Enter")
    expect(page.locator("#acts [role=alert]")).to_contain_text("Version 2 has been made meanwhile")
    expect(page.locator("#act-name")).to_have_value("The Ferryman")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="See what changed").click()
    expect(opened.value.locator("ins").last).to_have_text("Somebody Else")
    opened.value.close()
    page.locator("form.act .btn-main").click()
    page.locator(".impact").wait_for()
    page.locator("form.act .btn-main").click()
    until_version(page, 3)

    assert {"The Ferryman", "Somebody Else"} <= set(names(head(story)))
    # Chromium itself writes a console line for the 409.
    assert [fault for fault in window.faults if "409" not in fault] == []


def test_switch_of_single_keys_turns_the_acts_keys_off(window: Window, story: ArtifactVersion) -> None:
    page = review(window, story)
    page.keyboard.press("?")
    page.locator("#keys-on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.keyboard.press("m")
    page.wait_for_timeout(300)

    assert page.locator("form.act").count() == 0
    assert story.artifact.versions.count() == 1


def test_evidence_takes_the_unit_that_is_chosen_in_the_transcript(window: Window, story: ArtifactVersion) -> None:
    page = review(window, story)
    page.keyboard.press("j")
    expect(page.locator("#acts")).to_have_attribute("data-record", "1")
    page.locator('#acts [data-act="evidence"]').click()
    page.locator("#act-ranges").fill("")
    unit = page.locator(".unit.now").first.get_attribute("id")
    wanted = int((unit or "").removeprefix("unit-"))
    page.locator(f"#unit-{wanted} .id").click()
    expect(page.locator("#act-ranges")).to_have_value(str(wanted))
    page.locator("form.act .btn-main").click()
    until_version(page, 2)

    assert any(ranges(one) == [(wanted, wanted)] for one in records(head(story)))
    assert window.faults == []


@pytest.mark.parametrize("context", [{"java_script_enabled": False}], indirect=True)
def test_acts_work_without_a_script(window: Window, sampled: ArtifactVersion) -> None:
    page = review(window, sampled)
    merged = next(merges(sampled))
    page.locator(".records > li > .pick", has_text=merged).first.click()
    expect(page.locator(".pick[aria-current] b")).to_have_text(merged)
    page.get_by_role("button", name="Accept the merge").click()
    until_version(page, 2)
    page.get_by_role("link", name="Merge", exact=True).click()
    page.locator('[name="records"]:not(:checked)').first.check()
    page.locator("form.act .btn-main").click()
    page.locator(".impact").wait_for()
    page.locator("form.act .btn-main").click()
    until_version(page, 3)
    page.get_by_role("button", name="Undo the newest act").click()
    until_version(page, 4)

    assert head(sampled).digest == sampled.digest
    assert window.faults == []


@pytest.mark.parametrize("context", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True)
def test_pages_of_acts_have_no_grave_fault_of_access(
    window: Window, made: dict[str, ArtifactVersion], axe: str
) -> None:
    gm = made["npcs"].artifact.session.campaign.memberships.get().user
    npcs = reviews.rename(**on(made["npcs"]), record=0, name="Another", by=gm).version.pk
    turns = made["combat-turns"].pk
    # Everything is of an earlier transcript now, and says so above its records.
    factories.make_transcript(made["npcs"].artifact.session)
    window.enter("greta", "/review/")
    found = {}
    for path in (
        *(
            f"/review/versions/{npcs}/{tail}"
            for tail in ("", "decisions/", "compare/", "acts/merge/?record=1", "acts/accept_all/")
        ),
        *(f"/review/versions/{turns}/acts/{act}/?record=1" for act in ("edit", "split_turn", "evidence", "move")),
        f"/review/versions/{turns}/?record=1#form",
    ):
        window.open(path)
        if path.endswith("#form"):
            window.page.keyboard.press("e")
            window.page.locator("form.act").wait_for()
        window.page.evaluate(axe)
        found[path] = faults(window)

    assert {path: faults for path, faults in found.items() if faults} == {}
