"""A folder of notes in which every link leads somewhere, and nothing that somebody said is more than text."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from campaigns.exports import vault
from campaigns.exports.files import Names, safe_name
from campaigns.exports.markdown import front_matter, link, plain
from campaigns.library.sight import Edition
from campaigns.models import Campaign, Unit
from tests.campaigns.exports.telling import sight, taken_out, tell

LINK = re.compile(r"(?<!\\)\[\[([^\]|#\\]+)(?:#\^(u\d+))?(?:\\?\|([^\]]*))?\]\]")
BLOCK = re.compile(r" \^(u\d+)$", re.MULTILINE)
HOSTILE = (
    "../../etc/passwd",
    "CON",
    "a/b\\c:d|e#f^g[[h]]",
    "<script>alert(1)</script>",
    "[[Home]] ![[secret]] [x](http://a) `= this`",
    "---\nkind: gm",
    "x ^u41\n\n# Heading\n- item\n1. one\n> quote",
    "%%hidden%% $x$ ==mark== ~~s~~ #tag <%tp%> &lt; {{a}}",
    "\u202egpj.exe",
    " . ",
    "Wick",
    "wick",
    "x" * 300,
)


def notes(files: dict[str, bytes]) -> dict[str, str]:
    return {path.removesuffix(".md"): data.decode() for path, data in files.items()}


def broken(found: dict[str, str]) -> list[str]:
    """Return the links that lead nowhere: to no note, or to a block that the note does not have."""
    blocks = {path: set(BLOCK.findall(text)) for path, text in found.items()}
    return [
        target.group()
        for text in found.values()
        for target in LINK.finditer(text)
        if target.group(1) not in found or (target.group(2) and target.group(2) not in blocks[target.group(1)])
    ]


@pytest.mark.parametrize("edition", list(Edition))
def test_every_link_leads_somewhere(campaign: Campaign, gm: User, edition: Edition) -> None:
    tell(campaign, gm)
    found = notes(taken_out(vault.files, sight(campaign, edition)))

    assert broken(found) == []
    assert "[[Sessions/Session 001 The ferry#^u50|Session 1, 50 to 52]]" in found["People/Wick"]
    assert "Wick! Did the eels come back? ^u51" in found["Sessions/Session 001 The ferry"]
    assert "[[Places/Saltwick (2)|Saltwick]]" in found["Home"]
    assert sum(len(LINK.findall(text)) for text in found.values()) > 20


def test_a_fight_is_a_table(campaign: Campaign, gm: User) -> None:
    tell(campaign, gm)
    lines = notes(taken_out(vault.files, sight(campaign)))["Sessions/Session 001 The ferry"].splitlines()
    at = lines.index("## Fight 1")
    row = next(line for line in lines[at:] if line.startswith("| 2 |"))

    assert "Corwen holds the longboat off." in row
    assert "raises the candle (Voss, the crew): the captain halts" in row
    assert len(re.findall(r"(?<!\\)\|", row)) == 6


def test_players_do_not_read_what_is_kept_from_them(campaign: Campaign, gm: User) -> None:
    tell(campaign, gm)
    whole, players = (
        notes(taken_out(vault.files, sight(campaign, edition)))["Sessions/Session 001 The ferry"]
        for edition in (Edition.GM, Edition.PLAYER)
    )

    assert "So the captain is dead." in whole
    assert "So the captain is dead." not in players
    assert len(players.splitlines()) < len(whole.splitlines())
    assert "passage" not in players


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("see https://example.org", r"see https\://example.org"),
        ("see obsidian://open", r"see obsidian\://open"),
        ("see WWW.example.org", r"see WWW\.example.org"),
        ("a@example.org", r"a\@example.org"),
        ("status:: dead", r"status:\: dead"),
        ("a ::: b", r"a :\:\: b"),
        ("Session 3: at 10:30.", "Session 3: at 10:30."),
    ],
)
def test_no_address_and_no_field_is_made_of_what_was_said(said: str, written: str) -> None:
    assert plain(said) == written


def test_hostile_names_stay_text_and_files_stay_in_their_folder(campaign: Campaign, gm: User) -> None:
    said = iter(HOSTILE * 100)
    tell(campaign, gm, lambda text: next(said)[:100])
    for at, unit in enumerate(Unit.objects.order_by("pk")):
        Unit.objects.filter(pk=unit.pk).update(
            speaker=HOSTILE[at % len(HOSTILE)][:100], text=HOSTILE[-at % len(HOSTILE)]
        )
    files = taken_out(vault.files, sight(campaign))
    found = notes(files)

    assert broken(found) == []
    for path in files:
        assert all(
            part == safe_name(part.removesuffix(".md")) + (".md" if part.endswith(".md") else "") or "(2)" in part
            for part in path.split("/")
        )
        assert len(path.encode()) < 255
    whole = "\n".join(found.values())
    assert "<script" not in whole
    assert "![[" not in whole.replace("\\[", "")
    assert len({path.casefold() for path in files}) == len(files)
    for text in found.values():
        _, head, body = text.split("---\n", 2)
        assert all(re.fullmatch(r"[a-z]+: .*", line) for line in head.splitlines())
        assert [line for line in body.splitlines() if re.match(r"(#|---|1\.|- item)", line) and "Heading" in line] == []


@given(st.text(max_size=60))
def test_names_of_files_are_names_everywhere(text: str) -> None:
    name = safe_name(text)

    assert name
    assert name == name.strip(" .")
    assert not re.search(r'[\\/:*?"<>|#^\[\]\x00-\x1f\u202e]', name)
    assert len(name) <= 90


def test_names_that_look_the_same_are_told_apart() -> None:
    names = Names()

    assert [names.of(each) for each in ("Wick", "wick", "Wick", "nul", "?")] == [
        "Wick",
        "wick (2)",
        "Wick (3)",
        "nul (name)",
        "unnamed",
    ]


@given(st.text(max_size=60))
def test_text_has_no_markup_left(text: str) -> None:
    line = plain(text)

    assert "\n" not in line
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]|~#^$%{}=]", line)
    assert "<" not in line
    assert not re.match(r"([-+]\s|\d+[.)])", line)


@given(st.text(max_size=40).filter(lambda text: "[[" not in text))
def test_front_matter_is_one_line_a_field_and_reads_back(text: str) -> None:
    written = front_matter([("name", text.encode("utf-8", "replace").decode())])
    lines = written.splitlines()

    assert lines[0] == lines[2] == "---"
    assert json.loads(lines[1].removeprefix("name: ")) == text.encode("utf-8", "replace").decode()


def test_a_link_in_a_table_does_not_end_the_cell() -> None:
    assert link("People/Wick", "Wick | ]] x", in_table=True) == r"[[People/Wick\|Wick x]]"
