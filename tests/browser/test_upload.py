"""A transcript is uploaded, looked at, named, stored and corrected: with and without scripts, on a phone, by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from pytest_django import Settings

from campaigns.actions import corrections
from campaigns.models import Campaign, GlossaryTerm, RosterEntry, Transcript
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm
from tests.browser.test_reading_axe import axe as axe  # a fixture
from tests.browser.test_reading_axe import faults
from tests.browser.test_review import SIZES, overflow
from tests.standard import UNITS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LINES = "SPEAKER_05: The fairy is late, she said.\nIda: Then I swim to Saltwick.\n"


@pytest.fixture
def campaign(transactional_db: None) -> Campaign:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    RosterEntry.objects.create(campaign=campaign, kind="gm", player="Joost", speaker_labels=["Joost"])
    GlossaryTerm.objects.create(campaign=campaign, term="the Ferry", heard_as=["the fairy"])
    return campaign


def graves(window: Window, axe: str) -> list[str]:
    window.page.evaluate(axe)
    return faults(window)


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path


@pytest.mark.parametrize("context", [{}, {"java_script_enabled": False}], indirect=True, ids=["scripts", "none"])
def test_transcript_is_looked_at_named_stored_and_corrected(window: Window, campaign: Campaign, tmp_path: Path) -> None:
    file = tmp_path / "night.txt"
    file.write_text(LINES)
    window.enter("greta", "/review/")
    window.open("/")
    page = window.page
    page.get_by_role("link", name="Upload a transcript").click()
    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Look at it").click()
    expect(page.get_by_text("2 units, 2 speakers")).to_be_visible()
    page.get_by_text("Name a speaker anew").click()
    page.get_by_label("SPEAKER_05").fill("Joost")
    page.get_by_label("Encoding").press("Enter")
    expect(page.get_by_role("row", name="Joost 1 Joost, GM")).to_be_visible()
    assert not Transcript.objects.exists()

    page.get_by_role("button", name="Store it").click()
    expect(page.get_by_text("Stored 2 units as salt-ferry.s1.t1.")).to_be_visible()

    page.get_by_role("link", name="Speakers and names").click()
    page.get_by_label("Write “the fairy” as the Ferry").check()
    page.get_by_role("button", name="Correct the chosen").click()
    expect(page.get_by_text("This is revision 2 now")).to_be_visible()
    assert Transcript.objects.get(revision=2).units.get(position=0).text == "the Ferry is late, she said."
    assert window.faults == []


def test_a_unit_is_corrected_from_the_reading_view_by_keys(window: Window, campaign: Campaign) -> None:
    session = factories.make_transcript(factories.make_session(campaign, 3)).session
    unit = UNITS[3]
    window.enter("greta", f"/review/sessions/{session.pk}/units?unit={unit.unit_id}")
    page = window.page
    page.get_by_role("link", name=f"Correct unit {unit.unit_id}").press("Enter")
    field = page.get_by_role("textbox", name="Split")
    field.press("ControlOrMeta+Home")
    field.press("ControlOrMeta+ArrowRight")
    field.press("Enter")
    page.get_by_role("button", name="Split at the line breaks").press("Enter")
    expect(page.get_by_text("This is revision 2 now")).to_be_visible()
    page.get_by_role("link", name="What became of the evidence").press("Enter")
    expect(page.get_by_role("heading", name="What became of the evidence")).to_be_visible()

    made = session.transcripts.get(revision=2)
    assert made.unit_count == len(UNITS) + 1
    first, second = made.units.filter(position__in=(3, 4)).order_by("position")
    assert f"{first.text} {second.text}".split() == unit.text.split()
    assert window.faults == []


@pytest.mark.parametrize("context", SIZES.values(), indirect=True, ids=SIZES)
def test_pages_of_a_transcript_fit_the_window_and_have_no_grave_fault_of_access(
    window: Window, campaign: Campaign, tmp_path: Path, axe: str
) -> None:
    file = tmp_path / "night.vtt"
    file.write_text(f"{LINES}{'Yun' * 40}: {'hm' * 200}\n\n# A heading\n")
    transcript = factories.make_transcript(factories.make_session(campaign, 3))
    factories.make_version(transcript)
    corrections.reword_unit(session=transcript.session, unit_id=UNITS[3].unit_id, text="Word" * 80, by=None)
    window.enter("greta", "/campaigns/salt-ferry/upload/")
    found = {"form": (overflow(window), graves(window, axe))}
    window.page.get_by_label("File").set_input_files(file)
    window.page.get_by_role("button", name="Look at it").click()
    window.page.get_by_role("button", name="Store it").wait_for()
    window.page.wait_for_load_state()
    window.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    found["preview"] = (overflow(window), graves(window, axe))
    window.open("/campaigns/salt-ferry/sessions/3/transcript/")
    found["corrections"] = (overflow(window), graves(window, axe))
    window.open(f"/campaigns/salt-ferry/sessions/3/transcript/units/{UNITS[3].unit_id}/")
    found["unit"] = (overflow(window), graves(window, axe))
    window.open("/campaigns/salt-ferry/sessions/3/transcript/evidence/")
    found["evidence"] = (overflow(window), graves(window, axe))

    assert {name: each for name, each in found.items() if each != (0, [])} == {}
    assert window.faults == []
