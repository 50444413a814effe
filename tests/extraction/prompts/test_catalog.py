from __future__ import annotations

from pathlib import Path

import pytest

from extraction.codes import Code
from extraction.errors import PromptError
from extraction.llm.boundary import Role
from extraction.prompts.catalog import Catalog, Prompt, Style

GOOD = """
[prompts.extract]
response = "keepers"
[[prompts.extract.parts]]
role = "system"
fragment = "shared/rules.md"
[[prompts.extract.parts]]
role = "user"
material = "table"
heading = "TABLE:"
[[prompts.extract.parts]]
cache_boundary = true
[[prompts.extract.parts]]
role = "user"
material = "transcript"
heading = "TRANSCRIPT:"
style = "units"
"""


def write(root: Path, manifest: str = GOOD, fragment: bytes = b"Read on.\n") -> Path:
    for folder in ("light_houses", "shared"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "light_houses" / "manifest.toml").write_text(manifest, encoding="utf-8")
    (root / "shared" / "rules.md").write_bytes(fragment)
    return root


def load(root: Path, manifest: str = GOOD, fragment: bytes = b"Read on.\n") -> Prompt:
    return Catalog.load(write(root, manifest, fragment))["sea/light-houses.extract"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "sea"


def test_load_reads_parts_in_declared_order(root: Path) -> None:
    prompt = load(root)

    assert [(part.role, part.text, part.material) for part in prompt.parts] == [
        (Role.SYSTEM, "Read on.", None),
        (Role.USER, None, "table"),
        (None, None, None),
        (Role.USER, None, "transcript"),
    ]
    assert prompt.materials == ("table", "transcript")
    assert (prompt.response, prompt.parts[1].style, prompt.parts[3].style) == ("keepers", Style.JSON, Style.UNITS)


MISTAKES = [
    pytest.param(GOOD + "colour = 1", "colour", id="unknown-key-in-part"),
    pytest.param(GOOD.replace("response =", "respond ="), "prompts.extract.response", id="unknown-key-in-prompt"),
    pytest.param(GOOD + "\n[other]\na = 1", "other", id="unknown-table"),
    pytest.param(GOOD.replace('"shared/rules.md"', '"shared/none.md"'), "none.md", id="missing-fragment"),
    pytest.param(GOOD.replace('"shared/rules.md"', '"../outside.md"'), "outside.md", id="fragment-outside"),
    pytest.param(GOOD.replace('"shared/rules.md"', '"shared"'), "'shared'", id="fragment-is-a-folder"),
    pytest.param(GOOD.replace('role = "system"', 'role = "wizard"'), "parts.0.role", id="unknown-role"),
    pytest.param(GOOD.replace('style = "units"', 'style = "verse"'), "parts.3.style", id="unknown-style"),
    pytest.param(GOOD.replace('heading = "TABLE:"', ""), "parts.1", id="material-without-heading"),
    pytest.param(GOOD.replace('role = "system"\n', ""), "parts.0", id="fragment-without-role"),
    pytest.param(GOOD.replace("cache_boundary", 'role = "user"\ncache_boundary'), "parts.2", id="boundary-with-role"),
    pytest.param(GOOD.replace('material = "table"', 'material = "transcript"'), "twice", id="material-twice"),
    pytest.param(GOOD + "[[prompts.extract.parts]]\ncache_boundary = true", "cache boundary", id="two-boundaries"),
    pytest.param(GOOD + '[[prompts.extract.parts]]\nrole = "user"', "parts.4", id="empty-part"),
    pytest.param("[prompts", "not valid TOML", id="bad-toml"),
    pytest.param("", "prompts", id="empty-file"),
]


@pytest.mark.parametrize(("manifest", "named"), MISTAKES)
def test_load_refuses_a_wrong_manifest_and_names_it(root: Path, manifest: str, named: str) -> None:
    (root.parent / "outside.md").write_text("Secret.")
    with pytest.raises(PromptError) as raised:
        load(root, manifest)

    assert raised.value.code is Code.PROMPT_INVALID
    assert "light_houses/manifest.toml" in str(raised.value)
    assert named in str(raised.value)
    assert str(root) not in str(raised.value)


def test_load_refuses_a_fragment_behind_a_link_that_leads_outside(root: Path) -> None:
    write(root)
    (root.parent / "outside.md").write_text("Secret.")
    (root / "shared" / "rules.md").unlink()
    (root / "shared" / "rules.md").symlink_to(root.parent / "outside.md")
    with pytest.raises(PromptError, match=r"rules\.md"):
        Catalog.load(root)


@pytest.mark.parametrize("file", ["shared/rules.md", "light_houses/manifest.toml"])
def test_load_refuses_what_is_not_utf8(root: Path, file: str) -> None:
    write(root)
    (root / file).write_bytes(b"\xff\xfe\xff")
    with pytest.raises(PromptError, match="UTF-8"):
        Catalog.load(root)


def test_unknown_prompt_is_a_prompt_error(root: Path) -> None:
    with pytest.raises(PromptError, match=r"sea/none\.extract"):
        Catalog.load(write(root))["sea/none.extract"]


@pytest.mark.parametrize(
    "fragment", [b"Read on.", b"Read on.\n\n", b"Read on. ", b"\nRead on.\n", b"read on.\n"], ids=repr
)
def test_digest_changes_with_the_exact_bytes_of_a_fragment(root: Path, fragment: bytes) -> None:
    assert load(root).digest != load(root, fragment=fragment).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"TABLE:"', '"Table:"', id="heading"),
        pytest.param('"keepers"', '"people"', id="response"),
        pytest.param('style = "units"', 'style = "json"', id="style"),
        pytest.param('role = "system"', 'role = "user"', id="role"),
        pytest.param('material = "table"', 'material = "party"', id="material"),
        pytest.param("[[prompts.extract.parts]]\ncache_boundary = true\n", "", id="boundary-gone"),
    ],
)
def test_digest_changes_with_the_manifest(root: Path, old: str, new: str) -> None:
    assert GOOD.count(old) == 1
    assert load(root).digest != load(root, GOOD.replace(old, new)).digest


def test_digest_changes_with_the_declared_order(root: Path) -> None:
    head, *parts = GOOD.split("[[prompts.extract.parts]]")
    turned = "[[prompts.extract.parts]]".join([head, parts[1], parts[0], *parts[2:]])

    assert load(root).digest != load(root, turned).digest


def test_digest_is_stable_and_ignores_comments(root: Path) -> None:
    assert load(root).digest == load(root, "# a comment\n" + GOOD).digest
