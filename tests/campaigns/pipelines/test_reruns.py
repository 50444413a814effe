"""What fails leaves the rest alone, and what ran is not run again."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from campaigns.adapters.providers import catalog
from campaigns.management import following
from campaigns.models import Artifact, ArtifactVersion, LaneRun, Run, Transcript
from campaigns.remedies import remedy_for
from extraction.canonical import JsonValue
from extraction.codes import Code
from extraction.errors import ProviderUnavailable
from extraction.registry import LANES
from tests import factories
from tests.campaigns.pipelines.conftest import RunPipeline
from tests.campaigns.pipelines.storyteller import RECONCILE, Storyteller

State = LaneRun.State
NPC_READERS = {"dnd/npc-occurrences", "dnd/spells", "dnd/combat-turns", "dnd/enemy-events"}
PAGES = 3


def states(run: Run) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for key, state in run.lanes.values_list("key", "state"):
        found.setdefault(state, set()).add(key)
    return found


@pytest.fixture
def failed(model: Storyteller, run_inline: RunPipeline) -> Run:
    """A complete run in which the endpoint was gone for one call: the second page of the NPCs."""
    down = ProviderUnavailable("The endpoint cannot be reached.")
    model.enqueue("dnd/npcs.extract", {"npcs": []}, down)
    return run_inline()


def test_failed_lane_blocks_its_readers_and_nobody_else(failed: Run) -> None:
    assert failed.state == Run.State.FAILED
    assert states(failed) == {
        State.FAILED: {"dnd/npcs"},
        State.BLOCKED: NPC_READERS,
        State.SUCCEEDED: set(LANES) - {"dnd/npcs"} - NPC_READERS,
    }


def test_blocked_lane_says_for_which_lane_and_what_to_do(failed: Run) -> None:
    (line,) = [line for line in following.failures(failed) if line.startswith("dnd/spells")]

    assert failed.lanes.get(key="dnd/spells").error_code == Code.RUN_BLOCKED
    assert "dnd/npcs" in line
    assert remedy_for(Code.RUN_BLOCKED) in line


def test_blocked_lane_published_nothing(failed: Run) -> None:
    assert set(Artifact.objects.values_list("lane", flat=True)) == set(LANES) - {"dnd/npcs"} - NPC_READERS


def test_failed_scenes_block_everything(model: Storyteller, run_inline: RunPipeline) -> None:
    model.enqueue("dnd/scenes.extract", ProviderUnavailable("The endpoint cannot be reached."))

    run = run_inline()

    assert states(run) == {State.FAILED: {"dnd/scenes"}, State.BLOCKED: set(LANES) - {"dnd/scenes"}}


def test_new_run_repeats_only_what_is_missing(model: Storyteller, run_inline: RunPipeline, failed: Run) -> None:
    model.requests.clear()

    run = run_inline()

    assert run.state == Run.State.SUCCEEDED
    expected = Counter({"dnd/npcs.extract": PAGES - 1, RECONCILE: 1})
    expected.update({f"{key}.extract": PAGES for key in NPC_READERS})
    assert model.calls() == expected


def test_run_of_the_blocked_lanes_alone_takes_scenes_from_the_archive(
    model: Storyteller, run_inline: RunPipeline, failed: Run
) -> None:
    model.requests.clear()
    lanes = ",".join(["dnd/npcs", *sorted(NPC_READERS)])

    run = run_inline("--lanes", lanes)

    assert states(run) == {State.SUCCEEDED: {"dnd/npcs", *NPC_READERS}}
    assert model.calls()["dnd/npcs.extract"] == PAGES - 1
    assert {request.prompt_id for request in model.requests}.isdisjoint({"dnd/scenes.extract", "dnd/items.extract"})


def test_run_with_nothing_changed_asks_nothing_and_makes_no_version(
    model: Storyteller, run_inline: RunPipeline
) -> None:
    run_inline()
    before = list(ArtifactVersion.objects.order_by("pk").values_list("pk", "manifest"))
    model.requests.clear()

    run = run_inline()

    assert run.state == Run.State.SUCCEEDED
    assert model.requests == []
    assert list(ArtifactVersion.objects.order_by("pk").values_list("pk", "manifest")) == before
    assert sum(lane.calls for lane in run.lanes.all()) == 0


@pytest.fixture
def assets(settings: LazySettings, tmp_path: Path) -> Iterator[Path]:
    """A copy of the prompts, for the test to change."""
    folder = Path(shutil.copytree(settings.ASSETS_DIR / "dnd", tmp_path / "dnd"))
    settings.ASSETS_DIR = tmp_path
    catalog.cache_clear()
    yield folder
    catalog.cache_clear()


@pytest.mark.parametrize(
    ("file", "prompt"),
    [
        pytest.param("items/instructions.md", "dnd/items.extract", id="registry"),
        pytest.param("items/reconcile.md", "dnd/items.reconcile", id="reconciliation"),
        pytest.param("combat_turns/instructions.md", "dnd/combat-turns.extract", id="turns"),
        pytest.param("location_occurrences/instructions.md", "dnd/location-occurrences.extract", id="occurrences"),
        pytest.param("scenes/instructions.md", "dnd/scenes.extract", id="scenes"),
    ],
)
def test_changed_prompt_repeats_the_calls_of_its_lane_alone(
    model: Storyteller, run_inline: RunPipeline, assets: Path, file: str, prompt: str
) -> None:
    run_inline()
    asked = model.calls()[prompt]
    model.requests.clear()
    with (assets / file).open("a", encoding="utf-8") as changed:
        changed.write("\nOne more sentence.\n")
    catalog.cache_clear()

    run_inline()

    assert model.calls() == Counter({prompt: asked})


def test_changed_output_repeats_the_calls_of_its_readers(
    model: Storyteller, run_inline: RunPipeline, assets: Path
) -> None:
    """The items' prompt is another one, and the model finds less."""
    run_inline()
    model.requests.clear()
    with (assets / "items" / "instructions.md").open("a", encoding="utf-8") as changed:
        changed.write("\nOne more sentence.\n")
    catalog.cache_clear()
    # The items begin at the second page and end with the first.
    model.enqueue("dnd/items.extract", {"items": []}, {"items": [item("The Candle", 202)]}, {"items": []})

    run_inline()

    assert model.calls() == Counter({"dnd/items.extract": PAGES, "dnd/item-occurrences.extract": PAGES})


def test_published_registry_with_other_member_names_repeats_the_calls(
    model: Storyteller, run_inline: RunPipeline, transcript: Transcript
) -> None:
    version = factories.make_version(transcript)
    run_inline("--pipeline", "combat")
    again = run_inline("--pipeline", "combat").lanes.get().calls
    payload: Any = factories.npcs_payload(transcript)["npcs"]
    members = [{"name": "Aurelio Voss"}, {"name": "The Captain"}]
    ArtifactVersion.objects.filter(pk=version.pk).update(state="superseded")
    factories.make_version(transcript, consolidations={"applied": [{"id": payload[-1]["id"], "members": members}]})

    changed = run_inline("--pipeline", "combat").lanes.get().calls

    assert (again, changed) == (0, PAGES)


def item(name: str, unit: int) -> dict[str, JsonValue]:
    return {"name": name, "source_refs": [{"start_unit_id": unit, "end_unit_id": unit}]}
