"""Move everything from another database into the one that DATABASE_URL names."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandParser

from campaigns.keeping.moving import move, source_at
from campaigns.keeping.tables import digest_of
from campaigns.management.arguments import mistakes_in_one_sentence


class Command(BaseCommand):
    help = (
        "Copy every row from another database into this one, which must be migrated and empty, and check it by digest."
        " Stop Notarius first, so that nothing is written meanwhile."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", metavar="URL", help="such as sqlite:///data/notarius.sqlite3")

    def handle(self, *, source: str, **options: object) -> None:
        with mistakes_in_one_sentence(), source_at(source) as alias:
            moved = move(alias, lambda label, count: self.stdout.write(f"{label}: {count}"))
        self.stdout.write(f"Moved {sum(count for count, _ in moved.values())} rows; digest {digest_of(moved)}.")
