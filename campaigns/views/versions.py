"""The decisions on an artifact, and any two of its versions side by side."""

from __future__ import annotations

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns.act_forms import Posted, Seen
from campaigns.actions import comparing, decisions, reruns
from campaigns.actions.nodes import key_of
from campaigns.banners import contradictions
from campaigns.deciding import CAUSES, by_lines, did, differences, rows_of, standing, turns_parted
from campaigns.models import ArtifactVersion
from campaigns.views.acts import managed_version, page_of_act
from campaigns.views.frame import frame
from extraction.registry import is_registry


@require_safe
def decision_history(request: HttpRequest, version_id: int) -> HttpResponse:
    """List who decided what, when and why, newest first: on the artifact, or on one record of it (`?record=N`)."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    version = managed_version(request, version_id)
    stands, seen = standing(version), Seen.of(version)
    record = Posted(request.GET).number("record")
    node, names = seen.node(record), seen.spelled()
    session, lane = version.artifact.session, version.artifact.lane
    offers = []
    if is_registry(lane):
        keys = [key_of(atom, anchored=False) for one in seen.nodes for atom in one.atoms]
        offers = decisions.offered_decisions(session, lane, keys)
    context = {
        **frame(request, "Decisions"),
        **page_of_act(version),
        "record": record if node else None,
        "name": seen.name_of(node.record) if node else "",
        "rows": rows_of(version, stands.stack, record),
        "next_undo": stands.stack.next_undo,
        "standing": stands,
        "head": stands.head,
        "contradictions": contradictions(version, stands.stack),
        "offers": [(offer, did(offer.decision, names)) for offer in offers],
        "lost": [(edit, did(edit.decision, names)) for edit in reruns.lost_edits(stands.head)],
    }
    return render(request, "review/acts_history.html", context)


@require_safe
def compare_versions(request: HttpRequest, version_id: int) -> HttpResponse:
    """Show what this version has otherwise than another one: `?with=NUMBER`, else the one that it was made from."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path(), login_url=reverse("login"))
    version = managed_version(request, version_id)
    others = list(version.artifact.versions.exclude(pk=version.pk).select_related("created_by").order_by("-number"))
    wanted = Posted(request.GET).number("with")
    other = _other(version, others, wanted)
    context = {
        **frame(request, "Compare versions"),
        **page_of_act(version),
        "others": others,
        "other": other,
        "missing": wanted is not None and (other is None or other.number != wanted),
        "head": standing(version).head,
    }
    if other is not None:
        other.artifact = version.artifact
        comparison = comparing.compare(other, version)
        before, after = Seen.of(other), Seen.of(version)
        names = {**before.spelled(), **after.spelled()}
        rest, became = turns_parted(comparison, before, after)
        added, removed, changed = differences(rest, before, after)
        context |= {
            "equal": comparison.equal,
            "became": became,
            "added": added,
            "removed": removed,
            "changed": changed,
            "lines": by_lines(comparison, before, after),
            "causes": [CAUSES[cause] for cause in comparison.causes],
            "between": [(row, did(row, names)) for row in comparison.decisions],
        }
    return render(request, "review/acts_compare.html", context)


def _other(version: ArtifactVersion, others: list[ArtifactVersion], wanted: int | None) -> ArtifactVersion | None:
    if wanted is not None:
        return next((one for one in others if one.number == wanted), None)
    earlier = [one for one in others if one.number < version.number]
    made_from = next((one for one in earlier if one.pk == version.parent_id), None)
    return made_from or (earlier[0] if earlier else None)
