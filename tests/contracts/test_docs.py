"""The documentation names tests, files, settings, commands and codes. All of them exist."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import get_commands

from campaigns.actions.staleness import PROMPT, REGISTRY, RULES, SCHEMA, TRANSCRIPT
from campaigns.api.shown import ArtifactOut
from extraction.codes import Code
from extraction.llm import profiles

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *DOCS]
PRODUCT = ("extraction", "campaigns", "notarius_site")
# Handed from the supervisor to the processes that it starts; nobody sets them.
INTERNAL = {"NOTARIUS_SUPERVISOR", "NOTARIUS_SUPERVISOR_PIPE"}
MANAGE = r"\b(?:manage\.py|notarius-manage)"
LOOKS_LIKE_A_FILE = {"py", "md", "toml", "json", "txt", "html", "css", "js", "vtt", "srt", "sqlite"}

EVERY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


@pytest.fixture(scope="module")
def settings_read() -> set[str]:
    """The NOTARIUS_ variables that the product reads, secrets by file among them."""
    return {*_settings_in_the_sources(), *_settings_of_profiles()} - INTERNAL


@EVERY_PAGE
def test_tests_named_in_the_documentation_exist(page: Path) -> None:
    named = re.findall(r"\b(tests/[\w/]+\.py)(?:::(\w+))?", page.read_text(encoding="utf-8"))
    missing = [f"{file}::{name}" for file, name in named if name not in {"", *_functions(ROOT / file)}]

    assert [file for file, _ in named if not (ROOT / file).is_file()] == []
    assert missing == []


def test_acceptance_tables_name_tests() -> None:
    text = (ROOT / "docs" / "dnd.md").read_text(encoding="utf-8")
    _, tables = text.split("## Which tests show it")
    rows = re.findall(r"^\| (?!line \||---)(.+?) \| (.+) \|$", tables, flags=re.MULTILINE)

    assert rows
    assert [line for line, shown in rows if "::test_" not in shown and "**No test.**" not in shown] == []


def test_every_threat_names_a_test_of_what_contains_it() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!who \||---)(.+?) \|.*\| (.+) \|$", text, flags=re.MULTILINE)
    who = (
        "uploader",
        "player",
        "model output",
        "words in a transcript",
        "API consumer",
        "receiver",
        "assistant",
        "neighbour",
    )

    assert [threat for threat in who if not any(threat in row for row, _ in rows)] == []
    assert [row for row, shown in rows if "`tests/" not in shown] == []


def test_every_promise_names_what_tests_it_and_whether_it_runs_each_time() -> None:
    text = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!promise \||---)(.+?) \| (.+?) \| (.+?) \| (.+?) \|$", text, flags=re.MULTILINE)

    assert len(rows) >= 18
    for promise, _, shown, state in rows:
        assert re.search(r"`(tests/|make |python -m )", shown), promise
        assert re.search(r"in the suite|long form", state), promise
        assert ("`tests/" in shown) is ("in the suite" in state), promise


@EVERY_PAGE
def test_relative_links_resolve(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", _without_code_blocks(page))
    relative = [target for target in targets if not re.match(r"[a-z]+:", target)]

    assert [target for target in relative if not (page.parent / target).exists()] == []


@EVERY_PAGE
def test_settings_named_in_the_documentation_exist(page: Path, settings_read: set[str]) -> None:
    named = set(re.findall(r"\bNOTARIUS_[A-Z_]*[A-Z]\b", page.read_text(encoding="utf-8")))

    assert named <= settings_read


def test_settings_of_the_code_are_documented(settings_read: set[str]) -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in DOCS)
    documented = set(re.findall(r"\bNOTARIUS_[A-Z_]*[A-Z]\b", text))

    assert "NOTARIUS_DATA_DIR" in settings_read
    assert settings_read - documented == set()


@EVERY_PAGE
def test_commands_named_in_the_documentation_exist(page: Path) -> None:
    named = set(re.findall(rf"{MANAGE} ([a-z_]+)", page.read_text(encoding="utf-8")))

    assert named <= set(get_commands())


def test_own_commands_are_documented() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    own = {name for name, app in get_commands().items() if app == "campaigns"}

    assert own
    # The cluster is what `work` starts.
    assert [name for name in sorted(own - {"cluster"}) if not re.search(rf"{MANAGE} {name}\b", text)] == []


@EVERY_PAGE
def test_codes_named_in_the_documentation_exist(page: Path) -> None:
    areas = {code.value.partition(".")[0] for code in Code if "." in code.value}
    spans = re.findall(r"`([a-z_]+)\.([a-z_]+)`", page.read_text(encoding="utf-8"))
    named = {f"{area}.{name}" for area, name in spans if area in areas and name not in LOOKS_LIKE_A_FILE}

    assert named <= {code.value for code in Code}


def test_reasons_why_an_artifact_is_stale_are_told_with_an_example_of_their_shape() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    section = page.partition("## What is out of date")[2].partition("\n## ")[0]
    example = json.loads(section.partition("```json")[2].partition("```")[0])
    shown = ArtifactOut.model_validate(example, extra="forbid")
    told = {name for row in re.findall(r"^\| (`.*?) \|", section, re.M) for name in re.findall(r"`(\w+)`", row)}

    assert shown.stale
    assert {one.reason for one in shown.stale} <= told
    assert told - {"reason"} == {REGISTRY, TRANSCRIPT, RULES, PROMPT, SCHEMA}


def test_the_example_of_a_profiles_file_is_read_and_has_every_part_of_a_price(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "llm.md").read_text(encoding="utf-8")
    file = tmp_path / "profiles.toml"
    file.write_text(page.partition("```toml")[2].partition("```")[0], encoding="utf-8")
    found = profiles.load_profiles({"CAREFUL_KEY": "only-for-tests"}, file)["careful"]

    assert {"price_prompt", "price_completion", "price_cached", "currency"} <= found.model_fields_set


def _functions(file: Path) -> set[str]:
    if not file.is_file():
        return set()
    return {node.name for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.FunctionDef)}


def _without_code_blocks(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _settings_in_the_sources() -> Iterator[str]:
    for package in PRODUCT:
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    if re.fullmatch(r"NOTARIUS_[A-Z_]*[A-Z]", node.value):
                        yield node.value
                elif isinstance(node, ast.Call) and ast.unparse(node.func) == "env.secret":
                    yield from _files_of_secrets(node)


def _files_of_secrets(call: ast.Call) -> Iterator[str]:
    for argument in call.args:
        name = argument.value if isinstance(argument, ast.Constant) else None
        if isinstance(name, str) and name.startswith("NOTARIUS_"):
            yield f"{name}_FILE"


def _settings_of_profiles() -> Iterator[str]:
    names = {field.upper() for field in profiles.Profile.model_fields if field not in profiles.NOT_VARIABLES}
    return (profiles.PREFIX + name for name in sorted({*names, *profiles.RENAMED, *profiles.NOT_FIELDS}))
