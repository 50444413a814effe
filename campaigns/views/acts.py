"""The acts of a review: forms that work without a script, each shown in the review page's own panel with one.

Every page and act is for the campaign's game masters and site admins; for anybody else there is no such page.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.access import Need, version_for
from campaigns.act_forms import Posted, Seen, with_problems
from campaigns.actions import history
from campaigns.actions.bulk import undisputed
from campaigns.actions.drafts import Reviewed
from campaigns.actions.nodes import Node
from campaigns.acts import Act, Call, act_for, place_of
from campaigns.banners import contradictions, out_of_date
from campaigns.deciding import Standing, impact_lines, standing, verdicts
from campaigns.errors import ActionError, Invalid, NotFound, Overtaken, Problem
from campaigns.library.secrets import marks
from campaigns.library.sight import Edition, Sight
from campaigns.library.sources import kind_of
from campaigns.models import ArtifactVersion, Decision
from campaigns.rebasing import carried
from campaigns.views.frame import frame
from campaigns.wording import lane_name
from extraction.registry import is_registry

ACT_KEYS = (
    (("a",), "accept the merge of this record"),
    (("A",), "accept all merges that nobody disputes"),
    (("m",), "merge this record with others, join this turn with the next"),
    (("e",), "edit this record"),
    (("d",), "say that it is not the same as another"),
    (("v",), "change what this record cites"),
    (("b",), "bring evidence to another record"),
    (("s",), "split this turn, or evidence off this record"),
    (("i",), "insert a record that was missed"),
    (("x",), "remove this record"),
    (("u",), "undo the newest act"),
    (("U",), "do again what was undone"),
    (("Esc",), "close the form"),
)
FRAGMENT = "notarius"
# These are about the newest act, whoever did it.
NEWEST_ONLY = frozenset({"undo", "redo"})


@require_safe
def act_panel(request: HttpRequest, version_id: int) -> HttpResponse:
    """Return the acts on one record as a fragment: `?record=N`. 401 and 404 are bodiless, for the page's script."""
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    try:
        version = version_for(request.user, version_id, Need.EDIT)
    except ActionError:
        return HttpResponse(status=404)
    return render(request, "review/acts_panel.html", acts_context(version, Posted(request.GET).number("record")))


@require_http_methods(["GET", "HEAD", "POST"])
def act_page(request: HttpRequest, version_id: int, act: str) -> HttpResponse:
    """Show the form of an act; POST does it and leads back to the record, in the version that it made."""
    if not isinstance(request.user, User):
        return redirect_to_login(reverse("review-version", args=[version_id]), login_url=reverse("login"))
    version = managed_version(request, version_id)
    asked = act_for(act, version.artifact.lane)
    if asked is None:
        raise Http404
    if request.method == "POST":
        return _do(request, version, asked, request.user)
    return _form(request, version, asked, Posted(request.GET))


@require_POST
def withdraw(request: HttpRequest, version_id: int) -> HttpResponse:
    """Have a decision of the version's artifact bind no later run.

    That leads back to where it was asked: above the records to the record that was looked at, else to the decisions.
    """
    if not isinstance(request.user, User):
        return redirect_to_login(reverse("review-version", args=[version_id]), login_url=reverse("login"))
    version, posted = managed_version(request, version_id), Posted(request.POST)
    artifact = version.artifact
    wanted = Decision.objects.filter(
        pk=posted.number("decision") or 0, session=artifact.session, lane=artifact.lane
    ).first()
    if wanted is None:
        raise Http404
    try:
        history.withdraw(decision_id=wanted.pk, reason=posted.text("reason"), by=request.user)
        messages.success(request, "Withdrawn. The next run of this lane does without it.")
    except ActionError as error:
        messages.error(request, str(error))
    if "above" not in request.POST:
        return HttpResponseRedirect(reverse("review-history", args=[version.pk]))
    return _lead(request, version, posted.number("record"))


def managed_version(request: HttpRequest, version_id: int) -> ArtifactVersion:
    """Return the version for those who manage its campaign; Http404 for anybody else."""
    try:
        return version_for(request.user, version_id, Need.EDIT)
    except ActionError as error:
        raise Http404 from error


def acts_context(version: ArtifactVersion, record: int | None) -> dict[str, object]:
    """Return what the panel of acts shows beside a record: what can be done to it, and what is undone next."""
    return _panel(Seen.of(version), standing(version), record)


def page_context(version: ArtifactVersion, record: int | None) -> dict[str, object]:
    """Return the panel of acts, and what stands above all records: out of date, contradictions, proposed merges."""
    seen, stands = Seen.of(version), standing(version)
    approved = ArtifactVersion.objects.approved().filter(artifact=version.artifact).exclude(pk=version.pk)
    return {
        **_panel(seen, stands, record),
        "stale": out_of_date(version),
        "approved": approved.only("pk", "number").first(),
        "contradictions": contradictions(version, stands.stack),
        "verdicts": verdicts(version, seen),
        "undisputed": len(undisputed(version)),
    }


def _panel(seen: Seen, stands: Standing, record: int | None) -> dict[str, object]:
    version = seen.version
    node = seen.node(record)
    family = seen.family
    return {
        "version": version,
        "head": stands.head,
        "is_head": stands.head.pk == version.pk,
        "standing": stands,
        "acts_record": record if node else None,
        "acts_name": seen.name_of(node.record) if node else "",
        "is_merge": bool(node and len(node.members) > 1),
        "is_renamed": bool(node and len(node.members) == 1),
        "is_decided": bool(node and node.decided),
        "accepted": {at for at, one in enumerate(seen.nodes) if one.decided and len(one.members) > 1},
        "is_registry": is_registry(seen.lane),
        "is_turns": family == "combat-turns",
        "is_divisible": bool(node and len(node.record.get("actions", ())) > 1),
        "cites": family != "scenes",
        "slug": version.artifact.session.campaign.slug,
        "entry_kind": kind_of(seen.lane) or "",
        "entity_id": node.record.get("id", "") if node else "",
        **({} if node is None or record is None else _kept(seen, node, record)),
    }


def _kept(seen: Seen, node: Node, record: int) -> dict[str, int | None]:
    """Return what keeps from players the record or the entry that it is, and what keeps apart those it is made of."""
    known = marks(Sight(seen.version.artifact.session.campaign, Edition.GM, words=True))
    kind = kind_of(seen.lane)
    if kind is None:
        return {"kept": known.record(seen.version, record)}
    entity_id, *others = (str(one.get("id", "")) for one in (node.record, *node.members))
    return {"kept": known.entry(kind, entity_id), "kept_apart": known.merge(kind, entity_id, others)}


def page_of_act(version: ArtifactVersion) -> dict[str, object]:
    """Return what the pages around one version share."""
    artifact = version.artifact
    return {
        "version": version,
        "heading": f"{lane_name(artifact.lane)}, version {version.number}",
        "session": artifact.session,
        "campaign": artifact.session.campaign,
    }


def _do(request: HttpRequest, version: ArtifactVersion, act: Act, by: User) -> HttpResponse:
    posted = Posted(request.POST)
    expected = posted.number("expected_version")
    if expected is None:
        return _form(request, version, act, posted, "The form came back incomplete. Open it again.", status=400)
    seen = Seen.of(version)
    try:
        if expected != version.number:
            # Places of records are those of the version that the form was made from.
            raise Overtaken(standing(version).head.number)
        if act.foresee is not None and "confirmed" not in request.POST:
            impact = act.foresee(seen, posted, expected)
            if impact is not None:
                return _confirm(request, version, act, posted, impact_lines(impact, seen.spelled()))
        call = Call(artifact_id=version.artifact_id, expected_version=expected, reason=posted.text("reason"), by=by)
        reviewed = act.do(seen, posted, call)
    except ActionError as error:
        return _refused(request, version, act, posted, error)
    return _done(request, act, posted, reviewed)


def _done(request: HttpRequest, act: Act, posted: Posted, reviewed: Reviewed) -> HttpResponse:
    version = reviewed.version
    messages.success(request, f"{act.title}: done. This is version {version.number}.")
    return _lead(request, version, place_of(reviewed, posted.number("record")))


def _lead(request: HttpRequest, version: ArtifactVersion, record: int | None) -> HttpResponse:
    """Lead to the record on the version's page, which a script puts in the place of the one that it stands on."""
    address = f"{reverse('review-version', args=[version.pk])}?record={record or 0}"
    if request.headers.get("X-Requested-With") != FRAGMENT:
        return HttpResponseRedirect(address)
    response = HttpResponse(status=204)
    response["X-Next"] = address
    return response


def _refused(
    request: HttpRequest, version: ArtifactVersion, act: Act, posted: Posted, error: ActionError
) -> HttpResponse:
    if isinstance(error, NotFound):
        return _form(request, version, act, posted, str(error), status=error.status)
    if isinstance(error, Overtaken):
        return _overtaken(request, version, act, posted, error)
    problems = error.problems if isinstance(error, Invalid) else ()
    return _form(request, version, act, posted, str(error), problems, status=error.status)


def _overtaken(
    request: HttpRequest, version: ArtifactVersion, act: Act, posted: Posted, error: Overtaken
) -> HttpResponse:
    """Show the form on the newer version with what was written, to be saved there once it was looked at.

    Where the record is gone, or the form is not of this version, it stands as it was sent. What undoes the newest act
    must not undo somebody else's.
    """
    newest = ArtifactVersion.objects.filter(artifact=version.artifact, number=error.newest).first()
    there = None
    if newest is not None and posted.number("expected_version") == version.number and act.key not in NEWEST_ONLY:
        newest.artifact = version.artifact
        there = carried(posted, Seen.of(version), Seen.of(newest))
    if newest is None or there is None:
        return _form(request, version, act, posted, str(error), overtaken=(version, newest), status=error.status)
    return _form(request, newest, act, there, str(error), overtaken=(version, newest), status=error.status)


def _form(
    request: HttpRequest,
    version: ArtifactVersion,
    act: Act,
    posted: Posted,
    problem: str = "",
    problems: Sequence[Problem] = (),
    overtaken: tuple[ArtifactVersion | None, ArtifactVersion | None] = (None, None),
    status: int = 200,
) -> HttpResponse:
    since, newest = overtaken
    seen = Seen.of(version)
    record = posted.number("record")
    node = seen.node(record)
    groups, general = with_problems(act.ask(seen, posted), problems)
    context = {
        "act": act,
        # A template would call the function itself.
        "foresees": act.foresee is not None,
        "groups": groups,
        "problem": problem,
        "general": general,
        "newest": newest,
        "since": since,
        "record": record if node else None,
        "name": seen.name_of(node.record) if node else "",
        "reason": posted.text("reason"),
    }
    return _render(request, version, act, "review/acts_form.html", context, status)


def _confirm(
    request: HttpRequest, version: ArtifactVersion, act: Act, posted: Posted, lines: Sequence[str]
) -> HttpResponse:
    kept = [
        (name, value)
        for name, values in posted.data.lists()
        if name not in ("csrfmiddlewaretoken", "confirmed")
        for value in values
    ]
    context = {"act": act, "lines": lines, "kept": kept, "record": posted.number("record")}
    return _render(request, version, act, "review/acts_confirm.html", context, 200)


def _render(
    request: HttpRequest,
    version: ArtifactVersion,
    act: Act,
    template: str,
    context: dict[str, object],
    status: int,
) -> HttpResponse:
    context = {**page_of_act(version), **context}
    if request.headers.get("X-Requested-With") == FRAGMENT:
        return render(request, template, context, status=status)
    context |= {**frame(request, act.title), "inner": template}
    return render(request, "review/acts_page.html", context, status=status)
