"""Put a backup in the place of the database."""

from __future__ import annotations

from pathlib import Path

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from campaigns.keeping.backup import restore
from campaigns.keeping.holding import Open, hold, still_open
from campaigns.management.arguments import mistakes_in_one_sentence


class Command(BaseCommand):
    help = "Put a backup in the place of the database, check it by digest and bring it up to date. Stop Notarius first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--replace", action="store_true", help="even though there are campaigns or accounts here")
        parser.add_argument(
            "--hold",
            action="store_true",
            help="pause the runs that had not ended when it was made, and switch webhooks off",
        )

    def handle(self, *, file: Path, replace: bool, **options: object) -> None:
        with mistakes_in_one_sentence():
            manifest = restore(file, replace=replace)
        call_command("migrate", verbosity=0, interactive=False)
        rows = sum(count for count, _ in manifest.tables.values())
        self.stdout.write(f"Restored {rows} rows; digest {manifest.digest}.")
        found, held = still_open(), bool(options["hold"])
        if held:
            hold()
        if held or any(found):
            self.stdout.write(_told(found, held=held))


def _told(found: Open, *, held: bool) -> str:
    runs = f"runs {', '.join(map(str, found.runs))}" if found.runs else "no run"
    what = f"Open when it was made: {runs}, {found.messages} webhook messages."
    if held:
        return f"{what} The runs are paused, the webhooks are switched off."
    return f"{what} A worker goes on with them."
