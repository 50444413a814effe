"""Write the whole database into one file."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandParser

from campaigns.keeping.backup import write
from campaigns.management.arguments import mistakes_in_one_sentence


class Command(BaseCommand):
    help = "Write a backup of the database into a new file, while others work. Keep secret_key apart from it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *, file: Path, **options: object) -> None:
        with mistakes_in_one_sentence():
            manifest = write(file)
        rows = sum(count for count, _ in manifest.tables.values())
        self.stdout.write(f"Wrote {file.name}: {rows} rows; digest {manifest.digest}.")
