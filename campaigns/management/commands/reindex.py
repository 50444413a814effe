"""Write the search index anew."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandParser

from campaigns.management.arguments import campaign_named, mistakes_in_one_sentence
from campaigns.models import Transcript
from campaigns.search import upkeep


class Command(BaseCommand):
    help = "Index the newest transcript of every session anew. Search goes on meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", metavar="SLUG", help="only this one")

    def handle(self, *, campaign: str | None, **options: object) -> None:
        with mistakes_in_one_sentence():
            only = None if campaign is None else campaign_named(campaign)
            count = upkeep.rebuild(only, self._line)
        self.stdout.write(f"{count} transcripts indexed.")

    def _line(self, transcript: Transcript) -> None:
        self.stdout.write(f"{transcript.source_id}: {transcript.unit_count} units")
