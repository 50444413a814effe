"""What follows a commit fails nobody, and says nothing of what it was at."""

from __future__ import annotations

import logging

import pytest
from django.db import transaction

from campaigns.committing import after_commit

SECRET = "/srv/exports/of-the-salt-ferry"


def lose(path: str) -> None:
    raise OSError(path)


@pytest.mark.django_db(transaction=True)
def test_what_fails_after_a_commit_stops_nothing_and_is_logged_without_its_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    done: list[str] = []
    with caplog.at_level(logging.DEBUG), transaction.atomic():
        after_commit(lose, SECRET)
        after_commit(done.append, "the next")

    assert done == ["the next"]
    assert caplog.messages == ["after a commit: lose failed with OSError"]
    assert SECRET not in caplog.text


@pytest.mark.django_db(transaction=True)
def test_nothing_follows_what_is_not_committed() -> None:
    done: list[str] = []
    with pytest.raises(KeyError), transaction.atomic():
        after_commit(done.append, "never")
        raise KeyError

    assert done == []
