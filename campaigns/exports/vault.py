"""A folder that opens as an Obsidian vault: a note for each entry and each evening, linked with each other.

A note of an evening holds its transcript, each unit a block of the name `^u<unit id>`, so that a quote in the note of
an entry leads to the very lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.exports.book import Book, Told, bare_title, book_of, said
from campaigns.exports.files import ExportFile, Names, Progress
from campaigns.exports.markdown import front_matter, link, plain, table
from campaigns.joining import Citation
from campaigns.library.artifacts import records
from campaigns.library.fights import Fight, Turn, fights
from campaigns.library.registry import Full
from campaigns.library.sessions import SessionLine
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from campaigns.library.transcripts import Reading, quotes

FOLDERS = {"npc": "People", "item": "Items", "location": "Places"}


@dataclass(frozen=True, slots=True)
class Vault:
    """Where everything stands: paths of notes without their suffix, and the blocks that evenings have."""

    book: Book
    notes: Mapping[tuple[str, str], str]
    evenings: Mapping[int, str]
    blocks: Mapping[int, frozenset[int]]

    def entry(self, kind: str, entity_id: str, *, in_table: bool = False) -> str:
        """Return a link to the entry that the id leads to, empty where it leads to none."""
        line = self.book.leads[kind].get(entity_id)
        return link(self.notes[kind, line.entity_id], line.name, in_table=in_table) if line else ""

    def evening(self, number: int, unit_id: int | None = None, text: str = "", *, in_table: bool = False) -> str:
        """Return a link to the evening, to the unit's block where it has one."""
        block = f"u{unit_id}" if unit_id in self.blocks[number] else ""
        return link(self.evenings[number], text or f"Session {number}", block=block, in_table=in_table)

    def proof(self, number: int, refs: Iterable[Mapping[str, Any]], *, in_table: bool = True) -> str:
        """Return links to where the references begin."""
        return ", ".join(
            self.evening(
                number, ref["start_unit_id"], _range(ref["start_unit_id"], ref["end_unit_id"]), in_table=in_table
            )
            for ref in refs
        )


def files(sight: Sight, progress: Progress) -> Iterator[ExportFile]:
    """Yield the notes of the vault."""
    book = book_of(sight)
    vault = _vault(book)
    yield _note("Home", _home(vault))
    for kind, entries in book.entries.items():
        for entry in entries:
            yield _note(vault.notes[kind, entry.entity_id], _entry(vault, kind, entry))
    progress(1, book.steps)
    for done, evening in enumerate(book.sessions, start=2):
        yield _note(vault.evenings[evening.number], _evening(vault, evening))
        progress(done, book.steps)


def _vault(book: Book) -> Vault:
    notes: dict[tuple[str, str], str] = {}
    for kind, entries in book.entries.items():
        names = Names()
        for entry in entries:
            notes[kind, entry.entity_id] = f"{FOLDERS[kind]}/{names.of(entry.name)}"
    names = Names()
    evenings, blocks = {}, {}
    for line in book.sessions:
        evenings[line.number] = f"Sessions/{names.of(f'Session {line.number:03} {bare_title(line)}')}"
        found = said(book.sight, line.number)
        blocks[line.number] = frozenset(at.unit_id for at in found.lines) if found else frozenset()
    return Vault(book, notes, evenings, blocks)


def _note(path: str, lines: Iterable[str]) -> ExportFile:
    text = "\n".join(lines).rstrip() + "\n"
    return ExportFile(f"{path}.md", text.encode("utf-8", "replace"))


def _home(vault: Vault) -> Iterator[str]:
    yield front_matter([("campaign", vault.book.sight.campaign.name), ("edition", vault.book.sight.edition.value)])
    yield f"# {plain(vault.book.sight.campaign.name)}"
    yield ""
    yield "## Sessions"
    yield ""
    yield from (f"- {vault.evening(line.number)} {plain(bare_title(line))}".rstrip() for line in vault.book.sessions)
    for kind, entries in vault.book.entries.items():
        if entries:
            yield f"\n## {FOLDERS[kind]}\n"
            yield from (f"- {vault.entry(kind, entry.entity_id)}" for entry in entries)


def _entry(vault: Vault, kind: str, entry: Full) -> Iterator[str]:
    yield front_matter(
        [
            ("kind", kind),
            ("id", entry.entity_id),
            ("name", entry.name),
            ("aliases", entry.also_called),
            ("sessions", entry.sessions),
        ]
    )
    yield f"# {plain(entry.name)}"
    yield ""
    if entry.also_called:
        yield f"Also called {', '.join(plain(name) for name in entry.also_called)}."
        yield ""
    told = vault.book.occurrences.get((kind, entry.entity_id), [])
    rows = [_occurrence(vault, each) for each in told]
    if rows:
        yield "## What happened"
        yield ""
        yield from table(("Session", "What", "Who", "Where"), rows)
    yield "## Evidence"
    yield ""
    yield from _evidence(vault, entry.evidence)


def _occurrence(vault: Vault, told: Told) -> Sequence[str]:
    record = told.record
    people = [plain(record[name]) for name in ("actor", "recipient") if record.get(name)]
    what = ": ".join(part for part in (record["kind"], plain(record.get("detail") or "")) if part)
    evening = vault.evening(told.session, in_table=True)
    return (evening, what, " → ".join(people), vault.proof(told.session, record["source_refs"]))


def _evidence(vault: Vault, evidence: Sequence[Citation]) -> Iterator[str]:
    words = quotes(vault.book.sight, evidence)
    for cited in evidence:
        where = _range(cited.start_unit_id, cited.end_unit_id)
        text = f"Session {cited.session}, {where}"
        yield f"- {vault.evening(cited.session, cited.start_unit_id, text)}"
        quote = words.get(cited)
        if quote:
            yield ""
            yield from (f"  > {plain(line)}" for line in quote.split("\n"))
            yield ""


def _evening(vault: Vault, line: SessionLine) -> Iterator[str]:
    sight = vault.book.sight
    yield front_matter([("session", line.number), ("title", line.title), ("played", line.played.date().isoformat())])
    title = bare_title(line)
    yield f"# Session {line.number}{': ' if title else ''}{plain(title)}"
    yield ""
    yield from _section("Scenes", _scenes(vault, line.number))
    for kind, source in KINDS.items():
        ids = dict.fromkeys(record[source.id_field] for record in records(sight, line.number, source.occurrences))
        links = dict.fromkeys(filter(None, (vault.entry(kind, entity_id) for entity_id in ids)))
        yield from _section(FOLDERS[kind], [*(f"- {each}" for each in links), ""] if links else [])
    for fight in fights(sight, line.number):
        yield from _section(f"Fight {fight.number}", _fight(vault, line.number, fight))
    yield from _section("Spells", _spells(vault, line.number))
    yield from _section("Enemies", _enemies(vault, line.number))
    found = said(sight, line.number)
    if found is not None:
        yield from _section("Transcript", _transcript(found))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    body = list(lines)
    if body:
        yield from (f"## {title}", "", *body)


def _scenes(vault: Vault, number: int) -> Iterator[str]:
    rows = (
        (
            vault.evening(
                number, scene["start_unit_id"], _range(scene["start_unit_id"], scene["end_unit_id"]), in_table=True
            ),
            plain(scene["title"]),
            scene["primary_mode"],
        )
        for scene in records(vault.book.sight, number, "scenes")
    )
    yield from table(("Where", "Scene", "Kind"), rows)


def _fight(vault: Vault, number: int, fight: Fight) -> Iterator[str]:
    if fight.title:
        yield from (plain(fight.title), "")
    rows = (
        _turn(vault, number, each.number, turn, broken_into)
        for each in fight.rounds
        for outer in each.turns
        for turn, broken_into in ((outer, ""), *((inner, outer.actor) for inner in outer.interrupts))
    )
    yield from table(("Round", "Who", "What", "Told", "Where"), rows)


def _turn(vault: Vault, number: int, round_number: int | None, turn: Turn, broken_into: str) -> Sequence[str]:
    record, during = turn.record, turn.during or broken_into
    who = plain(turn.actor) + (f", during the turn of {plain(during)}" if during else "")
    what = "; ".join(_action(action) for action in record["actions"])
    told = vault.proof(number, record["source_refs"])
    return (str(round_number or ""), who, what, plain(turn.summary), told)


def _action(action: Mapping[str, Any]) -> str:
    targets = f" ({', '.join(plain(target) for target in action['targets'])})" if action["targets"] else ""
    resolution = f": {plain(action['resolution'])}" if action["resolution"] else ""
    return f"{plain(action['declaration'])}{targets}{resolution}"


def _spells(vault: Vault, number: int) -> Iterator[str]:
    rows = (
        (
            plain(record["caster"]),
            plain(record["spell"]),
            "" if record["level"] is None else str(record["level"]),
            ", ".join(plain(target) for target in record["targets"]),
            plain(record["outcome"] or ""),
            vault.proof(number, record["source_refs"]),
        )
        for record in records(vault.book.sight, number, "spells")
    )
    yield from table(("Caster", "Spell", "Level", "Targets", "Outcome", "Where"), rows)


def _enemies(vault: Vault, number: int) -> Iterator[str]:
    rows = (
        (
            plain(record["enemy"]),
            record["kind"],
            plain(record["detail"]),
            plain(record["actor"] or ""),
            vault.proof(number, record["source_refs"]),
        )
        for record in records(vault.book.sight, number, "enemy-events")
    )
    yield from table(("Enemy", "What", "Told", "By", "Where"), rows)


def _transcript(found: Reading) -> Iterator[str]:
    for line in found.lines:
        speaker = f"**{plain(line.speaker)}:** " if line.speaker else ""
        yield f"{speaker}{plain(line.text)} ^u{line.unit_id}"
        yield ""


def _range(start: int, end: int) -> str:
    return f"{start}" if start == end else f"{start} to {end}"
