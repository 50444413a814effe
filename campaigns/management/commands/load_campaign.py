"""Create or update a campaign from its TOML file."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import rosters
from campaigns.management.arguments import mistakes_in_one_sentence, read_file

MOST_BYTES = 1_000_000


class Command(BaseCommand):
    help = "Create a campaign with its party and glossary from a TOML file, or make it as the file says."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE.toml")

    def handle(self, *, file: str, **options: object) -> None:
        data = read_file(file, most=MOST_BYTES)
        if len(data) > MOST_BYTES:
            raise CommandError(f"{file} is larger than {MOST_BYTES:,} bytes; a campaign file is not.")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CommandError(f"{file} is not UTF-8 text.") from error
        with mistakes_in_one_sentence():
            read = rosters.read_campaign(text, Path(file).name)
            campaign, created = rosters.load_campaign(file=read, by=None)
        people = len(read.party) + (read.gm is not None)
        self.stdout.write(
            f"{'Created' if created else 'Updated'} campaign {campaign.slug}:"
            f" {people} people, {len(read.glossary)} glossary terms."
        )
