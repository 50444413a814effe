"""Tables for a spreadsheet. No cell is a formula: what could be read as one begins with an apostrophe.

A cell that begins, after white space or signs that nobody sees, with one of = + - @ is a formula to some program or
other, and so is what begins with a tab or a line break. NUL is no text at all and is left out.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from campaigns.exports.book import Book, book_of, said
from campaigns.exports.files import ExportFile, Progress
from campaigns.library.artifacts import records
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from campaigns.library.transcripts import quotes

Cell: TypeAlias = "str | int | None"
# Signs that begin a formula, and their full-width, small and typographic forms.
FORMULA = frozenset("=+-@|%\uff1d\uff0b\uff0d\uff20\uff5c\uff05\u2212\ufe62\ufe63\ufe66\ufe6a\ufe6b")
# What nobody sees: white space, controls, formats and marks by their category; letters that are blank by their names.
UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Zs", "Zl", "Zp"})
FILLERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
BREAKS = ("\t", "\r", "\n")
SEPARATOR = "; "

EVIDENCE = ("source_id", "start_unit_id", "end_unit_id")
FILES = {"npc": "people", "item": "items", "location": "places"}
ENTRIES = ("id", "name", "also_called", "sessions", "evidence_count", "other_ids")
PROOF = ("kind", "id", "name", "session", *EVIDENCE, "quote")
SESSIONS = ("number", "title", "played", "units")
OCCURRENCES = ("session", "of", "entity_id", "name", "kind", "actor", "recipient", "detail", *EVIDENCE)
SCENES = ("session", "title", "primary_mode", "start_unit_id", "end_unit_id")
SPELLS = ("session", "caster", "spell", "level", "targets", "outcome", *EVIDENCE)
TURNS = (
    "session",
    "turn",
    "actor",
    "turn_kind",
    "round",
    "category",
    "declaration",
    "targets",
    "resolution",
    "summary",
    *EVIDENCE,
)
EVENTS = ("session", "enemy", "kind", "detail", "actor", *EVIDENCE)
UNITS = ("session", "position", "unit_id", "speaker", "text", "start_ms", "end_ms")


def safe_cell(value: Cell) -> str:
    """Return the value as a cell that no spreadsheet takes for a formula."""
    if value is None or isinstance(value, int):
        return "" if value is None else str(value)
    text = value.replace("\x00", "")
    return f"'{text}" if _first_seen(text) in FORMULA or text.startswith(BREAKS) else text


def _first_seen(text: str) -> str:
    """Return the first sign that somebody sees; nothing where there is none."""
    seen = (sign for sign in text if sign not in FILLERS and unicodedata.category(sign) not in UNSEEN)
    return next(seen, "")


def files(sight: Sight, progress: Progress) -> Iterator[ExportFile]:
    """Yield a table for each registry, for what happened, and for each transcript."""
    book = book_of(sight)
    for kind, entries in book.entries.items():
        yield _table(
            FILES[kind],
            ENTRIES,
            (
                (
                    entry.entity_id,
                    entry.name,
                    _list(entry.also_called),
                    _list(map(str, entry.sessions)),
                    entry.evidence_count,
                    _list(entry.other_ids),
                )
                for entry in entries
            ),
        )
    yield _table("evidence", PROOF, _proof(book))
    yield _table(
        "sessions",
        SESSIONS,
        ((line.number, line.title, line.played.date().isoformat(), line.unit_count) for line in book.sessions),
    )
    yield _table("occurrences", OCCURRENCES, _occurrences(book))
    for name, columns, family in (
        ("scenes", SCENES, "scenes"),
        ("spells", SPELLS, "spells"),
        ("enemy-events", EVENTS, "enemy-events"),
    ):
        yield _table(name, columns, _of_family(book, columns, family))
    yield _table("turns", TURNS, _turns(book))
    progress(1, book.steps)
    yield from _transcripts(book, progress)


def _table(name: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> ExportFile:
    """Return the file. Its mark of UTF-8 is what has spreadsheets read its letters as they are."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([safe_cell(value) for value in row] for row in rows)
    return ExportFile(f"{name}.csv", out.getvalue().encode("utf-8-sig", "replace"))


def _list(values: Iterable[str]) -> str:
    return SEPARATOR.join(values)


def _proof(book: Book) -> Iterator[Sequence[Cell]]:
    for kind, entries in book.entries.items():
        for entry in entries:
            said_there = quotes(book.sight, entry.evidence) if book.sight.words else {}
            for cited in entry.evidence:
                where = (cited.source_id, cited.start_unit_id, cited.end_unit_id)
                yield (kind, entry.entity_id, entry.name, cited.session, *where, said_there.get(cited))


def _occurrences(book: Book) -> Iterator[Sequence[Cell]]:
    for line in book.sessions:
        for kind, source in KINDS.items():
            for record in records(book.sight, line.number, source.occurrences):
                fields = [record.get(name) for name in ("name", "kind", "actor", "recipient", "detail")]
                for where in _where(record):
                    yield (line.number, kind, record[source.id_field], *fields, *where)


def _of_family(book: Book, columns: Sequence[str], family: str) -> Iterator[Sequence[Cell]]:
    own = [name for name in columns if name != "session" and (family == "scenes" or name not in EVIDENCE)]
    for line in book.sessions:
        for record in records(book.sight, line.number, family):
            fields = [_cell(record[name]) for name in own]
            for where in _where(record) if family != "scenes" else [()]:
                yield (line.number, *fields, *where)


def _turns(book: Book) -> Iterator[Sequence[Cell]]:
    for line in book.sessions:
        for number, turn in enumerate(records(book.sight, line.number, "combat-turns"), start=1):
            about = (line.number, number, turn["actor"], turn["turn_kind"], turn["round"])
            for action in turn["actions"]:
                done = (action["category"], action["declaration"], _list(action["targets"]), action["resolution"])
                for where in _where(turn):
                    yield (*about, *done, turn["summary"], *where)


def _transcripts(book: Book, progress: Progress) -> Iterator[ExportFile]:
    for done, evening in enumerate(book.sessions, start=2):
        found = said(book.sight, evening.number)
        if found is not None:
            rows = (
                (evening.number, at.position, at.unit_id, at.speaker, at.text, at.start_ms, at.end_ms)
                for at in found.lines
            )
            yield _table(f"transcripts/session-{evening.number:03}", UNITS, rows)
        progress(done, book.steps)


def _where(record: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    for ref in record["source_refs"]:
        yield tuple(ref[name] for name in EVIDENCE)


def _cell(value: Any) -> Cell:  # Any: a field of a record, whose type its family knows
    return _list(value) if isinstance(value, list) else value
