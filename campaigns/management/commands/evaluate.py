"""Score a session's artifacts against a gold label file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import plans, runs
from campaigns.adapters.documents import load_document
from campaigns.management import following
from campaigns.management.arguments import latest_transcript, mistakes_in_one_sentence, read_file, session_numbered
from campaigns.management.evaluating import maker, stored_version, usage_of, version_label, version_read
from campaigns.models import GameSession, LaneRun, Run
from extraction.evaluation.evaluate import score_lane
from extraction.evaluation.found import read_artifact
from extraction.evaluation.gold import Gold, read_gold
from extraction.evaluation.report import (
    Evaluated,
    EvaluationFile,
    LaneUsage,
    compared,
    names_listed,
    read_report,
    report,
    tables,
    written,
)
from extraction.pipelines.config import full_key
from extraction.source.index import DocumentIndex

MOST_BYTES = 50_000_000


class Command(BaseCommand):
    help = "Score a session's artifacts against a gold label file: precision, recall, evidence, order, merges, cost."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:  # Any: as Django has it
        """Let our `--version V` take the place of Django's, which prints Django's own."""
        return super().create_parser(prog_name, subcommand, **{"conflict_handler": "resolve", **kwargs})

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("gold", metavar="GOLD.json")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--session", required=True, type=int, metavar="N")
        parser.add_argument("--lanes", metavar="A,B", help="only these lanes; the prefix dnd/ is optional")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--status", choices=("latest", "approved"), default="latest")
        what.add_argument("--version", dest="number", type=int, metavar="V", help="version V of each lane")
        what.add_argument("--artifact", action="append", metavar="FILE", help="an exported artifact; may stand often")
        what.add_argument("--run", action="store_true", help="run the pipeline here first, then score what it made")
        parser.add_argument("--pipeline", metavar="P", help="with --run: a bundled pipeline's name")
        parser.add_argument("--details", action="store_true", help="list what was missed and what was not expected")
        parser.add_argument("--json", dest="out", metavar="FILE", help="write the evaluation to a file as well")
        parser.add_argument("--compare", metavar="OTHER", help="show an evaluation that was written before beside it")

    def handle(
        self, *, gold: str, campaign: str, session: int, out: str | None, compare: str | None, **options: Any
    ) -> None:
        with mistakes_in_one_sentence():
            other = None if compare is None else _report_in(compare)
            evaluation = _evaluate(gold, session_numbered(campaign, session), options)
            if out is not None:
                _write(out, written(evaluation))
        lines = tables(evaluation) if other is None else compared(evaluation, other)
        if options["details"]:
            lines += names_listed(evaluation)
        self.stdout.write("\n".join(lines))


def _evaluate(file: str, session: GameSession, options: dict[str, Any]) -> EvaluationFile:  # Any: argparse's values
    if options["pipeline"] is not None and not options["run"]:
        raise CommandError("--pipeline says what --run runs: name both, or neither.")
    transcript = latest_transcript(session)
    index = DocumentIndex(load_document(transcript))
    name = Path(file).name
    gold = read_gold(read_file(file, most=MOST_BYTES), index, name)
    wanted = _wanted(gold, options["lanes"], name)
    if options["artifact"]:
        lanes = _from_files(gold, options["artifact"], wanted)
    else:
        run = _run(session, options["pipeline"], wanted) if options["run"] else None
        lanes = _from_versions(gold, session, wanted or gold.lanes, run, options["status"], options["number"])
    missing = [lane for lane in wanted or () if lane not in {each.score.lane for each in lanes}]
    if missing or not lanes:
        raise CommandError(f"Session {session.number} has nothing to score of {', '.join(missing or gold.lanes)}.")
    return report(name, transcript.source_id, lanes)


def _wanted(gold: Gold, lanes: str | None, name: str) -> list[str] | None:
    """Return the lanes that were asked for, or None for all; CommandError for one that is not labelled."""
    if lanes is None:
        return None
    keys = list(dict.fromkeys(full_key(lane.strip()) for lane in lanes.split(",") if lane.strip()))
    unknown = [key for key in keys if key not in gold.lanes]
    if unknown or not keys:
        raise CommandError(
            f"{name} has no labels of {', '.join(unknown) or 'no lane'}; it has: {', '.join(gold.lanes)}."
        )
    return keys


def _from_files(gold: Gold, files: list[str], wanted: list[str] | None) -> list[Evaluated]:
    found: dict[str, Evaluated] = {}
    for file in files:
        name = Path(file).name
        artifact = read_artifact(read_file(file, most=MOST_BYTES), gold.index, name)
        if artifact.lane not in gold.lanes:
            raise CommandError(f"{name} is an artifact of {artifact.lane}, which is not labelled.")
        if artifact.lane in found:
            raise CommandError(f"{name} is a second artifact of {artifact.lane}: name one of a lane.")
        if wanted is None or artifact.lane in wanted:
            found[artifact.lane] = Evaluated(score_lane(gold, artifact), name, LaneUsage())
    return [found[lane] for lane in gold.lanes if lane in found]


def _from_versions(
    gold: Gold,
    session: GameSession,
    lanes: list[str] | tuple[str, ...],
    run: Run | None,
    status: str,
    number: int | None,
) -> list[Evaluated]:
    transcript = latest_transcript(session)
    made = {} if run is None else {lane.key: lane for lane in run.lanes.filter(state=LaneRun.State.SUCCEEDED)}
    scored = []
    for lane in lanes:
        version = stored_version(session, lane, status, number)
        if version is None or (run is not None and lane not in made):
            continue
        artifact = version_read(version, lane, gold.index, transcript)
        usage = usage_of(made.get(lane) or maker(version))
        scored.append(Evaluated(score_lane(gold, artifact), version_label(version), usage))
    return scored


def _run(session: GameSession, pipeline: str | None, lanes: list[str] | None) -> Run:
    """Run the pipeline in this process; lanes that fail are told on standard error and are not scored."""
    chosen = plans.default_pipeline() if pipeline is None else plans.named_pipeline(pipeline)
    run = runs.start(session=session, pipeline=chosen, lanes=lanes, by=None)
    try:
        following.work_inline(run, label=f"Session {session.number}", stream=sys.stderr)
    except KeyboardInterrupt:
        raise CommandError(f"Stopped. Run {run.pk} is back in the queue and nothing was scored.") from None
    for line in following.failures(run):
        sys.stderr.write(f"{line}\n")
    return run


def _report_in(file: str) -> EvaluationFile:
    return read_report(read_file(file, most=MOST_BYTES), Path(file).name)


def _write(file: str, data: bytes) -> None:
    try:
        Path(file).write_bytes(data)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror or 'an input/output error'}.") from error
