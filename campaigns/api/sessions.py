from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from campaigns.access import Actor, Need, campaign_for, may
from campaigns.api.answers import Keyset, Row, json_answer, listing
from campaigns.api.auth import actor_of
from campaigns.api.schemas import ListQuery, SessionDetail, SessionList, SessionNumber
from campaigns.errors import NotFound
from campaigns.models import ArtifactVersion, Campaign, GameSession
from extraction.codes import Code

router = Router(tags=["sessions"])
ORDER = Keyset({"number": int})


@router.get("/{slug}/sessions", response=SessionList)
def list_sessions(request: HttpRequest, slug: str, query: Query[ListQuery]) -> HttpResponse:
    campaign = campaign_for(actor_of(request), slug, Need.SEE_APPROVED)
    rows = _visible(actor_of(request), campaign).filter(ORDER.beyond(query.cursor)).order_by(*ORDER.fields)
    found = list(rows.values("number", "title")[: query.limit + 1])
    return json_answer(listing(*ORDER.page(found, query.limit)))


@router.get("/{slug}/sessions/{number}", response=SessionDetail)
def get_session(request: HttpRequest, slug: str, number: SessionNumber) -> HttpResponse:
    """One session with the state of its artifacts."""
    actor = actor_of(request)
    session = session_of(actor, campaign_for(actor, slug, Need.SEE_APPROVED), number)
    artifacts = artifact_states(actor, session)
    return json_answer({"number": session.number, "title": session.title, "artifacts": artifacts})


def session_of(actor: Actor, campaign: Campaign, number: int) -> GameSession:
    """Return the session if they may see it; NotFound otherwise."""
    session = _visible(actor, campaign).filter(number=number).first()
    if session is None:
        raise NotFound("There is no such session.", code=Code.SESSION_UNKNOWN)
    return session


def artifact_states(actor: Actor, session: GameSession) -> Sequence[Row]:
    """Return which version of each artifact is approved and which is the latest, as far as they may see."""
    pending = may(actor, session.campaign, Need.SEE_PENDING)
    rows = ArtifactVersion.objects.usable().filter(artifact__session=session).order_by("artifact__lane", "number")
    states: dict[str, dict[str, object]] = {}
    for lane, number, state in rows.values_list("artifact__lane", "number", "state"):
        if state == ArtifactVersion.State.APPROVED or pending:
            family = lane.rpartition("/")[2]
            known = states.setdefault(lane, {"family": family, "approved": None, "latest": None})
            known["latest"] = number
            if state == ArtifactVersion.State.APPROVED:
                known["approved"] = number
    return list(states.values())


def _visible(actor: Actor, campaign: Campaign) -> QuerySet[GameSession]:
    """Sessions; those who may only see what is approved see the ones that have something approved."""
    sessions = GameSession.objects.filter(campaign=campaign).select_related("campaign")
    if may(actor, campaign, Need.READ):
        return sessions
    approved = ArtifactVersion.objects.approved().filter(artifact__session=OuterRef("pk"))
    return sessions.filter(Exists(approved))
