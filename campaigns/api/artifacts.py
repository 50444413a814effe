from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from campaigns.access import Actor, Need, campaign_for, may, sees, version_for
from campaigns.actions import versions
from campaigns.api.answers import conditional, json_answer, listing
from campaigns.api.auth import actor_of
from campaigns.api.schemas import ArtifactList, ArtifactQuery, PathName, RowId, SessionNumber, VerdictIn, VersionOut
from campaigns.api.sessions import artifact_states, session_of
from campaigns.errors import Forbidden, NotFound
from campaigns.models import ArtifactVersion, GameSession
from campaigns.redaction import without_words
from campaigns.wording import LANE_NAMES
from extraction.codes import Code

MEDIA_TYPE = "application/vnd.notarius.dnd.{}.v1+json"
FAMILIES = tuple(lane.rpartition("/")[2] for lane in LANE_NAMES)
DURABLE = {
    "description": "The durable JSON, each family under its own media type.",
    "content": {MEDIA_TYPE.format(family): {"schema": {"type": "object"}} for family in FAMILIES},
}

router = Router(tags=["artifacts"])
decisions = Router(tags=["artifacts"])


@router.get("/{slug}/sessions/{number}/artifacts", response=ArtifactList)
def list_artifacts(request: HttpRequest, slug: str, number: SessionNumber) -> HttpResponse:
    actor = actor_of(request)
    session = session_of(actor, campaign_for(actor, slug, Need.SEE_APPROVED), number)
    return json_answer(listing(artifact_states(actor, session), None))


@router.get("/{slug}/sessions/{number}/artifacts/{family}", openapi_extra={"responses": {200: DURABLE}})
def get_artifact(
    request: HttpRequest, slug: str, number: SessionNumber, family: PathName, query: Query[ArtifactQuery]
) -> HttpResponse:
    """The durable JSON, byte for byte: the approved version, the latest, or one by its number.

    Who may not read the transcript gets it without free text, which may repeat what was said.
    """
    actor = actor_of(request)
    need = Need.SEE_PENDING if query.status == "latest" else Need.SEE_APPROVED
    session = session_of(actor, campaign_for(actor, slug, need), number)
    version = _chosen(actor, session, f"dnd/{family}", query)
    media_type = MEDIA_TYPE.format(family)
    if not may(actor, session.campaign, Need.READ):
        wordless = partial(without_words, family, version.payload)
        return conditional(request, (version.digest, "without words"), wordless, media_type)
    return conditional(request, (version.digest,), version.payload.encode, media_type)


@decisions.post("/{version_id}/approve", response=VersionOut)
def approve_version(request: HttpRequest, version_id: RowId, verdict: VerdictIn) -> HttpResponse:
    """Approve a pending version: from now on the campaign's registry is built with it."""
    return _decide(request, version_id, verdict, approve=True)


@decisions.post("/{version_id}/reject", response=VersionOut)
def reject_version(request: HttpRequest, version_id: RowId, verdict: VerdictIn) -> HttpResponse:
    """Reject a pending version; what was approved before stands."""
    return _decide(request, version_id, verdict, approve=False)


def _decide(request: HttpRequest, version_id: int, verdict: VerdictIn, *, approve: bool) -> HttpResponse:
    actor = actor_of(request)
    version_for(actor, version_id, Need.EDIT)
    if actor.user is None:
        raise Forbidden("Only a person may decide.")
    act = versions.approve if approve else versions.reject
    version = act(version_id=version_id, note=verdict.note, by=actor.user)
    return json_answer(
        {
            "id": version.pk,
            "number": version.number,
            "family": version.artifact.lane.rpartition("/")[2],
            "state": version.state,
            "digest": version.digest,
            "note": version.note,
        }
    )


def _chosen(actor: Actor, session: GameSession, lane: str, query: ArtifactQuery) -> ArtifactVersion:
    """Return the version asked for; a version that is hidden answers exactly like one that does not exist."""
    rows = ArtifactVersion.objects.filter(artifact__session=session, artifact__lane=lane)
    if query.version is not None:
        rows = rows.filter(number=query.version)
    else:
        rows = rows.usable() if query.status == "latest" else rows.approved()
    version = rows.order_by("-number").first()
    if version is None or not sees(actor, version):
        raise NotFound("There is no such artifact.", code=Code.ARTIFACT_NONE)
    return version
