"""Write a durable artifact to standard output, byte for byte as it was published."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.management.arguments import DATABASE_INTEGERS, mistakes_in_one_sentence, session_numbered
from campaigns.models import ArtifactVersion, GameSession
from extraction.pipelines.config import full_key
from extraction.registry import LANES


class Command(BaseCommand):
    help = "Write the durable JSON of a session's artifact to standard output."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:  # Any: as Django has it
        """Let our `--version V` take the place of Django's, which prints Django's own."""
        return super().create_parser(prog_name, subcommand, **{"conflict_handler": "resolve", **kwargs})

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--session", required=True, type=int, metavar="N")
        parser.add_argument("--lane", required=True, metavar="LANE", help="such as dnd/npcs; the prefix is optional")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--status", choices=("approved", "latest"), default="approved")
        which.add_argument("--version", dest="number", type=int, metavar="V")

    def handle(
        self, *, campaign: str, session: int, lane: str, status: str, number: int | None, **options: object
    ) -> None:
        key = full_key(lane)
        if key not in LANES:
            raise CommandError(f"There is no lane {lane!r}; there are: {', '.join(sorted(LANES))}.")
        with mistakes_in_one_sentence():
            version = _version(session_numbered(campaign, session), key, status, number)
        self.stdout.write(version.payload)


def _version(session: GameSession, key: str, status: str, number: int | None) -> ArtifactVersion:
    versions = ArtifactVersion.objects.filter(artifact__session=session, artifact__lane=key)
    if number is not None:
        found = versions.filter(number=number).first() if number in DATABASE_INTEGERS else None
        wanted = f"version {number}"
    elif status == "approved":
        found, wanted = versions.approved().first(), "approved version"
    else:
        found, wanted = versions.usable().order_by("-number").first(), "version to export"
    if found is None:
        hint = " Try --status latest." if number is None and status == "approved" and versions.usable().exists() else ""
        raise CommandError(f"Session {session.number} has no {wanted} of {key}.{hint}")
    return found
