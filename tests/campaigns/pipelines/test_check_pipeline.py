from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from campaigns.actions import plans
from extraction.registry import LANES

GOOD = """
name = "mine"
[[steps]]
[[steps.lanes]]
lane = "dnd/npc-occurrences"
profile = "strong"
[[steps.lanes]]
lane = "dnd/combat-turns"
"""


def check(given: object) -> str:
    out = StringIO()
    call_command("check_pipeline", str(given), stdout=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


@pytest.mark.parametrize("name", sorted(file.stem for file in plans.PIPELINES.glob("*.toml")))
def test_bundled_pipelines_are_right(name: str) -> None:
    shown = check(name)

    for step, lane in plans.named_pipeline(name).lanes():
        assert f"Step {step + 1}" in shown
        assert f"{lane.lane}: profile {lane.profile} (rules)" in shown


def test_complete_binds_every_slot_in_the_run() -> None:
    shown = check("complete")

    slots = sum(len(lane.slots) for lane in LANES.values())
    assert shown.count("of the same run") == slots > 0
    assert "of the session" not in shown


def test_file_shows_what_would_come_from_the_archive(file: Path) -> None:
    file.write_text(GOOD.replace('profile = "strong"', ""), encoding="utf-8")

    npcs = [line for line in check(file).splitlines() if line.startswith("    npcs: dnd/npcs of the session")]
    assert len(npcs) == 2
    assert "must be there" in npcs[0]
    assert "or nothing" in npcs[1]


def test_unknown_profile_is_a_mistake_after_the_listing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(GOOD, encoding="utf-8")

    with pytest.raises(CommandError, match=r"^mine\.toml: .*'strong'.*default") as caught:
        call_command("check_pipeline", str(file))

    assert caught.value.returncode == 1
    assert "profile strong (not configured)" in capsys.readouterr().out


def test_every_mistake_has_a_line_of_its_own(file: Path) -> None:
    file.write_text(GOOD.replace("combat-turns", "ghosts").replace('name = "mine"', "speed = 1"), encoding="utf-8")

    with pytest.raises(CommandError) as caught:
        check(file)

    lines = str(caught.value).splitlines()
    assert [line.split(": ")[1] for line in lines] == ["name", "steps.0.lanes.1.lane", "speed"]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        pytest.param("nothing", "complete", id="unknown-name"),
        pytest.param("no/such.toml", "no/such.toml", id="no-file"),
        pytest.param(".", "there are", id="dot"),
        pytest.param("./", "folder", id="folder"),
        pytest.param("\0.toml", "NUL", id="nul"),
    ],
)
def test_what_is_no_pipeline_is_one_sentence(given: str, named: str) -> None:
    with pytest.raises(CommandError, match=named) as caught:
        check(given)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "named"),
    [pytest.param(b"\xff\xfe\x00", "UTF-8", id="binary"), pytest.param(b"#" * 1_000_001, "larger", id="huge")],
)
def test_file_that_cannot_be_read_is_one_sentence(file: Path, data: bytes, named: str) -> None:
    file.write_bytes(data)

    with pytest.raises(CommandError, match=named):
        check(file)


def test_byte_order_mark_is_no_mistake(file: Path) -> None:
    file.write_text(GOOD.replace('profile = "strong"', ""), encoding="utf-8-sig")

    assert "Pipeline mine" in check(file)
