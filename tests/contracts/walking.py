"""Every address of the project, filled with everything that could be asked of a campaign that keeps secrets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern, RoutePattern

from campaigns.acts import ACTS
from campaigns.api.root import api
from campaigns.models import ArtifactVersion, Campaign
from extraction.registry import LANES
from tests.campaigns.library.story import Story

FAMILIES = tuple(lane.rpartition("/")[2] for lane in LANES)
AS_OF = ("", "as_of=1", "see=gm")
UNITS = ("", "unit=30", "as_of=1")
# Every page by its name, with what may stand behind the question mark. An address that is not here fails the walk.
PAGES: Mapping[str, Sequence[str]] = {
    "home": ("",),
    "site-campaign": AS_OF,
    "site-changes": ("", "as_of=1", "since=2000-01-01", "before=999999"),
    "site-feed": ("", "since=2000-01-01"),
    "site-picture": ("", "as_of=1"),
    "site-search": ("", "q=Vexmar", "q=hooded", "q=Orla", "q=lantern", "q=Quellkanar", "q=Ottilie", "q=key&kind=unit"),
    "site-exports": ("",),
    "site-export-file": ("",),
    "site-export-act": ("",),
    "site-session": (*UNITS, "see=gm"),
    "site-session-part": ("", "after=0", "before=12", "unit=30", "start=0&count=50"),
    "site-fight": AS_OF,
    "site-entries": ("", "as_of=1", "q=Vexmar", "q=o"),
    "site-entry": AS_OF,
    "healthz": ("",),
    "readyz": ("",),
    "metrics": ("",),
    "login": ("",),
    "account": ("",),
    "account-email": ("",),
    "join": ("",),
    "join-link": ("",),
    "members": ("",),
    "members-leave": ("",),
    "members-act": ("",),
    "secrets": ("",),
    "secret-hide": ("",),
    "secret-reveal": ("",),
    "webhooks": ("",),
    "webhook": ("",),
    "webhook-act": ("",),
    "invitations": ("",),
    "invitations-revoke": ("",),
    "upload-new": ("",),
    "upload": ("",),
    "upload-preview": ("",),
    "transcript": ("",),
    "transcript-unit": ("",),
    "transcript-evidence": ("",),
    "campaign-remove": ("",),
    "withdraw-words": ("",),
    "review-worklist": ("",),
    "review-session": ("",),
    "run-new": ("",),
    "run": ("",),
    "run-change": ("",),
    "review-run-lanes": ("",),
    "review-renew": ("",),
    "review-reading": ("", "unit=30"),
    "review-reading-units": ("", "start=0"),
    "review-reading-citing": ("", "unit=7"),
    "review-version": ("", "record=1"),
    "review-units": ("", "start=0"),
    "review-citing": ("", "unit=7"),
    "review-acts": ("", "record=1"),
    "review-act": ("", "record=1"),
    "review-withdraw": ("",),
    "review-history": ("", "record=1"),
    "review-compare": ("",),
    "numbers": ("",),
}
# Pages of other packages, and pages of accounts, which know nothing of campaigns.
STRANGE = ("account_", "mfa_", "admin:")
# Would end the visit itself.
LEFT_OUT = frozenset({"logout", "account_logout"})
# What may be asked of the API; a parameter that is not here fails the walk.
QUERIES: Mapping[str, Sequence[str]] = {
    "status": ("latest",),
    "as_of": ("1",),
    "edition": ("gm", "player"),
    "limit": ("1",),
    "cursor": (),
    "q": ("Vexmar", "hooded", "Quellkanar", "orla"),
    "session": ("1",),
    "speaker": ("Ottilie",),
    "kind": ("npc", "unit"),
    "fields": (),
    "quotes": ("true",),
    "start_unit": ("1", "30"),
    "end_unit": ("30", "20"),
    "version": ("1", "2"),
    "since": ("0",),
    "pipeline": ("npcs-only",),
    "lanes": ("npcs",),
}
ASKED_IN_FULL = 2
# By how the pattern begins: the admin lists its apps in no order.
REGEXES: Mapping[str, Sequence[str]] = {
    r"^account/password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$": ("account/password/reset/1-x/",),
    r"^(?P<app_label>": ("campaigns/",),
    r"(?P<url>.*)$": ("x",),
    "^api/": ("api/x",),
}


@dataclass(frozen=True, slots=True)
class Address:
    """One route of the project, with its parameters as Django knows them."""

    name: str
    parts: Sequence[object]

    @property
    def route(self) -> str:
        return "".join(str(part) for part in self.parts)

    def filled(self, values: Mapping[str, Sequence[object]]) -> Iterator[str]:
        """Yield the paths of all combinations of values; an error for one that nobody listed."""
        choices = [list(_filled(part, values)) for part in self.parts]
        for chosen in itertools.product(*choices):
            yield "/" + "".join(chosen)


def addresses() -> Iterator[Address]:
    yield from _below(get_resolver(), (), "")


def _below(resolver: URLResolver, parts: tuple[Any, ...], space: str) -> Iterator[Address]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from _below(pattern, (*parts, pattern.pattern), inner)
        elif isinstance(pattern, URLPattern):
            yield Address(f"{space}{pattern.name}", (*parts, pattern.pattern))


def _filled(part: object, values: Mapping[str, Sequence[object]]) -> Iterator[str]:
    if isinstance(part, RegexPattern):
        yield from next(found for begin, found in REGEXES.items() if str(part).startswith(begin))
        return
    assert isinstance(part, RoutePattern)
    names = list(part.converters)
    for chosen in itertools.product(*(values[name] for name in names)):
        path = str(part)
        for name, value in zip(names, chosen, strict=True):
            text = quote(str(part.converters[name].to_url(value)), safe="/:")
            path = path.replace(_placeholder(path, name), text, 1)
        yield path


def _placeholder(path: str, name: str) -> str:
    """Return the part of the route that the parameter fills, `<slug:slug>` or `<slug>`."""
    return next(
        f"<{one}" + ">"
        for one in (each.partition(">")[0] for each in path.split("<")[1:])
        if one.split(":")[-1] == name
    )


def operations() -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield method, path and query parameters of every operation of the API."""
    for path, found in api.get_openapi_schema()["paths"].items():
        for method, operation in found.items():
            asked = [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"]
            yield method.upper(), path, asked


def questions(asked: Sequence[str]) -> list[str]:
    """Return one query string a value of each parameter, and some of several; KeyError for an unlisted parameter."""
    found = [""]
    for name in asked:
        found += [urlencode({name: value}) for value in QUERIES[name]]
    if "q" in asked and "edition" in asked:
        found.append("q=hooded&edition=gm&as_of=1")
    return found


def asked(paths: Iterator[str], queries: Sequence[str]) -> Iterator[str]:
    """Yield every path, and behind the first two all that may be asked."""
    for at, path in enumerate(paths):
        for query in queries if at < ASKED_IN_FULL else ("",):
            yield f"{path}?{query}" if query else path


def values_of(story: Story, ids: Sequence[str], made: Mapping[str, Sequence[object]]) -> dict[str, Any]:
    """Return what every parameter of an address may be."""
    campaign: Campaign = story.campaign
    versions = ArtifactVersion.objects.filter(artifact__session__campaign=campaign).order_by("pk")
    sessions = list(campaign.sessions.order_by("number").values_list("pk", flat=True))
    return {
        "slug": [campaign.slug],
        "number": [1, 2, 3],
        "kind": ["npc", "item", "location"],
        "entity_id": list(ids),
        "family": FAMILIES,
        "name": ["presence-people", "presence-items", "relations", "speaking-s1", "fight-s1-1", "x"],
        "form": ["svg"],
        "k": [1],
        "unit_id": [1, 30],
        "session_id": sessions[:1],
        "version_id": [versions.first().pk, versions.last().pk],  # type: ignore[union-attr]
        "other_id": list(versions.values_list("pk", flat=True)[:1]),
        "act": sorted(ACTS)[:1],
        "token": ["x"],
        "secret": ["x"],
        "id": [1],
        "object_id": [1],
        "content_type_id": [1],
        **made,
    }
