"""Say in one digest what the whole archive holds."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandParser

from campaigns.keeping.tables import digest_of, digests
from campaigns.management.arguments import mistakes_in_one_sentence


class Command(BaseCommand):
    help = "Print a digest of every table, and one of all: equal on every database that holds the same archive."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--total", action="store_true", help="only the one of all")

    def handle(self, *, total: bool, **options: object) -> None:
        with mistakes_in_one_sentence():
            tables = digests()
        if not total:
            for label, (count, digest) in tables.items():
                self.stdout.write(f"{digest}  {label} ({count})")
        self.stdout.write(digest_of(tables))
