"""Reviews for programs: the same acts as on the pages, on the same versions, with the same refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import orjson
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Body, Query, Router

from campaigns.access import Actor, Need, campaign_for, may, version_for
from campaigns.act_forms import Seen
from campaigns.actions import comparing, history, versions
from campaigns.actions.comparing import Changed, Comparison, Moved
from campaigns.acts import Call, place_of
from campaigns.api.act_schemas import AnAct
from campaigns.api.answers import Keyset, Row, conditional, etag_of, hashed, json_answer, listing, need_match
from campaigns.api.auth import actor_of, person_of
from campaigns.api.once import once
from campaigns.api.schemas import Family, ListQuery, ReasonIn, RowId, SessionNumber, Slug, VerdictIn
from campaigns.api.sessions import session_of
from campaigns.api.shown import VersionOut
from campaigns.api.shown_reviews import (
    ComparisonOut,
    DecisionList,
    DecisionOut,
    ReviewedOut,
    VersionDetail,
    VersionList,
)
from campaigns.deciding import Names, Standing, did, standing
from campaigns.errors import Forbidden, NotFound
from campaigns.models import ArtifactVersion, Decision
from extraction.codes import Code

listing_router = Router(tags=["reviews"])
router = Router(tags=["reviews"])
decisions_router = Router(tags=["reviews"])
NUMBERS = Keyset({"number": int})
ROWS = Keyset({"id": int})
NO_NOTE, NO_REASON = VerdictIn.model_validate({}), ReasonIn.model_validate({})
Verdict: TypeAlias = Callable[..., ArtifactVersion]


@listing_router.get("/{slug}/sessions/{number}/artifacts/{family}/versions", response=VersionList)
def list_versions(
    request: HttpRequest, slug: Slug, number: SessionNumber, family: Family, query: Query[ListQuery]
) -> HttpResponse:
    """All versions of an artifact, whatever became of them, oldest first; for game masters."""
    actor = actor_of(request)
    session = session_of(actor, campaign_for(actor, slug, Need.SEE_PENDING), number)
    rows = ArtifactVersion.objects.filter(artifact__session=session, artifact__lane=f"dnd/{family}")
    wanted = rows.filter(NUMBERS.beyond(query.cursor)).select_related("artifact").order_by("number")
    found = [_line(version) for version in wanted.defer("payload", "manifest", "findings")[: query.limit + 1]]
    return hashed(request, orjson.dumps(listing(*NUMBERS.page(found, query.limit))))


@router.get("/{version_id}", response=VersionDetail)
def get_version(request: HttpRequest, version_id: RowId) -> HttpResponse:
    """One version as a reviewer sees it: its records with their places, and what was united in each."""
    version = version_for(actor_of(request), version_id, Need.SEE_PENDING)
    stands = standing(version)
    return conditional(request, _tag(version, stands), lambda: orjson.dumps(_detail(version, stands)))


@router.post("/{version_id}/approve", response=VersionOut)
@once
def approve_version(request: HttpRequest, version_id: RowId, verdict: VerdictIn = NO_NOTE) -> HttpResponse:
    """Approve a pending version: from now on the campaign's registry is built with it."""
    return _decide(request, version_id, verdict, versions.approve)


@router.post("/{version_id}/reject", response=VersionOut)
@once
def reject_version(request: HttpRequest, version_id: RowId, verdict: VerdictIn = NO_NOTE) -> HttpResponse:
    """Reject a pending version; what was approved before stands."""
    return _decide(request, version_id, verdict, versions.reject)


@router.post("/{version_id}/acts", response={201: ReviewedOut})
@once
def review_version(request: HttpRequest, version_id: RowId, one_of: Body[AnAct]) -> HttpResponse:
    """Act on a version's records: unite, part, rename, remove, edit, undo. Each act makes the next version.

    The version is the one that you have seen: where another was made meanwhile, nothing is done (409, with its number
    as `newest`). An act that breaks the rules of the artifact is refused with a fault a field (422).
    """
    by = person_of(request)
    version = _held(request, version_id)
    call = Call(artifact_id=version.artifact_id, expected_version=version.number, reason=one_of.reason, by=by)
    done = one_of.do(call)
    seen = Seen.of(done.version)
    body = {
        "version": _shown(done.version),
        "decision": _decision(done.decision, seen.spelled()),
        "record": place_of(done, getattr(one_of, "record", None)) if seen.nodes else None,
        "contradictions": [[one.pk for one in rows] for rows in done.contradictions],
    }
    return json_answer(body, status=201, location=reverse("notarius-api:get_version", args=[done.version.pk]))


@router.get("/{version_id}/decisions", response=DecisionList)
def list_decisions(request: HttpRequest, version_id: RowId, query: Query[ListQuery]) -> HttpResponse:
    """What was decided about the version's artifact, by whom and why, oldest first; for game masters."""
    version = version_for(actor_of(request), version_id, Need.SEE_PENDING)
    artifact, after = version.artifact, ROWS.after(query.cursor)
    rows = Decision.objects.of(artifact.session_id, artifact.lane).select_related("by", "about", "about__about")
    wanted = rows if after is None else rows.filter(pk__gt=after[0])
    names = Seen.of(version).spelled()
    found = [_decision(row, names) for row in wanted[: query.limit + 1]]
    return hashed(request, orjson.dumps(listing(*ROWS.page(found, query.limit))))


@router.get("/{version_id}/compare/{other_id}", response=ComparisonOut)
def compare_versions(request: HttpRequest, version_id: RowId, other_id: RowId) -> HttpResponse:
    """What the other version has otherwise than this one, by the places of records, and why."""
    actor = actor_of(request)
    one, other = (version_for(actor, each, Need.SEE_PENDING) for each in (version_id, other_id))
    return hashed(request, orjson.dumps(_compared(comparing.compare(one, other))))


@decisions_router.post("/{decision_id}/withdraw", response=DecisionOut)
@once
def withdraw_decision(request: HttpRequest, decision_id: RowId, why: ReasonIn = NO_REASON) -> HttpResponse:
    """Have a decision bind no later run. What it did to the present version stays until the lane runs again."""
    _may_decide(actor_of(request), decision_id)
    row = history.withdraw(decision_id=decision_id, reason=why.reason, by=person_of(request))
    return json_answer(_decision(row, {}))


def _decide(request: HttpRequest, version_id: int, verdict: VerdictIn, act: Verdict) -> HttpResponse:
    by = person_of(request)
    _held(request, version_id)
    return json_answer(_shown(act(version_id=version_id, note=verdict.note, by=by)))


def _held(request: HttpRequest, version_id: int) -> ArtifactVersion:
    """Return the version for those who may change it; 412 where the request says that it knew another state of it."""
    version = version_for(actor_of(request), version_id, Need.EDIT)
    if "If-Match" in request.headers:
        need_match(request, etag_of(_tag(version, standing(version))))
    return version


def _may_decide(actor: Actor, decision_id: int) -> None:
    row = Decision.objects.select_related("session__campaign").filter(pk=decision_id).first()
    if row is None or not may(actor, row.session.campaign, Need.SEE_PENDING):
        raise NotFound("There is no such decision.", code=Code.DECISION_UNKNOWN)
    if not may(actor, row.session.campaign, Need.EDIT):
        raise Forbidden("You may read this campaign, but not change it.")


def _tag(version: ArtifactVersion, stands: Standing) -> tuple[int | str | None, ...]:
    undo, redo = stands.stack.next_undo, stands.stack.next_redo
    return (
        version.pk,
        version.state,
        version.note,
        stands.head.pk,
        undo.pk if undo else None,
        redo.pk if redo else None,
    )


def _shown(version: ArtifactVersion) -> dict[str, object]:
    return {
        "id": version.pk,
        "number": version.number,
        "family": version.artifact.lane.rpartition("/")[2],
        "state": version.state,
        "digest": version.digest,
        "note": version.note,
    }


def _made(version: ArtifactVersion) -> dict[str, object]:
    return {
        "origin": version.origin,
        "parent": version.parent_id,
        "created_at": version.created_at,
        "decided_at": version.decided_at,
    }


def _line(version: ArtifactVersion) -> Row:
    return {**_shown(version), **_made(version), "record_count": version.record_count}


def _detail(version: ArtifactVersion, stands: Standing) -> Row:
    session, (undo, redo) = version.artifact.session, (stands.stack.next_undo, stands.stack.next_redo)
    return {
        **_shown(version),
        **_made(version),
        "campaign": session.campaign.slug,
        "session": session.number,
        "source_id": version.transcript.source_id,
        "head": stands.head.pk,
        "next_undo": undo and undo.pk,
        "next_redo": redo and redo.pk,
        "records": [
            {"position": at, "record": node.record, "members": node.members, "decided": node.decided}
            for at, node in enumerate(Seen.of(version).nodes)
        ],
    }


def _decision(row: Decision, names: Names) -> dict[str, object]:
    return {
        "id": row.pk,
        "kind": row.kind,
        "said": did(row, names),
        "reason": row.reason,
        "by": row.by and row.by.get_username(),
        "at": row.at,
        "about": row.about_id,
        "version": row.made_id,
    }


def _compared(found: Comparison) -> Row:
    return {
        "equal": found.equal,
        "added": found.added,
        "removed": found.removed,
        "changed": [_changed(one) for one in found.changed],
        "moved": [_moved(one) for one in found.moved],
        "causes": found.causes,
        "decisions": [row.pk for row in found.decisions],
    }


def _changed(one: Changed) -> Row:
    return {
        "before": one.before,
        "after": one.after,
        "fields": [{"field": each.field, "before": each.before, "after": each.after} for each in one.fields],
        "evidence_added": [_units(each) for each in one.evidence_added],
        "evidence_removed": [_units(each) for each in one.evidence_removed],
    }


def _moved(one: Moved) -> Row:
    return {**_units(one.range), "before": one.before, "after": one.after}


def _units(pair: tuple[int, int]) -> dict[str, object]:
    return {"start_unit_id": pair[0], "end_unit_id": pair[1]}
