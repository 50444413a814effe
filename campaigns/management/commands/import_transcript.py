"""Bring one transcript into a campaign."""

from __future__ import annotations

import time
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import transcripts
from campaigns.management.arguments import campaign_named, mistakes_in_one_sentence, read_file
from campaigns.preview import Preview, preview
from extraction.canonical import JsonValue
from extraction.ingest import Format
from extraction.ingest.speakers import normalise_label


class Command(BaseCommand):
    help = "Read a transcript file and keep it as the session's next revision; an equal one is kept once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--session", required=True, type=int, metavar="N", help="made if it is new")
        parser.add_argument("--title", help="the session's title, instead of the file's")
        parser.add_argument("--format", choices=[each.value for each in Format], help="instead of what is detected")
        parser.add_argument("--encoding", metavar="NAME", help="instead of what is detected, such as cp1252")
        parser.add_argument(
            "--speaker",
            action="append",
            metavar="OLD=NEW",
            help="store the label OLD as NEW, or as nobody known with `OLD=`; repeatable",
        )
        parser.add_argument("--dry-run", action="store_true", help="show what would be kept and skipped; keep nothing")

    def handle(
        self,
        *,
        file: str,
        campaign: str,
        session: int,
        title: str | None,
        format: str | None,
        encoding: str | None,
        speaker: list[str] | None,
        dry_run: bool,
        **options: object,
    ) -> None:
        started = time.monotonic()
        speakers = _names(speaker or [])
        data = read_file(file, most=settings.UPLOAD_MAX_BYTES)
        name = Path(file).name
        with mistakes_in_one_sentence():
            into = campaign_named(campaign)
            if dry_run:
                found = transcripts.read(data=data, filename=name, format=format, encoding=encoding, speakers=speakers)
                self._show(name, preview(found, into))
                return
            imported = transcripts.import_transcript(
                campaign=into,
                number=session,
                data=data,
                filename=name,
                title=title,
                format=format,
                encoding=encoding,
                speakers=speakers,
                by=None,
            )
            kept = imported.transcript
            if not imported.created:
                self.stdout.write(
                    f"{name}: session {session} has these {kept.unit_count} units already, as {kept.source_id}."
                )
                return
            same = f" They equal revision {imported.same_as} and are current again." if imported.same_as else ""
            count = kept.units.exclude(speaker=None).values("speaker").distinct().count()
        self.stdout.write(
            f"{name}: {kept.source_id}, {_units(kept.unit_count, count)}, {kept.format}, {kept.encoding},"
            f" {time.monotonic() - started:.1f} s{_notes(kept.notes)}.{same}"
        )

    def _show(self, name: str, shown: Preview) -> None:
        """Write what the preview page shows: a block for each of its parts that has something to say."""
        self.stdout.write(
            f"{name}: {_units(shown.units, shown.named)}, {shown.format}, {shown.encoding}. Nothing was kept."
        )
        for speaker in shown.speakers:
            person = f"  ({speaker.person})" if speaker.person else ""
            self.stdout.write(f"{speaker.count:7}  {speaker.label or '(no speaker)'}{person}")
        self._block(
            "First lines:",
            [f"  {line.speaker or '(no speaker)'}: {' '.join(line.text.split())}" for line in shown.lines],
        )
        self._block(
            "Skipped:", [f"{each.count:7}  {each.code}, {each.where}: {each.sentence}" for each in shown.skipped]
        )
        self._block("In doubt:", [f"{flag.count:7}  {flag.code}: {flag.sentence}" for flag in shown.flags])
        self._block(
            "Perhaps misheard:", [f"{each.count:7}  {each.heard_as} -> {each.term}" for each in shown.suggestions]
        )

    def _block(self, heading: str, lines: list[str]) -> None:
        if lines:
            self.stdout.write("\n".join([heading, *lines]))


def _names(given: list[str]) -> dict[str, str]:
    """Return new labels by old ones; CommandError for what is no `OLD=NEW` and for a label named twice."""
    names: dict[str, str] = {}
    for each in given:
        old, sign, new = each.partition("=")
        old = normalise_label(old)
        if not sign or not old:
            raise CommandError('--speaker takes OLD=NEW, such as "SPEAKER_05=Joost".')
        if old in names:
            raise CommandError(f"--speaker names {old!r} twice.")
        names[old] = new
    return names


def _units(units: int, speakers: int) -> str:
    return f"{units} unit{'s' * (units != 1)}, {speakers} speaker{'s' * (speakers != 1)}"


def _notes(notes: list[dict[str, JsonValue]]) -> str:
    return "".join(f", {note['code']}: {note['count']}" for note in notes)
