"""Run a pipeline over a session's newest transcript."""

from __future__ import annotations

import sys
from decimal import Decimal

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import plans, runs
from campaigns.forecasts import Forecast
from campaigns.forecasts import forecast as forecast_of
from campaigns.management import following
from campaigns.management.arguments import (
    amount,
    latest_transcript,
    mistakes_in_one_sentence,
    pipeline_text,
    session_numbered,
)
from campaigns.models import Run
from extraction.pipelines.config import Pipeline, read_pipeline


class Command(BaseCommand):
    help = "Start a run of a pipeline over a session's newest transcript."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--session", required=True, type=int, metavar="N")
        parser.add_argument("--pipeline", metavar="P", help="a bundled pipeline's name, or a TOML file")
        parser.add_argument("--lanes", metavar="A,B", help="only these lanes; the prefix dnd/ is optional")
        parser.add_argument("--token-cap", type=int, metavar="N", help="pause the run after so many tokens in and out")
        parser.add_argument("--cost-cap", type=amount, metavar="AMOUNT", help="pause the run at this cost")
        parser.add_argument("--forecast", action="store_true", help="say what the run would take, and start nothing")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--wait", action="store_true", help="show the progress until the run ends")
        how.add_argument("--inline", action="store_true", help="do the work in this process, without a worker")

    def handle(
        self,
        *,
        campaign: str,
        session: int,
        pipeline: str | None,
        lanes: str | None,
        token_cap: int | None,
        cost_cap: Decimal | None,
        forecast: bool,
        wait: bool,
        inline: bool,
        **options: object,
    ) -> None:
        chosen = None if lanes is None else plans.lanes_in(lanes)
        with mistakes_in_one_sentence():
            found = session_numbered(campaign, session)
            if forecast:
                self._tell(forecast_of(found, latest_transcript(found), plans.chosen(_pipeline(pipeline), chosen)))
                return
            run = runs.start(
                session=found,
                pipeline=_pipeline(pipeline),
                lanes=chosen,
                by=None,
                token_cap=token_cap,
                cost_cap=cost_cap,
            )
            self.stdout.write(f"Run {run.pk}: {run.pipeline} over {run.transcript.source_id}.")
            if wait or inline:
                self._follow(run, f"Session {session}", inline)

    def _tell(self, found: Forecast) -> None:
        for lane in found.lanes:
            asked = lane.expected
            kept = f", {asked.kept} of {asked.chunks} chunks kept" if asked.kept else ""
            self.stdout.write(f"{lane.lane}: {asked.calls} calls, about {asked.prompt_tokens} tokens in{kept}")
        self.stdout.write(
            f"In all: {found.calls} calls, about {found.prompt_tokens} tokens in and {found.completion_tokens} out,"
            f" {found.minutes:.0f} minutes, cost: {found.money}."
        )

    def _follow(self, run: Run, label: str, inline: bool) -> None:
        follow = following.work_inline if inline else following.wait_for
        try:
            follow(run, label=label, stream=sys.stderr)
        except KeyboardInterrupt:
            if inline:
                raise CommandError(
                    f"Stopped. Run {run.pk} is back in the queue: a worker goes on with it, or start the run again."
                ) from None
            raise CommandError(f"Run {run.pk} goes on without being watched.") from None
        run.refresh_from_db()
        if run.state == Run.State.PAUSED:
            raise CommandError(
                f"Run {run.pk} is paused ({run.pause_code}): its page or `manage.py change_run {run.pk} resume` lets it"
                " go on."
            )
        problems = following.failures(run)
        if problems:
            raise CommandError("\n".join([f"Run {run.pk} {run.state}.", *problems]))
        lanes = list(run.lanes.all())
        self.stdout.write(f"Run {run.pk} succeeded; lanes: {len(lanes)}, calls: {sum(lane.calls for lane in lanes)}.")


def _pipeline(given: str | None) -> Pipeline:
    return plans.default_pipeline() if given is None else read_pipeline(*pipeline_text(given))
