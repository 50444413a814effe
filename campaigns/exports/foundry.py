"""Documents of Foundry Virtual Tabletop: a journal entry for each evening and entry, an actor for each person.

Each file is one document as its "Import Data" takes it, in the shape of core version 13: journal entries with text
pages in HTML, actors of the type `npc` with their story where D&D 5e has its biography.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.html import escape

from campaigns.exports.book import Book, Told, bare_title, book_of, said
from campaigns.exports.files import ExportFile, Names, Progress
from campaigns.library.artifacts import records
from campaigns.library.registry import Full
from campaigns.library.sessions import SessionLine
from campaigns.library.sight import Edition, Sight
from campaigns.library.transcripts import Reading, quotes
from extraction.canonical import JsonValue, canonical_json

CORE = "13.351"
HTML = 1
NOBODY, OBSERVER = 0, 2
FOLDERS = {"npc": "people", "item": "items", "location": "places"}
ID_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
ID_LENGTH = 16
# Foundry makes rolls, links and embedded documents of these, whoever wrote them.
ENRICHED = re.compile(r"\[(?=\[)|[@&](?=\w+\[)")
UNSEEN = "\u2060"


def text(value: str) -> str:
    """Return the text as HTML that Foundry shows as it is: no markup, and nothing to roll or to follow."""
    # A sign between two brackets that nobody sees keeps them from being read as one.
    return escape(ENRICHED.sub(lambda found: found.group() + UNSEEN, value))


def files(sight: Sight, progress: Progress) -> Iterator[ExportFile]:
    """Yield the documents."""
    book = book_of(sight)
    for kind, entries in book.entries.items():
        journal, actors = Names(), Names()
        for entry in entries:
            pages = _entry_pages(book, kind, entry)
            mark = entry.entity_id
            yield _document(
                f"journal/{FOLDERS[kind]}/{journal.of(entry.name)}", _journal(book, mark, entry.name, pages)
            )
            if kind == "npc":
                yield _document(f"actors/{actors.of(entry.name)}", _actor(book, entry, pages))
    progress(1, book.steps)
    names = Names()
    for done, evening in enumerate(book.sessions, start=2):
        bare = bare_title(evening)
        title = f"Session {evening.number}{': ' if bare else ''}{bare}"
        path = f"journal/sessions/{names.of(f'Session {evening.number:03} {bare}')}"
        yield _document(path, _journal(book, f"session-{evening.number}", title, _evening_pages(book, evening)))
        progress(done, book.steps)


def _document(path: str, document: Mapping[str, JsonValue]) -> ExportFile:
    return ExportFile(f"{path}.json", canonical_json(document))


def _id(book: Book, *of: str) -> str:
    """Return the document's id: the same whenever the campaign is taken out again."""
    number = int.from_bytes(hashlib.sha256("\n".join((book.sight.campaign.slug, *of)).encode()).digest())
    signs = []
    for _ in range(ID_LENGTH):
        number, rest = divmod(number, len(ID_SIGNS))
        signs.append(ID_SIGNS[rest])
    return "".join(signs)


def _common(book: Book, *of: str) -> dict[str, JsonValue]:
    """Return what every document has. Players may look at what is of their edition; the rest is the GM's."""
    seen = OBSERVER if book.sight.edition is Edition.PLAYER else NOBODY
    return {
        "_id": _id(book, *of),
        "folder": None,
        "sort": 0,
        "ownership": {"default": seen},
        "flags": {"notarius": {"campaign": book.sight.campaign.slug, "id": of[-1]}},
        "_stats": {"coreVersion": CORE, "systemId": None, "systemVersion": None},
    }


def _journal(book: Book, mark: str, name: str, pages: Sequence[tuple[str, str]]) -> dict[str, JsonValue]:
    return {
        **_common(book, "journal", mark),
        "name": name,
        "categories": [],
        "pages": [_page(book, mark, at, title, html) for at, (title, html) in enumerate(pages)],
    }


def _page(book: Book, mark: str, at: int, title: str, html: str) -> JsonValue:
    return {
        "_id": _id(book, "page", mark, str(at)),
        "name": title,
        "type": "text",
        "title": {"show": True, "level": 1},
        "text": {"format": HTML, "content": html},
        "sort": (at + 1) * 100_000,
        "ownership": {"default": -1},
        "flags": {},
    }


def _actor(book: Book, entry: Full, pages: Sequence[tuple[str, str]]) -> dict[str, JsonValue]:
    story = "".join(f"<h2>{text(title)}</h2>{html}" for title, html in pages)
    return {
        **_common(book, "actor", entry.entity_id),
        "name": entry.name,
        "type": "npc",
        "system": {"details": {"biography": {"value": story}}},
        "items": [],
        "effects": [],
    }


def _entry_pages(book: Book, kind: str, entry: Full) -> list[tuple[str, str]]:
    pages = []
    also = f"<p>Also called {text(', '.join(entry.also_called))}.</p>" if entry.also_called else ""
    told = book.occurrences.get((kind, entry.entity_id), [])
    met = f"<p>{'Session' if len(entry.sessions) == 1 else 'Sessions'} {', '.join(map(str, entry.sessions))}.</p>"
    pages.append((entry.name, also + met + _list(_occurrence(each) for each in told)))
    words = quotes(book.sight, entry.evidence)
    said_there = [(cited, quote) for cited in entry.evidence if (quote := words.get(cited))]
    if said_there:
        html = "".join(
            f"<p>Session {cited.session}</p><blockquote>{_lines(quote.split(chr(10)))}</blockquote>"
            for cited, quote in said_there
        )
        pages.append(("Evidence", html))
    return pages


def _occurrence(told: Told) -> str:
    record = told.record
    people = " to ".join(text(record[name]) for name in ("actor", "recipient") if record.get(name))
    parts = (f"session {told.session}", text(record["kind"]), people, text(record.get("detail") or ""))
    return ", ".join(part for part in parts if part)


def _evening_pages(book: Book, evening: SessionLine) -> list[tuple[str, str]]:
    found = said(book.sight, evening.number)
    pages = [
        ("Scenes", _list(_scene(scene) for scene in records(book.sight, evening.number, "scenes"))),
        ("Fights", _fights(book, evening.number)),
        ("Spells", _list(_spell(record) for record in records(book.sight, evening.number, "spells"))),
        ("Transcript", _transcript(found) if found else ""),
    ]
    kept = [(title, html) for title, html in pages if html]
    return kept or [("Session", "<p>Nothing is written down of this session yet.</p>")]


def _scene(scene: Mapping[str, Any]) -> str:
    return f"{text(scene['title'])} <em>({text(scene['primary_mode'])})</em>"


def _fights(book: Book, number: int) -> str:
    turns = records(book.sight, number, "combat-turns")
    rows = "".join(
        f"<tr><td>{turn['round'] or ''}</td><td>{text(turn['actor'])}</td><td>{text(turn['summary'])}</td></tr>"
        for turn in turns
    )
    head = "<thead><tr><th>Round</th><th>Who</th><th>What</th></tr></thead>"
    return f"<table>{head}<tbody>{rows}</tbody></table>" if rows else ""


def _spell(record: Mapping[str, Any]) -> str:
    targets = f" at {text(', '.join(record['targets']))}" if record["targets"] else ""
    outcome = f": {text(record['outcome'])}" if record["outcome"] else ""
    return f"{text(record['caster'])} casts {text(record['spell'])}{targets}{outcome}"


def _transcript(found: Reading) -> str:
    return _lines(f"{line.speaker}: {line.text}" if line.speaker else line.text for line in found.lines)


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"<p>{text(line)}</p>" for line in lines)


def _list(items: Iterable[str]) -> str:
    """Return HTML as a list; nothing where there is nothing."""
    body = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{body}</ul>" if body else ""
