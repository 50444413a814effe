"""Files between their preview and the decision to store them, in the data directory.

An upload is found again by a random token, by the person who made it and for the campaign it was made for. It is
gone when it is stored or discarded, or after an hour; of one person the newest three are kept. Nothing of a file's
name is kept but its suffix.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from django.conf import settings

from campaigns.errors import ActionError, Conflict
from campaigns.models import Campaign

logger = logging.getLogger(__name__)
FOLDER = "uploads"
KEPT_S = 3600
MOST_A_PERSON = 3
MOST = 16
TOKEN = re.compile(r"[0-9a-f]{32}")
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")


@dataclass(frozen=True, slots=True)
class Waiting:
    """`name` is no name that anybody chose: only its suffix is the file's."""

    data: bytes
    name: str


def keep(*, chunks: Iterable[bytes], name: str, campaign: Campaign, user_id: int) -> str:
    """Keep the file and return its token. Conflict where too many wait already, ActionError where the disk refuses."""
    purge()
    for path in sorted(_waiting(f"{user_id}-*"), key=_age)[MOST_A_PERSON - 1 :]:
        path.unlink(missing_ok=True)
    if sum(1 for _ in _waiting("*")) >= MOST:
        raise Conflict("Too many uploads wait for a decision at the moment: try again within the hour.")
    token = secrets.token_hex(16)
    path = _folder() / f"{user_id}-{campaign.pk}-{token}{_suffix(name)}"
    try:
        _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.writelines(chunks)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise ActionError("The upload could not be kept: the site's disk does not take it.") from error
    return token


def fetch(*, token: str, campaign: Campaign, user_id: int) -> Waiting | None:
    """Return the upload, or None where the person has none of this token for the campaign any more."""
    purge()
    for path in _found(token, campaign, user_id):
        try:
            return Waiting(path.read_bytes(), f"transcript{path.suffix}")
        except FileNotFoundError:
            return None
    return None


def discard(*, token: str, campaign: Campaign, user_id: int) -> None:
    """Remove the upload; one that is gone already is no mistake."""
    for path in _found(token, campaign, user_id):
        path.unlink(missing_ok=True)


def discard_all(*, campaign_id: int) -> None:
    """Remove all uploads that wait for the campaign; what the disk refuses is logged, and goes with the hour."""
    for path in _waiting(f"*-{campaign_id}-*"):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:  # its own words name the file, and so the upload's token
            logger.error("upload: it could not be removed: %s", type(error).__name__)


def expired() -> list[Path]:
    """Return what has waited for more than an hour."""
    return [path for path in _waiting("*") if _age(path) > KEPT_S]


def purge() -> int:
    """Remove what has waited for more than an hour, and return how many files that were."""
    gone = expired()
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / FOLDER


def _waiting(pattern: str) -> Iterator[Path]:
    yield from list(_folder().glob(pattern))


def _found(token: str, campaign: Campaign, user_id: int) -> list[Path]:
    return list(_waiting(f"{user_id}-{campaign.pk}-{token}.*")) if TOKEN.fullmatch(token) else []


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _suffix(name: str) -> str:
    suffix = PurePath(name).suffix.lower()
    return suffix if _SUFFIX.fullmatch(suffix) else ".upload"
