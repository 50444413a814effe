"""Bring a campaign back from a JSON export."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import restoring
from campaigns.management.arguments import mistakes_in_one_sentence


class Command(BaseCommand):
    help = "Restore a campaign from the folder of a JSON export, GM edition: all of it, or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR")

    def handle(self, *, folder: str, **options: object) -> None:
        try:
            is_folder = Path(folder).is_dir()
        except ValueError as error:
            raise CommandError("A NUL character cannot stand in a file name.") from error
        if not is_folder:
            raise CommandError(f"There is no folder {folder}.")
        with mistakes_in_one_sentence():
            campaign = restoring.restore(folder=Path(folder), by=None)
        self.stdout.write(
            f"Restored campaign {campaign.slug}: {campaign.sessions.count()} sessions. It has no members yet."
        )
