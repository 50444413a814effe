"""The durable artifacts of a session as one sight sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from campaigns.errors import NotFound
from campaigns.library.editions import chosen_versions, content_of, digest_of, record_counts, records_of, veiling_of
from campaigns.library.sessions import visible
from campaigns.library.sight import Sight
from campaigns.models import ArtifactVersion
from extraction.codes import Code

if TYPE_CHECKING:
    from campaigns.querysets import ArtifactVersionQuerySet


@dataclass(frozen=True, slots=True)
class Shown:
    """One version as the sight sees it: `payload` is canonical JSON, `digest` changes whenever it does."""

    session: int
    family: str
    version: int
    version_id: int
    payload: str
    digest: str
    transcript_id: int
    decided_at: datetime | None


def artifact(sight: Sight, number: int, family: str, *, version: int | None = None) -> Shown:
    """Return the version that the sight shows of this family, or the one of this number.

    Raises NotFound where there is none, and alike where the sight may not see it.
    """
    row = _version(sight, number, family, version)
    content = content_of(sight, row, veiling_of(sight))
    return Shown(number, family, row.number, row.pk, content.payload, content.digest, row.transcript_id, row.decided_at)


def artifact_digest(sight: Sight, number: int, family: str, *, version: int | None = None) -> str:
    """Return the digest that `artifact` gives, without its payload being read where it is stored as it is shown."""
    return digest_of(sight, _version(sight, number, family, version, whole=False))


def records(sight: Sight, number: int, family: str) -> list[dict[str, Any]]:
    """Return the records of the version that the sight shows; none where nothing is approved."""
    visible(sight, number)
    row = _rows(sight, number, family).first()
    return [] if row is None else records_of(orjson.loads(content_of(sight, row, veiling_of(sight)).payload))


def families(sight: Sight, number: int) -> Mapping[str, int]:
    """Return how many records of each family of the session the sight sees."""
    visible(sight, number)
    return record_counts(sight, number).get(number, {})


def _version(sight: Sight, number: int, family: str, version: int | None, *, whole: bool = True) -> ArtifactVersion:
    visible(sight, number)
    rows = _rows(sight, number, family)
    if version is not None:
        # Game masters see versions of any state; players the one that is approved, if it is the one.
        everything = ArtifactVersion.objects.filter(
            artifact__session__campaign=sight.campaign,
            artifact__session__number=number,
            artifact__lane=f"dnd/{family}",
        )
        rows = (rows if sight.is_player else everything).filter(number=version)
    rows = rows.select_related("artifact__session", "player_payload").defer("manifest", "findings", "consolidations")
    row = (rows if whole else rows.defer("payload", "player_payload__payload")).first()
    if row is None:
        raise NotFound("There is no such artifact.", code=Code.ARTIFACT_NONE)
    return row


def _rows(sight: Sight, number: int, family: str) -> ArtifactVersionQuerySet:
    rows = chosen_versions(sight).filter(artifact__session__number=number, artifact__lane=f"dnd/{family}")
    return rows.select_related("artifact__session", "player_payload").defer("manifest", "findings", "consolidations")
