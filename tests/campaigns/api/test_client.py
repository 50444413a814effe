"""A client generated from the document, used against a site that is served."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from campaigns.api.root import api
from tests.campaigns.api.world import World, build

if TYPE_CHECKING:
    from pytest_django.live_server_helper import LiveServer

# One worker: the client is generated once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("client")]
PACKAGE = "notarius_client"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The client's package, importable for as long as this module's tests run."""
    folder = tmp_path_factory.mktemp("client")
    document = folder / "openapi.json"
    document.write_bytes(orjson.dumps(api.document))
    # Formatting the client's sources would take longer than making them.
    (folder / "config.yml").write_text(f"package_name_override: {PACKAGE}\npost_hooks: []\n", encoding="utf-8")
    command = ["generate", "--path", str(document), "--meta", "none", "--output-path", str(folder / PACKAGE)]
    done = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", *command, "--config", str(folder / "config.yml")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ERROR" not in done.stdout + done.stderr
    sys.path.insert(0, str(folder))
    yield folder / PACKAGE
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def module(name: str) -> Any:  # Any: a module that is made by the test
    found: ModuleType = importlib.import_module(f"{PACKAGE}.{name}")
    return found


def test_client_has_every_operation(generated: Path) -> None:
    made = {file.stem for file in (generated / "api").rglob("*.py")} - {"__init__"}
    wanted = {operation["operationId"] for methods in api.document["paths"].values() for operation in methods.values()}

    assert made == wanted


def test_client_reads_reviews_and_is_refused(generated: Path, live_server: LiveServer, transactional_db: None) -> None:
    world: World = build()
    with module("client").AuthenticatedClient(base_url=live_server.url, token=world.tokens["gm"]) as client:
        people = module("api.registries.list_npcs").sync(world.ids["slug"], client=client, limit=10)
        entry = module("api.registries.get_npc").sync(world.ids["slug"], people.items[0].id, client=client, quotes=True)
        family = module("models.get_artifact_family").GetArtifactFamily
        artifact = module("api.artifacts.get_artifact").sync(
            world.ids["slug"], 1, family("combat-turns"), client=client
        )
        act = module("models.rename_in").RenameIn(act="rename", record=0, name="Dell of the lantern")
        made = module("api.reviews.review_version").sync(world.ids["version_id"], client=client, body=act)
        refused = module("api.reviews.review_version").sync_detailed(world.ids["version_id"], client=client, body=act)

    assert [person.name for person in people.items] == ["Wick"]
    assert "Wick" in entry.evidence[0].quote
    assert (artifact.schema, artifact.turns[0].actor) == ("notarius.dnd.combat-turns.v1", "Corwen")
    assert (made.version.state, made.decision.kind) == ("pending", "rename")
    assert (refused.status_code, refused.parsed.code) == (409, "version.stale")
