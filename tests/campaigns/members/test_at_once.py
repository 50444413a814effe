"""Two people take what only one can have, at the same time."""

from __future__ import annotations

import threading

import pytest
from django import db
from django.contrib.auth.models import User

from campaigns.actions import members
from campaigns.errors import ActionError
from campaigns.models import Membership
from extraction.codes import Code
from tests import factories


@pytest.mark.django_db(transaction=True)
def test_names_that_differ_by_case_alone_are_not_both_taken_at_once_in_two_campaigns() -> None:
    """Neither transaction sees what the other has written: whoever comes second has to wait."""
    if db.connection.vendor != "postgresql":
        pytest.skip("SQLite has one lock for all writers")
    gm = factories.make_user()
    own = [factories.make_membership(factories.make_campaign(), gm, Membership.Role.GM) for _ in range(2)]
    invitations = [members.invite(campaign=one.campaign, by=gm, role="player", days=7, most_uses=1)[0] for one in own]
    refused: list[Code] = []

    def second() -> None:
        try:
            members.sign_up(invitation_id=invitations[1].pk, username="WILM", password="tide-and-lantern", email="")
        except ActionError as error:
            refused.append(error.code)
        finally:
            db.connections.close_all()

    thread = threading.Thread(target=second)
    with db.transaction.atomic():
        members.sign_up(invitation_id=invitations[0].pk, username="wilm", password="tide-and-lantern", email="")
        thread.start()
        while thread.is_alive() and not somebody_waits():
            thread.join(timeout=0.05)
    thread.join(timeout=60)

    assert refused == [Code.INVITATION_INVALID]
    assert list(User.objects.filter(username__iexact="wilm").values_list("username", flat=True)) == ["wilm"]


def somebody_waits() -> bool:
    """Return whether anybody waits for a lock in this database; other suites may use the same server."""
    with db.connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE NOT granted AND datname = current_database())"
        )
        return bool(cursor.fetchone()[0])
