"""Remove what is kept for inspection only."""

from __future__ import annotations

from datetime import timedelta

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from campaigns.actions import exchanges as recorded
from campaigns.management.arguments import campaign_named, mistakes_in_one_sentence

MOST_DAYS = 36_500


class Command(BaseCommand):
    help = "Remove recorded exchanges (requests and raw replies). Artifacts, checkpoints and counters stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--exchanges", action="store_true", help="what to remove; nothing is removed unnamed")
        parser.add_argument("--older-than", type=int, metavar="DAYS")
        parser.add_argument("--campaign", metavar="SLUG")
        parser.add_argument("--dry-run", action="store_true", help="count, and remove nothing")

    def handle(
        self, *, exchanges: bool, older_than: int | None, campaign: str | None, dry_run: bool, **options: object
    ) -> None:
        if not exchanges:
            raise CommandError("Say what to remove: --exchanges.")
        if older_than is not None and not 0 <= older_than <= MOST_DAYS:
            raise CommandError(f"--older-than takes a number of days from 0 to {MOST_DAYS}.")
        before = None if older_than is None else timezone.now() - timedelta(days=older_than)
        with mistakes_in_one_sentence():
            only = None if campaign is None else campaign_named(campaign)
            if dry_run:
                count = recorded.kept(before=before, campaign=only).count()
                self.stdout.write(f"{count} exchanges would be removed.")
            else:
                count = recorded.purge(before=before, campaign=only, by=None)
                self.stdout.write(f"{count} exchanges removed.")
