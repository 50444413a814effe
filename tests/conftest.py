"""Fixtures that every test may use: a named cast for access, the shared folder, a search for leaked content.

The network is closed by pytest-socket's options in pyproject.toml: loopback and Unix sockets alone stay open.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser, User
from hypothesis import settings

from campaigns.models import Campaign, Membership
from tests import factories
from tests.leaks import Leaks

ROOT = Path(__file__).resolve().parent.parent
# What a test asks for that uses the database of the suite.
DATABASE = {"db", "transactional_db", "live_server"}
# A busy machine is no failure.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


@pytest.fixture
def campaign(db: None) -> Campaign:
    """A private campaign."""
    return factories.make_campaign("salt-ferry")


@pytest.fixture
def gm(campaign: Campaign) -> User:
    return _member(campaign, Membership.Role.GM)


@pytest.fixture
def player(campaign: Campaign) -> User:
    return _member(campaign, Membership.Role.PLAYER)


@pytest.fixture
def reader(campaign: Campaign) -> User:
    return _member(campaign, Membership.Role.READER)


@pytest.fixture
def outsider(db: None) -> User:
    """Somebody who is the GM of another campaign and nothing in `campaign`."""
    user = factories.make_user("outsider")
    factories.make_membership(factories.make_campaign("far-away"), user, Membership.Role.GM)
    return user


@pytest.fixture
def admin(db: None) -> User:
    """The site admin: a superuser without any membership."""
    return factories.make_user("admin", staff=True, superuser=True)


@pytest.fixture
def anonymous() -> AnonymousUser:
    return AnonymousUser()


@pytest.fixture
def shared_dir() -> Path:
    """The folder of large shared test data beside the checkout; tests that need it are skipped where it is absent."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the shared data folder is not beside this checkout")
    return folder


@pytest.fixture
def leaks() -> Leaks:
    """Finds the standard document's names and sentences where they must not be."""
    return Leaks.of_standard()


def _member(campaign: Campaign, role: Membership.Role) -> User:
    user = factories.make_user(role.value)
    factories.make_membership(campaign, user, role)
    return user


def pytest_configure(config: pytest.Config) -> None:
    """Know the groups of pytest-xdist where it is switched off, too."""
    config.addinivalue_line("markers", "xdist_group: runs on one worker with the others of its name")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests that start processes follow each other on one worker: they mostly wait, and others can work.

    They come first: what takes long at the end of a run keeps the other workers waiting. Files that use the suite's
    own database stay where they were, for nothing may come before those tests that begin with an empty one.
    """
    with_database = {item.path for item in items if DATABASE & set(getattr(item, "fixturenames", ()))}
    first = [item for item in items if item.get_closest_marker("slow") and item.path not in with_database]
    for item in first:
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group("processes"))
    apart = set(first)
    items[:] = first + [item for item in items if item not in apart]
