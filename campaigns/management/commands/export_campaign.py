"""Take a campaign out into a folder."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.exports.files import ExportFile
from campaigns.exports.formats import FORMATS
from campaigns.exports.layout import MANIFEST
from campaigns.library.sight import Edition, Sight
from campaigns.management.arguments import DATABASE_INTEGERS, campaign_named, mistakes_in_one_sentence


class Command(BaseCommand):
    help = "Write a campaign into a folder: as durable JSON, Markdown notes, CSV tables or Foundry VTT documents."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="SLUG")
        parser.add_argument("--format", required=True, choices=tuple(FORMATS))
        parser.add_argument("--edition", choices=("player", "gm"), default="player", help="whose; players' by default")
        parser.add_argument("--as-of", type=int, metavar="N", help="for players: only sessions up to this one")
        parser.add_argument("--out", required=True, metavar="DIR", help="a folder that is new or empty")

    def handle(
        self, *, campaign: str, format: str, edition: str, as_of: int | None, out: str, **options: object
    ) -> None:
        if as_of is not None and (edition == "gm" or as_of not in DATABASE_INTEGERS):
            raise CommandError("--as-of takes a session's number, and goes with the players' edition alone.")
        folder = Path(out)
        with mistakes_in_one_sentence():
            sight = Sight(campaign_named(campaign), Edition(edition), words=True, as_of=as_of)
            count = size = 0
            try:
                _prepare(folder)
                for file in FORMATS[format](sight, self._progress):
                    _write(folder, file)
                    count, size = count + 1, size + len(file.data)
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else None
                raise CommandError(f"{out} cannot be written: {reason or 'no folder has this name'}.") from error
        hint = f", {MANIFEST} last" if format == "json" else ""
        self.stdout.write(f"{count} files, {size:,} bytes{hint}: {campaign} as {format}, {edition} edition.")

    def _progress(self, done: int, total: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{done} of {total}", ending="\n" if done == total else "")


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise CommandError(f"{folder} is not empty: an export takes a folder of its own.")


def _write(folder: Path, file: ExportFile) -> None:
    path = folder / file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.data)
