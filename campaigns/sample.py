"""The sample campaign that a fresh installation shows."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

from campaigns.actions import rosters, transcripts
from campaigns.models import Campaign, GameSession

SAMPLE = settings.ASSETS_DIR / "sample"
SESSION_FILE = re.compile(r"^session-(\d+)\.\w+$")


def load_sample() -> Campaign:
    """Load the sample campaign with its transcripts; what is there already stays as it is."""
    file = rosters.read_campaign((SAMPLE / "campaign.toml").read_text(encoding="utf-8"), "campaign.toml")
    campaign, _ = rosters.load_campaign(file=file, by=None)
    for number, path in sorted(_session_files()):
        transcripts.import_transcript(
            campaign=campaign, number=number, data=path.read_bytes(), filename=path.name, by=None
        )
    return campaign


def sessions_never_run() -> list[GameSession]:
    """Return the sample campaign's sessions that have a transcript and no run yet, in order."""
    slug = rosters.read_campaign((SAMPLE / "campaign.toml").read_text(encoding="utf-8"), "campaign.toml").campaign.slug
    sessions = GameSession.objects.filter(campaign__slug=slug, transcripts__isnull=False, runs__isnull=True)
    return list(sessions.distinct().order_by("number"))


def _session_files() -> list[tuple[int, Path]]:
    found = [(SESSION_FILE.match(path.name), path) for path in SAMPLE.iterdir()]
    return [(int(match.group(1)), path) for match, path in found if match is not None]
