"""What of the stored versions one sight may read: the versions, and of each the records of that sight's edition."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from campaigns.library.kept import kept_in
from campaigns.library.mentions import Mentions
from campaigns.library.sight import Sight
from campaigns.library.veiled import links_of
from campaigns.library.veiling import Veiling, veiling_for
from campaigns.models import ArtifactVersion, Campaign, Edition, PlayerPayload, RegistryState, Secret
from campaigns.redaction import records_key, without_words
from extraction.canonical import bytes_digest, digest

if TYPE_CHECKING:
    from campaigns.querysets import ArtifactVersionQuerySet

WORDLESS = "without words"


def stored_edition(sight: Sight) -> Edition:
    """Return whose rows hold what the sight sees: a campaign that never had a secret keeps the game masters' alone."""
    if "edition" not in sight.memo:
        own = sight.is_player and has_player_rows(sight.campaign)
        sight.memo["edition"] = Edition.PLAYER if own else Edition.GM
    edition: Edition = sight.memo["edition"]
    return edition


def has_player_rows(campaign: Campaign) -> bool:
    return RegistryState.objects.filter(campaign=campaign, edition=Edition.PLAYER).exists()


def chosen_versions(sight: Sight) -> ArtifactVersionQuerySet:
    """Return the versions that the sight shows: one an artifact, in the sessions that exist for it."""
    rows = ArtifactVersion.objects.filter(artifact__session__campaign=sight.campaign)
    if sight.as_of is not None:
        rows = rows.filter(artifact__session__number__lte=sight.as_of)
    if not sight.latest:
        return rows.approved()
    newest: dict[int, int] = {}
    for artifact_id, pk in rows.usable().order_by("number").values_list("artifact_id", "pk"):
        newest[artifact_id] = pk
    return ArtifactVersion.objects.filter(pk__in=newest.values())


@dataclass(frozen=True, slots=True)
class Content:
    """Canonical JSON with a digest that changes whenever it does, and its number of records."""

    payload: str
    digest: str
    records: int


def content_of(sight: Sight, version: ArtifactVersion, veiling: Veiling | None = None) -> Content:
    """Return what the sight may read of the version; `veiling` is the sight's, where one must be worked out."""
    payload, said, count = version.payload, version.digest, version.record_count
    kept = _stored(sight, version)
    if kept is not None:
        payload, said, count = kept.payload, kept.digest, kept.record_count
    elif veiling is not None:
        payload, count = _veiled(sight, version, veiling)
        said = bytes_digest(payload.encode())
    if sight.words:
        return Content(payload, said, count)
    return Content(without_words(family_of(version), payload).decode(), digest([said, WORDLESS]), count)


def digest_of(sight: Sight, version: ArtifactVersion) -> str:
    """Return the digest of what the sight may read of the version, without reading it where it is stored."""
    veiling = veiling_of(sight)
    if veiling is not None:
        return content_of(sight, version, veiling).digest
    kept = _stored(sight, version)
    said = version.digest if kept is None else kept.digest
    return said if sight.words else digest([said, WORDLESS])


def veiling_of(sight: Sight) -> Veiling | None:
    """Return what players may know as of an earlier session, which is stored nowhere; None for any other sight."""
    if not sight.is_player or sight.as_of is None:
        return None
    if "veiling" not in sight.memo:
        sight.memo["veiling"] = veiling_for(sight.campaign, sight.as_of)
    found: Veiling | None = sight.memo["veiling"]
    return found


def _veiled(sight: Sight, version: ArtifactVersion, veiling: Veiling) -> tuple[str, int]:
    """Return the payload as the sight may read it, and its count: worked out once for all that one request asks."""
    place = ("veiled", version.pk)
    if place not in sight.memo:
        sight.memo[place] = veiling.payload(version)
    found: tuple[str, int] = sight.memo[place]
    return found


def shown(
    sight: Sight, families: Iterable[str], numbers: Collection[int] | None = None, *, whole: bool = True
) -> Mapping[tuple[int, str], ArtifactVersion]:
    """Return by session number and family the version that the sight shows, in the order of sessions.

    With `numbers` those of these sessions alone; without `whole` nothing of what they say is read.
    """
    lanes = [f"dnd/{family}" for family in families]
    rows = chosen_versions(sight).filter(artifact__lane__in=lanes)
    if numbers is not None:
        rows = rows.filter(artifact__session__number__in=numbers)
    unread = ["manifest", "findings", "consolidations"]
    if not whole and veiling_of(sight) is None:
        unread += ["payload", "player_payload__payload"]
    found = rows.select_related("artifact__session", "player_payload", "transcript").defer(*unread)
    return {
        (version.artifact.session.number, family_of(version)): version
        for version in found.order_by("artifact__session__number")
    }


def payloads(
    sight: Sight, families: Iterable[str], numbers: Collection[int] | None = None
) -> Mapping[tuple[int, str], tuple[ArtifactVersion, dict[str, Any]]]:
    """Return by session number and family the version shown and its payload, in the order of sessions.

    With `numbers` those of these sessions alone.
    """
    veiling = veiling_of(sight)
    return {
        at: (version, orjson.loads(content_of(sight, version, veiling).payload))
        for at, version in shown(sight, families, numbers).items()
    }


def record_counts(sight: Sight, number: int | None = None) -> Mapping[int, dict[str, int]]:
    """Return by session number, or for one session, how many records of each family the sight sees."""
    rows = chosen_versions(sight).order_by("artifact__session__number", "artifact__lane")
    if number is not None:
        rows = rows.filter(artifact__session__number=number)
    found: dict[int, dict[str, int]] = {}
    for session, lane, count in _counted(sight, rows):
        found.setdefault(session, {})[lane.rpartition("/")[2]] = count
    return found


def _counted(sight: Sight, rows: ArtifactVersionQuerySet) -> Iterator[tuple[int, str, int]]:
    veiling = veiling_of(sight)
    if veiling is None:
        # Of each version only this: a long campaign has thousands of them on every page.
        told = rows.values_list(
            "artifact__session__number", "artifact__lane", "record_count", "player_payload__record_count"
        )
        for session, lane, count, kept in told:
            yield session, lane, kept if sight.is_player and kept is not None else count
        return
    whole = rows.select_related("artifact__session").defer("manifest", "findings", "consolidations")
    for version in whole:
        yield version.artifact.session.number, version.artifact.lane, veiling.count(version)


def shown_title(sight: Sight) -> Callable[[str], str]:
    """Return what makes of a session's title what the sight sees: nothing of one that hints at a secret name.

    A title is free text: without words there is none.
    """
    if not sight.words:
        return lambda _: ""
    if not sight.is_player:
        return str
    live = list(Secret.objects.filter(campaign=sight.campaign, revealed_at=None))
    hidden = [one for one in live if one.kind != Secret.Kind.MERGE]
    secret = Mentions.of(name for one in hidden for name in one.binding.get("names", ()))
    unknown = Mentions.of(name for one in live if one.kind == Secret.Kind.MERGE for name in one.binding["names"])
    apart = [links_of(merge) for merge in kept_in(live).merges]

    def said(title: str) -> str:
        told = any(len(links.hinted(title)) > 1 for links in apart) or secret.hinted(title) or unknown.named(title)
        return "" if told else title

    return said


def _stored(sight: Sight, version: ArtifactVersion) -> PlayerPayload | None:
    if not sight.is_player or sight.as_of is not None:
        return None
    return getattr(version, "player_payload", None)


def records_of(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = payload[records_key(payload)]
    return records


def family_of(version: ArtifactVersion) -> str:
    return version.artifact.lane.rpartition("/")[2]
