"""Run a pipeline over a session's newest transcript."""

from __future__ import annotations

import sys

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import plans, runs
from campaigns.management import following
from campaigns.management.arguments import mistakes_in_one_sentence, pipeline_text, session_numbered
from campaigns.models import Run
from extraction.pipelines.config import Pipeline, read_pipeline


class Command(BaseCommand):
    help = "Start a run of a pipeline over a session's newest transcript."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--session", required=True, type=int, metavar="N")
        parser.add_argument("--pipeline", metavar="P", help="a bundled pipeline's name, or a TOML file")
        parser.add_argument("--lanes", metavar="A,B", help="only these lanes; the prefix dnd/ is optional")
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
        wait: bool,
        inline: bool,
        **options: object,
    ) -> None:
        with mistakes_in_one_sentence():
            run = runs.start(
                session=session_numbered(campaign, session),
                pipeline=_pipeline(pipeline),
                lanes=None if lanes is None else [lane.strip() for lane in lanes.split(",") if lane.strip()],
                by=None,
            )
            self.stdout.write(f"Run {run.pk}: {run.pipeline} over {run.transcript.source_id}.")
            if wait or inline:
                self._follow(run, f"Session {session}", inline)

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
        problems = following.failures(run)
        if problems:
            raise CommandError("\n".join([f"Run {run.pk} {run.state}.", *problems]))
        lanes = list(run.lanes.all())
        self.stdout.write(f"Run {run.pk} succeeded; lanes: {len(lanes)}, calls: {sum(lane.calls for lane in lanes)}.")


def _pipeline(given: str | None) -> Pipeline:
    return plans.default_pipeline() if given is None else read_pipeline(*pipeline_text(given))
