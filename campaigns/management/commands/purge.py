"""Remove what was kept for a time only."""

from __future__ import annotations

from datetime import timedelta

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from campaigns.actions import retention
from campaigns.keeping import erasing
from campaigns.management.arguments import campaign_named, mistakes_in_one_sentence

MOST_DAYS = 36_500
KINDS = (*retention.AGED, *retention.TIMED)


class Command(BaseCommand):
    help = (
        "Remove what is past its time: everything that the retention settings and terms end, or the kinds that are "
        "named. Exchanges, checkpoints and unwanted versions that are named go whatever the settings say: all, or "
        "those chosen by age and campaign. Transcripts, decisions and what was ever approved stay, and so do "
        "checkpoints and versions of a session with a run that has not ended."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--due", action="store_true", help="everything past its time, which is also the default")
        for kind in KINDS:
            parser.add_argument(f"--{kind}", action="append_const", const=kind, dest="kinds", help=f"{kind} alone")
        parser.add_argument("--older-than", type=int, metavar="DAYS")
        parser.add_argument("--campaign", metavar="SLUG")
        parser.add_argument("--dry-run", action="store_true", help="count, and remove nothing")

    def handle(
        self,
        *,
        due: bool,
        kinds: list[str] | None,
        older_than: int | None,
        campaign: str | None,
        dry_run: bool,
        **options: object,
    ) -> None:
        if due and kinds:
            raise CommandError("--due removes every kind: name none beside it.")
        if (older_than, campaign) != (None, None) and not (kinds and set(kinds) <= set(retention.AGED)):
            raise CommandError(f"--older-than and --campaign choose among {', '.join(retention.AGED)}.")
        if older_than is not None and not 0 <= older_than <= MOST_DAYS:
            raise CommandError(f"--older-than takes a number of days from 0 to {MOST_DAYS}.")
        with mistakes_in_one_sentence():
            counts = self._named(kinds, older_than, campaign, dry_run) if kinds else self._due(dry_run)
        for kind, count in counts.items():
            self.stdout.write(f"{count} {kind} {'would be removed' if dry_run else 'removed'}.")

    def _due(self, dry_run: bool) -> dict[str, int]:
        at = timezone.now()
        return retention.due(at=at) if dry_run else retention.purge_due(at=at, whole=True)

    def _named(self, kinds: list[str], older_than: int | None, campaign: str | None, dry_run: bool) -> dict[str, int]:
        at = timezone.now()
        before = None if older_than is None else at - timedelta(days=older_than)
        only = None if campaign is None else campaign_named(campaign)
        counts = {}
        for kind in kinds:
            if kind in retention.TIMED:
                timed = retention.TIMED[kind]
                counts[kind] = timed.count(at) if dry_run else timed.remove(at)
            elif dry_run:
                counts[kind] = retention.AGED[kind].rows(before, only).count()
            else:
                counts[kind] = retention.purge_aged(kind, before=before, campaign=only, by=None)
        if not dry_run:
            erasing.erase_deleted(whole=True)
        return counts
