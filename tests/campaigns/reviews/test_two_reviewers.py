"""Two people who review one version at once: one is done, the other is told, and nothing is lost or done twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from django.contrib.auth.models import User

from campaigns.actions import editing, reviews, versions
from campaigns.actions.drafts import Reviewed
from campaigns.errors import Conflict, Overtaken
from campaigns.models import ArtifactVersion, Decision
from extraction.codes import Code
from tests import factories
from tests.at_once import at_once
from tests.campaigns.reviews.acting import DELL, PEOPLE, WICK, head, names, on


def refused(act: Callable[[], object]) -> Conflict | None:
    try:
        act()
    except Conflict as error:
        return error
    return None


@pytest.mark.django_db(transaction=True)
def test_of_acts_at_once_one_is_done_and_the_others_are_told() -> None:
    version = factories.make_version(None, PEOPLE)
    people = [factories.make_user() for _ in range(4)]
    acts: list[Callable[..., Reviewed]] = [
        lambda by: reviews.rename(**on(version), record=WICK, name="Old Wick", by=by),
        lambda by: reviews.remove(**on(version), record=DELL, by=by),
        lambda by: reviews.merge(**on(version), records=(DELL, WICK), canonical=DELL, by=by),
        lambda by: editing.set_evidence(**on(version), record=WICK, ranges=[(50, 50)], by=by),
    ]
    raised = at_once(*(partial(refused, partial(act, by)) for act, by in zip(acts, people, strict=True)))

    assert [error.code for error in raised if error] == [Code.VERSION_STALE] * 3
    assert (version.artifact.versions.count(), Decision.objects.count()) == (2, 1)
    assert Decision.objects.get().by == people[raised.index(None)]
    assert version.artifact.versions.filter(state="pending").count() == 1


@pytest.mark.django_db(transaction=True)
def test_approval_and_an_act_at_once_leave_one_approved_and_no_lost_act() -> None:
    version, by = factories.make_version(None, PEOPLE), factories.make_user()
    acts: list[Callable[[], object]] = [
        lambda: versions.approve(version_id=version.pk, note="", by=by),
        lambda: reviews.rename(**on(version), record=WICK, name="Old Wick", by=by),
    ]
    at_once(*(partial(refused, act) for act in acts))
    states = list(version.artifact.versions.order_by("number").values_list("state", flat=True))

    # Whoever came first: approved and then reviewed further, or superseded before it could be approved.
    assert states in (["approved", "pending"], ["superseded", "pending"])
    assert "Old Wick" in names(head(version))


def test_second_reviewer_does_the_act_on_what_the_first_made(registry: ArtifactVersion, gm: User, admin: User) -> None:
    first = reviews.rename(**on(registry), record=WICK, name="Old Wick", by=gm).version
    with pytest.raises(Overtaken) as refused:
        reviews.remove(**on(registry), record=DELL, by=admin)
    second = reviews.remove(**on(first), record=DELL, by=admin).version

    assert refused.value.newest == first.number
    assert names(second)[0] == "Old Wick"
