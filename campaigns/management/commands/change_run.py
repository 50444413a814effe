"""Cancel, pause or resume a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import pausing, runs
from campaigns.management.arguments import amount, mistakes_in_one_sentence, run_numbered
from campaigns.models import Run

RESUME = "resume"
ACTS: Mapping[str, Callable[..., Run]] = {"cancel": runs.cancel, "pause": pausing.pause, RESUME: pausing.resume}


class Command(BaseCommand):
    help = (
        "Cancel a run, pause it so that no further call starts, or resume a paused one where it stopped, with new caps"
        " if wanted."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="ID", help="the run's number, which run_pipeline prints")
        parser.add_argument("act", choices=ACTS)
        parser.add_argument("--token-cap", type=int, metavar="N", help="resume: in place of the run's own cap")
        parser.add_argument("--cost-cap", type=amount, metavar="AMOUNT", help="resume: in place of the run's own cap")

    def handle(self, *, run: int, act: str, token_cap: int | None, cost_cap: Decimal | None, **options: object) -> None:
        caps = {"token_cap": token_cap, "cost_cap": cost_cap} if act == RESUME else {}
        if not caps and (token_cap, cost_cap) != (None, None):
            raise CommandError("A new cap goes with resume alone.")
        with mistakes_in_one_sentence():
            changed = ACTS[act](run=run_numbered(run), by=None, **caps)
        self.stdout.write(f"Run {changed.pk} is {changed.state}.")
