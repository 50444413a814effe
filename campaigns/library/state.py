"""All that one sight sees of a campaign, as one digest."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import OuterRef, Subquery

from campaigns.library.editions import chosen_versions, digest_of
from campaigns.library.ranges import withheld_of
from campaigns.library.registry import registry_digest
from campaigns.library.seen import seen_digest
from campaigns.library.sessions import outline
from campaigns.library.sight import Sight
from campaigns.library.sources import KINDS
from campaigns.models import Transcript
from extraction.canonical import JsonValue, digest


def edition_digest(sight: Sight) -> str:
    """Return a digest that changes whenever anything does that the sight sees: titles, registries, records, words.

    What the sight does not see changes it never.
    """
    return digest(list(_told(sight)))


def _told(sight: Sight) -> Iterator[JsonValue]:
    yield [sight.campaign.name, sight.campaign.public]
    for kind in KINDS:
        yield [kind, registry_digest(sight, kind)]
    for line in outline(sight):
        yield [line.number, line.title]
    rows = chosen_versions(sight).select_related("artifact__session", "player_payload")
    told = rows.defer("manifest", "findings", "consolidations", "player_payload__payload")
    if sight.as_of is None:
        told = told.defer("payload", "manifest", "findings", "consolidations", "player_payload__payload")
    for version in told.order_by("artifact__session__number", "artifact__lane"):
        yield [version.artifact.session.number, version.artifact.lane, digest_of(sight, version)]
    yield from _words(sight)


def _words(sight: Sight) -> Iterator[JsonValue]:
    if not sight.words:
        return
    newest = Transcript.objects.filter(session=OuterRef("session")).order_by("-revision").values("pk")[:1]
    rows = Transcript.objects.filter(session__campaign=sight.campaign, pk=Subquery(newest))
    if sight.as_of is not None:
        rows = rows.filter(session__number__lte=sight.as_of)
    found = list(rows.order_by("session__number"))
    hidden = withheld_of(sight, found)
    for transcript in found:
        yield [transcript.source_id, seen_digest(transcript, hidden.get(transcript.pk, ()))]
