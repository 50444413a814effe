"""Every address of the website, asked by everybody: who gets in, what needs the form's token, and that asking changes
nothing. The addresses are the resolver's own: one that is not in the table fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.http.response import HttpResponseBase, StreamingHttpResponse
from django.test import Client
from pytest_django import DjangoDbBlocker

from campaigns.models import CacheRow, Campaign, Membership, Run
from tests import factories
from tests.campaigns.library.story import Story
from tests.contracts import walking
from tests.contracts.test_secrets_walk import fill
from tests.contracts.walkers import Somebody, any_number_of_requests, cast, made, told, values

__all__ = ("any_number_of_requests", "cast", "made", "told", "values")

ROLES = ("anonymous", "outsider", "reader", "player", "gm", "admin")
ANYBODY, SIGNED_IN, MEMBERS, GMS, ADMINS = (frozenset(ROLES[start:]) for start in (0, 1, 2, 4, 5))
NOBODY: frozenset[str] = frozenset()
# Who gets in, by the name of the address, in a private campaign.
PLACES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("home", "healthz", "readyz", "login", "join-link"), ANYBODY),
    **dict.fromkeys(("account", "account-email"), SIGNED_IN),
    **dict.fromkeys(
        (
            *("site-campaign", "site-changes", "site-feed", "site-picture", "site-search", "site-session"),
            *("site-session-part", "site-fight", "site-entries", "site-entry", "site-exports", "members"),
        ),
        MEMBERS,
    ),
    # An admin is no member, who could leave.
    "members-leave": MEMBERS - {"admin"},
    **dict.fromkeys(
        (
            *("members-act", "invitations", "invitations-revoke", "secrets", "secret-hide", "secret-reveal"),
            *("webhooks", "webhook", "webhook-act", "upload-new", "upload", "upload-preview", "transcript"),
            *("transcript-unit", "transcript-evidence", "withdraw-words", "campaign-remove", "review-worklist"),
            *("review-session", "run-new", "run", "run-change", "review-run-lanes", "review-renew", "review-reading"),
            *("review-reading-units", "review-reading-citing", "review-version", "review-units", "review-citing"),
            *("review-acts", "review-act", "review-withdraw", "review-history", "review-compare", "site-export-act"),
        ),
        GMS,
    ),
    **dict.fromkeys(("metrics", "numbers"), ADMINS),
    # The walk has no invitation at hand; its finished export is the game masters' edition.
    "join": NOBODY,
    "site-export-file": GMS,
}
# What they ask for by name or number is not there, though they would get it.
ABSENT = frozenset(
    {"members-act", "webhook-act", "upload-preview", "run-change", "review-withdraw", "review-citing"}
    | {"review-reading-citing"}
)
# Without a campaign in the address these do not name what they are about.
UNSAFE = ("post", "put", "patch", "delete")
# Asking these is written down: who has signed in, and how often an address was asked.
NOTED = {"Session", CacheRow.__name__}


@pytest.fixture(scope="module")
def one(
    told: Story, values: Mapping[str, Any], django_db_blocker: DjangoDbBlocker
) -> Iterator[Mapping[str, list[object]]]:
    """The first value of each parameter, in a private campaign."""
    with django_db_blocker.unblock():
        Campaign.objects.filter(pk=told.campaign.pk).update(public=False)
        Run.objects.update(plan={"lanes": []})
        yield {name: list(each)[:1] for name, each in values.items()}


@pytest.fixture(scope="module")
def clients(one: object, cast: Mapping[str, Somebody], django_db_blocker: DjangoDbBlocker) -> Mapping[str, Client]:
    with django_db_blocker.unblock():
        return {role: cast[role].client for role in ROLES}


def own_addresses() -> dict[str, walking.Address]:
    """Return the addresses of our own pages by name."""
    strange = ("admin/", "api/", "^api/")
    found = [each for each in walking.addresses() if not each.name.startswith(walking.STRANGE)]
    return {each.name: each for each in found if each.name == "numbers" or not each.route.startswith(strange)}


def all_paths(one: Mapping[str, list[object]]) -> Iterator[str]:
    """Yield one path of each address of the project, the API's apart, which are asked by operation."""
    for address in walking.addresses():
        if not address.route.startswith("api/") and address.name not in walking.LEFT_OUT:
            yield next(iter(address.filled(one)))


def asked(client: Client, method: str, path: str) -> HttpResponseBase:
    """Ask once and undo what was done."""
    with transaction.atomic():
        response = read(getattr(client, method)(path))
        transaction.set_rollback(True)
    return response


def read(response: HttpResponseBase) -> HttpResponseBase:
    """Return the answer, read to its end: a file that nobody reads stays open."""
    if isinstance(response, StreamingHttpResponse):
        response.getvalue()
    return response


def refused(response: HttpResponseBase) -> bool:
    to_login = response.status_code in (302, 303) and "/login/" in response["Location"]
    return to_login or response.status_code in (401, 404)


def test_every_page_is_in_the_table() -> None:
    assert set(own_addresses()) - walking.LEFT_OUT == set(PLACES)


@pytest.mark.parametrize("role", ROLES)
def test_pages_let_in_whom_the_table_names_and_nobody_else(
    role: str, one: Mapping[str, list[object]], clients: Mapping[str, Client], db: None
) -> None:
    wrongly_in, wrongly_out = [], []
    for name, address in own_addresses().items():
        if name in walking.LEFT_OUT:
            continue
        path = next(iter(address.filled(one)))
        answers = [asked(clients[role], method, path) for method in ("get", "post")]
        taken = [each for each in answers if each.status_code != 405]
        assert taken, f"{name} takes neither"
        assert all(each.status_code < 500 for each in taken), name
        inside = [each for each in taken if not refused(each)]
        if role not in PLACES[name] and inside and name != "login":
            wrongly_in.append((name, [each.status_code for each in inside]))
        if role in PLACES[name] and not inside and name not in ABSENT:
            wrongly_out.append((name, [each.status_code for each in taken]))

    assert (wrongly_in, wrongly_out) == ([], [])


def test_a_game_master_elsewhere_reaches_nothing_through_their_own_campaign(
    told: Story, one: Mapping[str, list[object]], clients: Mapping[str, Client], cast: Mapping[str, Somebody], db: None
) -> None:
    """The campaign in the address is theirs, the number behind it is not: nested ids are looked up within it."""
    outsider = cast["outsider"].user
    assert outsider is not None
    elsewhere = factories.make_campaign("elsewhere-walk")
    factories.make_membership(elsewhere, outsider, Membership.Role.GM)
    nested: dict[str, list[object]] = {**one, "slug": [elsewhere.slug]}
    reached = {}
    for name, address in own_addresses().items():
        if "<slug:slug>" not in address.route or address.route.count("<") < 2:
            continue
        if name in {"site-entries", "upload"}:  # a list, and a form for a session that is yet to be
            continue
        path = next(iter(address.filled(nested)))
        for method in ("get", "post"):
            status = asked(clients["outsider"], method, path).status_code
            if status not in (404, 405):
                reached[f"{method} {name}"] = status
    for method, route, _ in walking.operations():
        if "{slug}" in route and route.count("{") > 1:
            path = next(iter(fill(route, nested)))
            with transaction.atomic():
                status = clients["outsider"].generic(method, path, b"{}", content_type="application/json").status_code
                transaction.set_rollback(True)
            if status not in (404, 415, 422):
                reached[f"{method} {route}"] = status

    assert reached == {}


def test_admin_is_closed_to_everybody_but_staff(
    one: Mapping[str, list[object]], clients: Mapping[str, Client], db: None
) -> None:
    paths = [path for path in all_paths(one) if path.startswith("/admin/") and path != "/admin/numbers/"]
    still_open = []
    for path in paths:
        for role in ("anonymous", "gm"):
            response = asked(clients[role], "get", path)
            away = response.status_code in (302, 303) and response["Location"] != "/admin/"
            if not (away or response.status_code in (403, 404) or "login" in path or "logout" in path):
                still_open.append((role, path, response.status_code))

    assert len(paths) > 50
    assert still_open == []


def rows() -> dict[str, int]:
    return {
        model.__name__: model._default_manager.count()
        for model in apps.get_models()
        if model.__name__ not in NOTED and model._meta.managed
    }


def test_no_unsafe_request_is_taken_without_the_token_of_a_form(
    one: Mapping[str, list[object]], cast: Mapping[str, Somebody], db: None
) -> None:
    client, admin = Client(enforce_csrf_checks=True), cast["admin"].user
    assert admin is not None
    client.force_login(admin)
    before, taken = rows(), []
    for path in all_paths(one):
        for method in UNSAFE:
            status = getattr(client, method)(path).status_code
            # What is under no address at all, answers so before anything else.
            if status not in (403, 405) and not (status == 404 and path.startswith("/api/")):
                taken.append((method, path, status))
    for method, route, _ in walking.operations():
        if method != "GET":
            path = next(iter(fill(route, one)))
            status = client.generic(method, path, b"{}", content_type="application/json").status_code
            if status != 403 and not ("{file}" in route or status == 415):
                taken.append((method, route, status))

    assert taken == []
    assert rows() == before


def test_asking_changes_nothing(one: Mapping[str, list[object]], clients: Mapping[str, Client], db: None) -> None:
    before = rows()
    statuses = [read(clients["admin"].get(path)).status_code for path in all_paths(one)]
    for method, route, _ in walking.operations():
        if method == "GET":
            statuses.append(read(clients["admin"].get(next(iter(fill(route, one))))).status_code)

    assert statuses.count(200) > 100
    assert max(statuses) < 500
    assert rows() == before
