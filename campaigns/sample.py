"""The sample campaign that a fresh installation shows."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from campaigns.actions import rosters, transcripts, versions
from campaigns.models import ArtifactVersion, Campaign, GameSession, Run

SAMPLE = settings.ASSETS_DIR / "sample"
# These evenings are approved for a newcomer; the last one waits, so that there is something to review.
APPROVED_EVENINGS = (1, 2)
NOTE = "Approved with the sample campaign, to show what an approved session looks like."
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


def approve_evening(run: Run) -> int:
    """Approve what the run made of an early evening of the sample, and return how many artifacts that were.

    The first site admin is who decides; without one, and for later evenings, nothing is approved.
    """
    admin = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if admin is None or run.session.number not in APPROVED_EVENINGS:
        return 0
    made = ArtifactVersion.objects.filter(lane_run__run=run, state=ArtifactVersion.State.PENDING).order_by("pk")
    pending = list(made.values_list("pk", flat=True))
    for version_id in pending:
        versions.approve(version_id=version_id, note=NOTE, by=admin)
    return len(pending)


def _session_files() -> list[tuple[int, Path]]:
    found = [(SESSION_FILE.match(path.name), path) for path in SAMPLE.iterdir()]
    return [(int(match.group(1)), path) for match, path in found if match is not None]
