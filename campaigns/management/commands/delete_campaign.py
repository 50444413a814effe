"""Delete a campaign with everything of it."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions.removal import contents, remove_campaign
from campaigns.management.arguments import campaign_named, mistakes_in_one_sentence


class Command(BaseCommand):
    help = "Delete a campaign with everything of it; without --yes, say what that would be."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("--yes", action="store_true", help="really delete it")

    def handle(self, *, slug: str, yes: bool, **options: object) -> None:
        with mistakes_in_one_sentence():
            campaign = campaign_named(slug)
            for name, count in contents(campaign).items():
                self.stdout.write(f"{count} {name}")
            if not yes:
                raise CommandError("Nothing was deleted: add --yes to delete all this.")
            remove_campaign(campaign=campaign, confirmed=slug, by=None)
        self.stdout.write(f"Deleted {slug}.")
