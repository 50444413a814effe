"""axe-core over each review page, light and dark; skipped where the package that brings it is not installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from campaigns.models import ArtifactVersion
from tests import factories
from tests.browser.conftest import Window
from tests.browser.stories import make_gm, make_session_of_all

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GRAVE = ("serious", "critical")
TAGS = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
# What passes is not told of element by element.
RUN = f"() => axe.run(document, {{runOnly: {TAGS}, resultTypes: ['violations']}})"


@pytest.fixture(scope="module")
def axe() -> str:
    spec = find_spec("axe_playwright_python")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("axe-core is not installed: axe-playwright-python brings it")
    return (Path(spec.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def made(transactional_db: None) -> dict[str, ArtifactVersion]:
    campaign = factories.make_campaign("salt-ferry")
    make_gm(campaign)
    return make_session_of_all(campaign, 1_200, turns=20)


@pytest.mark.parametrize("context", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True)
def test_review_pages_have_no_grave_fault_of_access(window: Window, made: dict[str, ArtifactVersion], axe: str) -> None:
    session = made["npcs"].artifact.session_id
    unit = made["combat-turns"].transcript.units.get(position=140).unit_id
    window.enter("greta", "/review/")
    found = {}
    for path in (
        "/",
        "/review/",
        f"/review/sessions/{session}/",
        f"/review/sessions/{session}/units?unit={unit}",
        f"/review/sessions/{session}/units?show=uncited&by=name:Bram",
        *(f"/review/versions/{version.pk}/?record=1&unit={unit}" for name, version in made.items() if name != "spells"),
    ):
        window.open(path)
        window.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        window.page.evaluate(axe)
        found[path] = faults(window)
        if "units" in path:
            window.page.keyboard.press("?")
            found[f"{path} keys"] = faults(window)

    assert {path: named for path, named in found.items() if named} == {}
    assert window.faults == []


def faults(window: Window) -> list[str]:
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:120]}"
        for fault in window.page.evaluate(RUN)["violations"]
        if fault["impact"] in GRAVE
    ]
