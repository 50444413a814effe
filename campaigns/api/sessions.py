from __future__ import annotations

from collections.abc import Sequence

import orjson
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from campaigns.access import Actor, Need, campaign_for, may
from campaigns.actions.staleness import Reason, Stale, stale_artifacts
from campaigns.api.answers import Keyset, Row, hashed, listing
from campaigns.api.auth import actor_of
from campaigns.api.entries import cited_as, paged
from campaigns.api.schemas import SessionNumber, SightedListQuery, SightQuery, Slug
from campaigns.api.shown import FightList, SceneList, SessionDetail, SessionList
from campaigns.api.sights import seen
from campaigns.errors import NotFound
from campaigns.library import artifacts, fights, sessions
from campaigns.library.fights import Fight, Turn
from campaigns.library.sessions import SessionLine
from campaigns.models import ArtifactVersion, Campaign, GameSession
from extraction.codes import Code

router = Router(tags=["sessions"])
ORDER = Keyset({"number": int})
SCENES = Keyset({"index": int})
SCENE_FIELDS = ("title", "primary_mode", "start_unit_id", "end_unit_id")


@router.get("/{slug}/sessions", response=SessionList)
def list_sessions(request: HttpRequest, slug: Slug, query: Query[SightedListQuery]) -> HttpResponse:
    """The sessions in the order of their numbers; without a right to transcripts, those with something approved."""
    after = ORDER.after(query.cursor)
    found = sessions.sessions(seen(request, slug, query))
    rows = [_line(line) for line in found if after is None or line.number > int(after[0])]
    return hashed(request, orjson.dumps(listing(*ORDER.page(rows, query.limit))))


@router.get("/{slug}/sessions/{number}", response=SessionDetail)
def get_session(request: HttpRequest, slug: Slug, number: SessionNumber, query: Query[SightQuery]) -> HttpResponse:
    """One session with the state of its artifacts."""
    sight = seen(request, slug, query)
    line, row = sessions.session(sight, number), sessions.visible(sight, number)
    return hashed(request, orjson.dumps({**_line(line), "artifacts": artifact_states(actor_of(request), row)}))


@router.get("/{slug}/sessions/{number}/scenes", response=SceneList)
def list_scenes(
    request: HttpRequest, slug: Slug, number: SessionNumber, query: Query[SightedListQuery]
) -> HttpResponse:
    """The scenes of a session: together they are all of its transcript, in order."""
    found = artifacts.records(seen(request, slug, query), number, "scenes")
    rows = [{"index": at, **{name: one[name] for name in SCENE_FIELDS}} for at, one in enumerate(found)]
    return hashed(request, paged(rows, query, SCENES))


@router.get("/{slug}/sessions/{number}/fights", response=FightList)
def list_fights(
    request: HttpRequest, slug: Slug, number: SessionNumber, query: Query[SightedListQuery]
) -> HttpResponse:
    """The fights of a session: their rounds and turns, those that break into others inside of them."""
    found = fights.fights(seen(request, slug, query), number)
    return hashed(request, paged([_fight(fight) for fight in found], query, ORDER))


def session_of(actor: Actor, campaign: Campaign, number: int) -> GameSession:
    """Return the session for those who read the campaign; NotFound where there is none."""
    session = GameSession.objects.filter(campaign=campaign, number=number).select_related("campaign").first()
    if session is None or not may(actor, campaign, Need.READ):
        raise NotFound("There is no such session.", code=Code.SESSION_UNKNOWN)
    return session


def editable(request: HttpRequest, slug: str, number: int) -> GameSession:
    """Return the session for those who may change it."""
    actor = actor_of(request)
    return session_of(actor, campaign_for(actor, slug, Need.EDIT), number)


def artifact_states(actor: Actor, session: GameSession) -> Sequence[Row]:
    """Return which version of each artifact is approved, which is the latest, and what is stale, as far as they see.

    Why something is stale tells of registries and transcripts as they are: that is for those who see what is pending.
    """
    pending = may(actor, session.campaign, Need.SEE_PENDING)
    rows = ArtifactVersion.objects.usable().filter(artifact__session=session).order_by("artifact__lane", "number")
    states: dict[str, dict[str, object]] = {}
    for lane, number, pk, state in rows.values_list("artifact__lane", "number", "pk", "state"):
        if state == ArtifactVersion.State.APPROVED or pending:
            known = states.setdefault(lane, _state(lane))
            known |= {"latest": number, "latest_id": pk}
            if state == ArtifactVersion.State.APPROVED:
                known |= {"approved": number, "approved_id": pk}
    stale = stale_artifacts(session) if pending else []
    for lane, known in states.items():
        shown = (known["approved"], known["latest"])
        own = [one for one in stale if one.version.artifact.lane == lane and one.version.number in shown]
        known["stale"] = [_told(one, reason) for one in own for reason in one.reasons]
    return list(states.values())


def _state(lane: str) -> dict[str, object]:
    nothing = dict.fromkeys(("approved", "approved_id", "latest", "latest_id"))
    return {"family": lane.rpartition("/")[2], **nothing, "stale": []}


def _told(stale: Stale, reason: Reason) -> Row:
    lane = reason.lane or stale.version.artifact.lane
    family = lane.rpartition("/")[2]
    was = {"was": reason.was, "now": reason.now}
    return {"version": stale.version.number, "reason": reason.kind, "family": family, **was}


def _line(line: SessionLine) -> Row:
    return {
        "number": line.number,
        "title": line.title,
        "played": line.played,
        "unit_count": line.unit_count,
        "families": dict(line.families),
    }


def _fight(fight: Fight) -> Row:
    return {
        "number": fight.number,
        "title": fight.title,
        "rounds": [{"number": each.number, "turns": [_turn(turn) for turn in each.turns]} for each in fight.rounds],
    }


def _turn(turn: Turn) -> Row:
    return {
        "index": turn.index,
        "record": turn.record,
        "during": turn.during,
        "assumed": turn.assumed,
        "interrupts": [_turn(each) for each in turn.interrupts],
        "evidence": cited_as(turn.refs),
    }
