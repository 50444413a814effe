"""The website as readers walk it: nobody in particular, a player, a game master; with and without a script."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext, expect

from campaigns.actions import versions
from campaigns.models import Campaign, Membership
from extraction.source.documents import SourceUnit
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm, make_session_of_all
from tests.browser.test_reading_axe import axe as axe  # a fixture
from tests.browser.test_reading_axe import faults
from tests.browser.test_review import overflow
from tests.campaigns.site import story

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HERE = "/campaigns/salt-ferry/"
LONG = f"{HERE}sessions/36/"
PAGES = (
    "/",
    HERE,
    f"{HERE}sessions/1/",
    LONG,
    f"{HERE}sessions/35/",
    f"{HERE}sessions/35/fights/1/",
    f"{HERE}sessions/2/fights/1/",
    f"{HERE}npcs/",
    f"{HERE}npcs/{story.WICK}/",
    f"{HERE}items/{story.CLAPPER}/",
    f"{HERE}places/",
    f"{HERE}changes/",
)


@pytest.fixture
def told(transactional_db: None) -> Campaign:
    campaign = factories.make_campaign("salt-ferry", public=True)
    gm = make_gm(campaign)
    story.tell(campaign, gm)
    said = [SourceUnit(at ^ 1, "Ottilie", f"The ferry noses into the fog. {at}") for at in range(2, 1_202)]
    factories.make_transcript(factories.make_session(campaign, 36, "The crossing"), said)
    player = factories.make_user("pia")
    factories.make_membership(campaign, player, Membership.Role.PLAYER)
    return campaign


@pytest.fixture
def whole(told: Campaign) -> Campaign:
    """The same with an approved session of every family."""
    gm = User.objects.get(username="greta")
    for family, version in make_session_of_all(told, 900, turns=20).items():
        if family != "spells":
            versions.approve(version_id=version.pk, note="", by=gm)
    return told


def test_nobody_reads_a_public_campaign_without_its_words(window: Window, told: Campaign) -> None:
    page = window.page
    window.open("/")
    page.get_by_role("link", name="The Salt Ferry", exact=True).click()
    page.get_by_role("navigation", name="Campaign").get_by_role("link", name="People").click()
    page.get_by_role("link", name="Wick").click()
    expect(page.get_by_role("heading", name="Wick", level=1)).to_be_visible()
    expect(page.get_by_text("The passages themselves are for the members")).to_be_visible()
    page.get_by_role("link", name="session 1", exact=True).first.click()
    expect(page.get_by_text("What was said is for the members of the campaign.")).to_be_visible()

    assert page.locator("blockquote, .said").count() == 0
    assert window.faults == []


def test_player_reads_on_and_follows_a_quote_to_its_line(window: Window, told: Campaign) -> None:
    page = window.page
    window.enter("pia", f"{HERE}npcs/{story.WICK}/")
    page.get_by_role("link", name="units 206 to 205").click()
    expect(page.locator("#u206")).to_be_in_viewport()
    window.open(LONG)
    expect(page.locator(".said")).to_have_count(150)
    page.locator("li.more").scroll_into_view_if_needed()
    expect(page.locator(".said")).to_have_count(300)
    page.get_by_label("Go to unit").fill("900")
    page.get_by_role("button", name="Go").click()

    expect(page.locator("#u900")).to_be_attached()
    assert window.faults == []


def test_address_of_a_unit_that_is_not_on_the_page_leads_to_it(window: Window, told: Campaign) -> None:
    window.enter("pia", LONG)
    window.open(f"{LONG}#u1100")
    window.page.wait_for_url(f"**{LONG}?unit=1100#u1100")

    expect(window.page.locator("#u1100")).to_be_in_viewport()
    assert window.faults == []


@pytest.mark.parametrize("context", [{"java_script_enabled": False}], indirect=True)
def test_transcript_is_read_on_without_a_script(window: Window, told: Campaign) -> None:
    window.enter("pia", LONG)
    page = window.page
    page.get_by_role("link", name="Read on").click()
    expect(page.locator(".said")).to_have_count(150)
    expect(page.get_by_role("link", name="What came before")).to_be_visible()
    page.get_by_label("I have seen up to").select_option("session 1")
    page.get_by_role("button", name="Show").first.click()

    expect(page.get_by_role("status")).to_be_visible()
    expect(page.get_by_role("link", name="Session 36")).to_have_count(0)
    expect(page.get_by_text("You see the campaign as of session 1")).to_be_visible()
    assert window.faults == []


def test_game_master_looks_as_a_player_and_comes_back(window: Window, told: Campaign) -> None:
    story.waiting(told, 40)
    window.enter("greta", HERE)
    page = window.page
    expect(page.get_by_text("for your decision")).to_be_visible()
    page.get_by_role("button", name="See as a player").click()
    expect(page.get_by_text("You see what players see.")).to_be_visible()
    expect(page.get_by_text("for your decision")).to_have_count(0)
    page.get_by_role("button", name="Back to the GM's view").click()

    expect(page.get_by_text("for your decision")).to_be_visible()
    assert window.faults == []


def test_keyboard_reaches_the_page_and_the_pictures_table(window: Window, told: Campaign) -> None:
    window.open(HERE)
    page = window.page
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.get_by_text("As a table: Which people occur in which sessions").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("region", name="Which people occur in which sessions, as a table")).to_be_visible()
    assert window.faults == []


def test_printed_session_is_a_chronicle(window: Window, told: Campaign) -> None:
    window.enter("pia", f"{HERE}sessions/1/")
    window.page.emulate_media(media="print")

    for name in (".said p", ".scene-start h3", "h1"):
        expect(window.page.locator(name).first).to_be_visible()
    for name in (".masthead", ".campaign-head", ".said .at", ".reader-tools"):
        expect(window.page.locator(f"{name}:visible")).to_have_count(0)
        expect(window.page.locator(name).first).to_be_attached()
    assert window.faults == []


@pytest.mark.parametrize(
    "context",
    [{"color_scheme": "light"}, {"color_scheme": "dark", "viewport": {"width": 360, "height": 740}}],
    indirect=True,
)
def test_site_pages_have_no_grave_fault_and_fit_their_screen(
    window: Window, context: BrowserContext, whole: Campaign, axe: str
) -> None:
    window.enter("greta", HERE)
    found, wide = {}, {}
    for path in PAGES:
        window.open(path)
        wide[path] = overflow(window)
        window.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        window.page.evaluate(axe)
        found[path] = faults(window)

    assert {path: named for path, named in found.items() if named} == {}
    assert wide == dict.fromkeys(PAGES, 0)
    assert window.faults == []
