"""Print the request that a lane would send for one chunk, without sending it."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.actions import bindings
from campaigns.adapters.documents import load_document
from campaigns.adapters.providers import catalog, profiles
from campaigns.adapters.table import table_of
from campaigns.management.arguments import latest_transcript, mistakes_in_one_sentence, session_numbered
from campaigns.models import GameSession
from extraction.lanes.job import LaneJob
from extraction.lanes.run import chunks_of, document_scope, prepare_chunk_request
from extraction.llm.boundary import StructuredRequest
from extraction.llm.profiles import Profile
from extraction.llm.providers import client_for
from extraction.pipelines.config import full_key
from extraction.prompts.render import CacheBoundary, estimated_tokens, render
from extraction.registry import CHUNK_REPLIES, LANES


class Command(BaseCommand):
    help = "Print what a lane would send to the model for one chunk of a session's transcript; nothing is sent."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("lane", metavar="LANE", help="such as dnd/npcs; the prefix is optional")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--session", required=True, type=int, metavar="N")
        parser.add_argument("--chunk", type=int, default=1, metavar="K", help="counted from 1, the default")
        parser.add_argument("--profile", default="default", metavar="NAME", help="whose options shape the request")

    def handle(self, *, lane: str, campaign: str, session: int, chunk: int, profile: str, **options: object) -> None:
        key = full_key(lane)
        if key not in LANES:
            raise CommandError(f"There is no lane {lane!r}; there are: {', '.join(sorted(LANES))}.")
        with mistakes_in_one_sentence():
            job = _job(key, session_numbered(campaign, session), _profile(profile))
            total = len(chunks_of(LANES[key], job, document_scope(job)))
            if not 1 <= chunk <= total:
                raise CommandError(f"There is no chunk {chunk}: this transcript has {total} for {key}.")
            request = prepare_chunk_request(LANES[key], job, chunk - 1)
            boundary = render(job.catalog[request.prompt_id], request.materials).boundary
        self.stdout.write(f"prompt {request.prompt_id}, chunk {chunk} of {total}, profile {profile}")
        for line in _shown(request, boundary):
            self.stdout.write(line)


def _job(lane: str, session: GameSession, profile: Profile) -> LaneJob:
    transcript = latest_transcript(session)
    return LaneJob(
        document=load_document(transcript),
        catalog=catalog(),
        client=client_for(profile),
        profile=profile,
        table=table_of(session.campaign),
        references=bindings.bind(lane=lane, transcript=transcript),
        envelope=CHUNK_REPLIES,
    )


def _profile(name: str) -> Profile:
    known = profiles()
    if name not in known:
        raise CommandError(f"There is no profile {name!r}; there are: {', '.join(sorted(known))}.")
    return known[name]


def _shown(request: StructuredRequest, boundary: CacheBoundary | None) -> Iterator[str]:
    yield f"about {estimated_tokens(request.messages)} tokens"
    for at, message in enumerate(request.messages):
        yield f"--- {message.role} ---"
        if boundary is None or boundary.message != at:
            yield message.content
            continue
        if boundary.offset:
            yield message.content[: boundary.offset].rstrip("\n")
        yield "--- cache boundary ---"
        yield message.content[boundary.offset :]
    yield f"--- schema {request.schema_name} ---"
    yield orjson.dumps(request.schema, option=orjson.OPT_INDENT_2).decode()
