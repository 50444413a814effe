"""The admin's numbers on a desk and a phone, in light and dark: everything can be reached, and nothing is too wide."""

from __future__ import annotations

import pytest
from django.utils import timezone

from campaigns.actions import plans, pulses
from campaigns.models import LaneRun, Run
from extraction.llm.prices import Prices
from tests import factories
from tests.browser.conftest import Window
from tests.browser.test_reading_axe import axe, faults

__all__ = ["axe"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"viewport": {"width": 360, "height": 740}}
DARK = {"color_scheme": "dark"}
PRICES = Prices(prompt=2.0, cached=0.5, completion=8.0, currency="EUR")


@pytest.fixture
def used(transactional_db: None) -> None:
    """Two campaigns' runs with tokens and cost, one of them running, and a site admin."""
    factories.make_user("ada", staff=True, superuser=True)
    pulses.stamp(kind=pulses.SUPERVISOR, name="here", at=timezone.now())
    for name, state, tokens in (("The Salt Ferry", "succeeded", 400_000), ("The Glass Tithe", "running", 90_000)):
        transcript = factories.make_transcript(factories.make_session(factories.make_campaign(name=name)))
        lanes = ("dnd/npcs", "dnd/locations")
        planned = [plans.PlannedLane(lane=lane, step=0, profile=f"for {lane}", prices=PRICES) for lane in lanes]
        run = factories.make_run(transcript, lanes=lanes, state=state)
        Run.objects.filter(pk=run.pk).update(plan=plans.to_json(planned))
        run.lanes.update(calls=12, prompt_tokens=tokens, cached_tokens=tokens // 4, completion_tokens=tokens // 8)
    LaneRun.objects.filter(key="dnd/npcs").update(prompt_tokens=30_000, completion_tokens=20_000)


@pytest.mark.parametrize("context", [{}, DARK, PHONE, {**DARK, **PHONE}], indirect=True)
def test_numbers_are_read_at_a_desk_and_on_a_phone(window: Window, used: None, axe: str) -> None:
    window.enter("ada", "/admin/")
    window.open("/admin/numbers/")
    for summary in window.page.locator("summary").all():
        summary.press("Enter")
    window.page.evaluate(axe)

    assert window.page.locator("details[open]").count() == 2
    assert faults(window) == []
    assert not window.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    cost = window.page.get_by_role("meter", name="Share of EUR of The Salt Ferry")
    assert 0.5 < float(cost.evaluate("meter => meter.value / meter.max")) < 1
    assert window.faults == []
