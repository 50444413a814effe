"""Somebody looking at a campaign: what they see of it, and the page around what they look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_safe

from campaigns.access import Actor, Need, may
from campaigns.errors import Forbidden, NotFound
from campaigns.library.secrets import Marks, marks
from campaigns.library.sessions import SessionLine, outline
from campaigns.library.sight import Edition, Sight, sight_of
from campaigns.models import Campaign
from campaigns.views.site.kinds import WORDINGS
from extraction.canonical import bytes_digest

P = ParamSpec("P")
MOST_DIGITS = 9
# The ids of units and rows may be far larger than counts and numbers of sessions.
ID_DIGITS = 18
# Kept in the person's web session, by campaign: up to which session they have seen, and whether as a player would.
SEEN, PLAYING = "seen_up_to", "seen_as_player"


@dataclass(frozen=True, slots=True)
class MenuItem:
    name: str
    view: str
    where: Mapping[str, str]
    address: str = ""
    current: str = ""

    def at(self, slug: str, path: str) -> MenuItem:
        """Return the item with its address, marked where this is the page, or a page below it."""
        address = reverse(self.view, kwargs={"slug": slug, **self.where})
        below = self.view != "site-campaign" and path.startswith(address)
        return replace(self, address=address, current="page" if path == address else "true" if below else "")


@dataclass(frozen=True)
class Visit:
    """One look at a campaign. `manages`: they may decide here; `whole`: they may see the GM's edition.

    `path` is the page's address, which the menu marks.
    """

    request: HttpRequest
    sight: Sight
    manages: bool
    whole: bool
    path: str

    @property
    def campaign(self) -> Campaign:
        return self.sight.campaign

    @property
    def as_player(self) -> bool:
        return self.whole and self.sight.edition is Edition.PLAYER

    @property
    def keeps_secrets(self) -> bool:
        """Say whether what is kept from players is marked, with the buttons to hide and to reveal."""
        return self.manages and not self.as_player

    @cached_property
    def marks(self) -> Marks:
        """Return what is kept from players; nothing is marked for those who do not keep it."""
        return marks(self.sight)

    @property
    def menu(self) -> list[MenuItem]:
        """Return where one goes from every page of the campaign."""
        items = [MenuItem("Story", "site-campaign", {})]
        items += [MenuItem(wording.title, "site-entries", {"kind": kind}) for kind, wording in WORDINGS.items()]
        items += [MenuItem("Changes", "site-changes", {})]
        if self.sight.words:
            items += [MenuItem("Members", "members", {}), MenuItem("Export", "site-exports", {})]
        if self.keeps_secrets:
            items += [MenuItem("Secrets", "secrets", {}), MenuItem("Webhooks", "webhooks", {})]
        return [item.at(self.campaign.slug, self.path) for item in items]

    @cached_property
    def sessions(self) -> list[SessionLine]:
        """The sessions that the person wants to hear of, in order: how many come after them is not told either.

        What is counted in them is left out: this stands on every page.
        """
        return outline(self.sight)

    def page(
        self, template: str, context: Mapping[str, object], *, title: str, told: str = "", status: int = 200
    ) -> HttpResponse:
        """Return the page. `told` is what a preview elsewhere may say: it is shown for public campaigns alone."""
        shared = {
            "visit": self,
            "sight": self.sight,
            "campaign": self.campaign,
            "page_title": title,
            "preview": self._preview(title, told),
        }
        response = render(self.request, template, {**shared, **context}, status=status)
        patch_cache_control(response, private=True, no_cache=True)
        return response

    def _preview(self, title: str, told: str) -> Mapping[str, str] | None:
        """Return title and description for link previews: nothing of private campaigns, no name that is GM-only."""
        if not self.campaign.public:
            return None
        safe = self.sight.edition is Edition.PLAYER
        return {
            "title": f"{title} · {self.campaign.name}" if safe and title != self.campaign.name else self.campaign.name,
            "description": told if safe and told else "The record of a campaign, session by session.",
        }


def site_page(
    view: Callable[Concatenate[HttpRequest, Visit, P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Return the view for addresses with a campaign's slug; what one may not see answers 404.

    Whoever chooses there to see less than is on the page is led to the campaign.
    """

    @require_safe
    @wraps(view)
    def page(request: HttpRequest, slug: str, *args: P.args, **where: P.kwargs) -> HttpResponse:
        try:
            visit = visit_of(request, slug)
        except (NotFound, Forbidden) as error:
            raise Http404 from error
        try:
            return view(request, visit, *args, **where)
        except (NotFound, Forbidden) as error:
            # Whether there is more of it later or for others, or nothing anywhere, is not looked at: no answer tells.
            chosen = _chosen(visit)
            if not chosen:
                raise Http404 from error
            messages.info(request, f"There is no such page {chosen}: this is the campaign as you see it now.")
            return redirect("site-campaign", slug=slug)

    return page


def visit_of(request: HttpRequest, slug: str) -> Visit:
    """Return the visit, and remember what the address says about it: `?as_of=N` and `?see=player|gm`.

    Raises NotFound as `access.campaign_for` does.
    """
    # One actor for all that is asked of them here: it keeps the role that was read.
    who = Actor.of_user(request.user)
    sight = sight_of(who, slug, need=Need.SEE_APPROVED)
    whole = may(who, sight.campaign, Need.SEE_PENDING)
    if whole and _plays(request, slug):
        sight = sight_of(who, slug, need=Need.SEE_APPROVED, edition=Edition.PLAYER)
    sight = replace(sight, as_of=_seen_up_to(request, slug))
    return Visit(request, sight, may(who, sight.campaign, Need.EDIT), whole, request.path)


def administering(request: HttpRequest, campaign: Campaign, user: User, path: str) -> Visit:
    """Return the visit of a page of the campaign's administration: there all is seen that the person may see.

    Raises NotFound as `access.campaign_for` does.
    """
    who = Actor.of_user(user)
    sight = sight_of(who, campaign.slug)
    return Visit(request, sight, may(who, campaign, Need.EDIT), may(who, campaign, Need.SEE_PENDING), path)


def made_once(
    request: HttpRequest, basis: bytes, make: Callable[[], bytes], content_type: str, *, filename: str = ""
) -> HttpResponse:
    """Return what `make` gives, with an ETag of what it is made of, or 304 where the browser has it already."""
    etag = f'"{bytes_digest(content_type.encode() + basis)}"'
    known = [part.strip().removeprefix("W/") for part in request.headers.get("If-None-Match", "").split(",")]
    response = HttpResponseNotModified() if etag in known else HttpResponse(make(), content_type=content_type)
    response["ETag"] = etag
    # Everybody may see something else here: no cache between us and them keeps it.
    patch_cache_control(response, private=True, no_cache=True)
    patch_vary_headers(response, ["Cookie"])
    if filename:
        response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def whole_number(value: str, digits: int = MOST_DIGITS) -> int | None:
    """Return the text as a number from 0, or None for anything else."""
    return int(value) if value.isascii() and value.isdigit() and len(value) <= digits else None


def _chosen(visit: Visit) -> str:
    """Return in words what this very address narrows the campaign to; nothing for what was chosen before."""
    asked = visit.request.GET
    if visit.sight.as_of is not None and "as_of" in asked:
        return f"up to session {visit.sight.as_of}"
    return "for players" if visit.as_player and "see" in asked else ""


def _plays(request: HttpRequest, slug: str) -> bool:
    wanted = request.GET.get("see")
    if wanted in ("player", "gm"):
        _remember(request, PLAYING, slug, True if wanted == "player" else None)
    return slug in request.session.get(PLAYING, {})


def _seen_up_to(request: HttpRequest, slug: str) -> int | None:
    if "as_of" in request.GET:
        _remember(request, SEEN, slug, whole_number(request.GET["as_of"]))
    seen = request.session.get(SEEN, {}).get(slug)
    return seen if isinstance(seen, int) else None


def _remember(request: HttpRequest, what: str, slug: str, value: int | None) -> None:
    """Keep it in the web session; nothing is written, and no session begun, where nothing changes."""
    kept = dict(request.session.get(what, {}))
    before = kept.pop(slug, None)
    if value is not None:
        kept[slug] = value
    if before != value:
        request.session[what] = kept
