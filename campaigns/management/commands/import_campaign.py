"""Bring a campaign back from a JSON export."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import restoring
from campaigns.exports.unpacking import unpacked
from campaigns.management.arguments import mistakes_in_one_sentence


class Command(BaseCommand):
    help = "Restore a campaign from a JSON export, GM edition, folder or zip: all of it, or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("backup", metavar="BACKUP", help="the folder of the export, or its zip")

    def handle(self, *, backup: str, **options: object) -> None:
        with mistakes_in_one_sentence(), _folder_of(backup) as folder:
            campaign = restoring.restore(folder=folder, by=None)
        self.stdout.write(
            f"Restored campaign {campaign.slug}: {campaign.sessions.count()} sessions. It has no members yet."
        )


@contextmanager
def _folder_of(backup: str) -> Iterator[Path]:
    """Give the folder itself or what the zip holds; CommandError where there is neither."""
    path = Path(backup)
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except ValueError as error:
        raise CommandError("A NUL character cannot stand in a file name.") from error
    if is_folder:
        yield path
    elif is_file:
        with unpacked(path) as folder:
            yield folder
    else:
        raise CommandError(f"There is no folder and no file {backup}.")
