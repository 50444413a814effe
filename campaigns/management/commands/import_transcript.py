"""Bring one transcript into a campaign."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from campaigns.actions import transcripts
from campaigns.management.arguments import campaign_named, mistakes_in_one_sentence, read_file
from extraction.canonical import JsonValue
from extraction.ingest import Format, ReadTranscript


class Command(BaseCommand):
    help = "Read a transcript file and keep it as the session's next revision; an equal one is kept once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--session", required=True, type=int, metavar="N", help="made if it is new")
        parser.add_argument("--title", help="the session's title, instead of the file's")
        parser.add_argument("--format", choices=[each.value for each in Format], help="instead of what is detected")
        parser.add_argument("--dry-run", action="store_true", help="show speakers and counts, and keep nothing")

    def handle(
        self,
        *,
        file: str,
        campaign: str,
        session: int,
        title: str | None,
        format: str | None,
        dry_run: bool,
        **options: object,
    ) -> None:
        started = time.monotonic()
        data = read_file(file, most=settings.UPLOAD_MAX_BYTES)
        name = Path(file).name
        with mistakes_in_one_sentence():
            into = campaign_named(campaign)
            if dry_run:
                self._show(name, transcripts.read(data=data, filename=name, format=format))
                return
            imported = transcripts.import_transcript(
                campaign=into, number=session, data=data, filename=name, title=title, format=format, by=None
            )
            kept = imported.transcript
            if not imported.created:
                self.stdout.write(
                    f"{name}: session {session} has these {kept.unit_count} units already, as {kept.source_id}."
                )
                return
            speakers = kept.units.exclude(speaker=None).values("speaker").distinct().count()
        self.stdout.write(
            f"{name}: {kept.source_id}, {_units(kept.unit_count, speakers)}, {kept.format}, {kept.encoding},"
            f" {time.monotonic() - started:.1f} s{_notes(kept.notes)}."
        )

    def _show(self, name: str, found: ReadTranscript) -> None:
        speakers = Counter(unit.speaker for unit in found.units)
        named = len(speakers.keys() - {None})
        self.stdout.write(
            f"{name}: {_units(len(found.units), named)}, {found.format}, {found.encoding}"
            f"{_notes(transcripts.notes(found))}. Nothing was kept."
        )
        for speaker, count in sorted(speakers.items(), key=lambda pair: (-pair[1], pair[0] or "")):
            self.stdout.write(f"{count:7}  {speaker or '(no speaker)'}")


def _units(units: int, speakers: int) -> str:
    return f"{units} unit{'s' * (units != 1)}, {speakers} speaker{'s' * (speakers != 1)}"


def _notes(notes: list[dict[str, JsonValue]]) -> str:
    return "".join(f", {note['code']}: {note['count']}" for note in notes)
