"""What commands are given on the command line, looked up: each mistake is one sentence."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import DecimalValidator
from django.db import OperationalError, ProgrammingError

from campaigns.actions import plans
from campaigns.models import Campaign, GameSession, Run, Transcript
from campaigns.models.campaign import SLUG
from extraction.errors import NotariusError
from extraction.pipelines.config import bundled_text

DATABASE_INTEGERS, DATABASE_IDS = range(2**31), range(2**63)
MONEY = DecimalValidator(max_digits=12, decimal_places=4)
MOST_PIPELINE_BYTES = 1_000_000


@contextmanager
def mistakes_in_one_sentence() -> Iterator[None]:
    """Turn what actions and readers refuse, and a database that does not answer, into CommandError."""
    try:
        yield
    except NotariusError as error:
        raise CommandError(str(error)) from error
    except (OperationalError, ProgrammingError) as error:
        raise CommandError(
            "The database does not answer or has no tables yet: check DATABASE_URL and run `manage.py migrate`."
        ) from error


def amount(given: str) -> Decimal:
    """Return the amount of money, as argparse converts it; whether it makes sense is for the action to say."""
    try:
        money = Decimal(given)
        MONEY(money)
    except (InvalidOperation, ValidationError) as error:
        raise ArgumentTypeError("an amount is a number with at most eight digits and four decimals.") from error
    return money


def read_file(path: str, *, most: int) -> bytes:
    """Return the file's bytes, at most one more than `most`; CommandError for what is no readable file."""
    file = Path(path)
    try:
        if file.is_dir():
            raise CommandError(f"{path} is a folder, not a file.")
        with file.open("rb") as handle:
            return handle.read(most + 1)
    except FileNotFoundError as error:
        raise CommandError(f"There is no file {path}.") from error
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror or 'an input/output error'}.") from error
    except ValueError as error:
        raise CommandError("A NUL character cannot stand in a file name.") from error


def pipeline_text(given: str) -> tuple[str, str]:
    """Return text and file name of a bundled pipeline or of a TOML file; a path is what has a slash or ends in .toml.

    CommandError for what is no readable file, PipelineError for an unknown name.
    """
    if Path(given).suffix != ".toml" and "/" not in given:
        return bundled_text(plans.PIPELINES, given)
    data = read_file(given, most=MOST_PIPELINE_BYTES)
    if len(data) > MOST_PIPELINE_BYTES:
        raise CommandError(f"{given} is larger than any pipeline file: at most {MOST_PIPELINE_BYTES:,} bytes.")
    try:
        return data.decode("utf-8-sig"), Path(given).name
    except UnicodeDecodeError as error:
        raise CommandError(f"{given} is not UTF-8 text.") from error


def campaign_named(slug: str) -> Campaign:
    """Return the campaign of that slug; CommandError names the first ones that there are."""
    campaign = Campaign.objects.filter(slug=slug).first() if re.fullmatch(SLUG.regex, slug) else None
    if campaign is None:
        known = list(Campaign.objects.order_by("slug").values_list("slug", flat=True)[:10])
        hint = f" There are: {', '.join(known)}." if known else " There are none yet: load one with load_campaign."
        raise CommandError(f"There is no campaign {slug!r}.{hint}")
    return campaign


def session_numbered(slug: str, number: int) -> GameSession:
    """Return the session of that number; CommandError for an unknown campaign or session."""
    campaign = campaign_named(slug)
    session = campaign.sessions.filter(number=number).first() if number in DATABASE_INTEGERS else None
    if session is None:
        raise CommandError(f"Campaign {slug!r} has no session {number}.")
    return session


def latest_transcript(session: GameSession) -> Transcript:
    """Return the session's newest transcript revision; CommandError if it has none."""
    transcript = session.transcripts.order_by("-revision").first()
    if transcript is None:
        raise CommandError(f"Session {session.number} has no transcript yet: bring one in with import_transcript.")
    return transcript


def run_numbered(number: int) -> Run:
    """Return the run; CommandError where there is none."""
    run = Run.objects.filter(pk=number).first() if number in DATABASE_IDS else None
    if run is None:
        raise CommandError(f"There is no run {number}.")
    return run
