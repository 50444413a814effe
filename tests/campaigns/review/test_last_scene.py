"""A session's only scene stays: its transcript is read along scenes, which cover every unit."""

from __future__ import annotations

import html as markup

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import editing, history, reruns
from campaigns.actions.editing import ONLY_SCENE
from campaigns.errors import Invalid
from campaigns.models import ArtifactVersion, Transcript
from extraction.codes import Code
from tests.campaigns.api.conftest import bearer
from tests.campaigns.review import families
from tests.campaigns.review.acting import address, done
from tests.campaigns.reviews.acting import head, on, records


@pytest.fixture
def pair(transcript: Transcript) -> ArtifactVersion:
    return families.make_version(
        transcript, "scenes", [families.scene("The pier", 41, 55), families.scene("The boat", 7, 211)]
    )


@pytest.fixture
def alone(transcript: Transcript) -> ArtifactVersion:
    return families.make_version(transcript, "scenes", [families.scene("The evening", 41, 211)])


def test_form_that_would_take_the_only_scene_says_why_not(client: Client, alone: ArtifactVersion) -> None:
    got = client.post(address(alone, "delete"), {"record": 0, "expected_version": 1})

    assert got.status_code == 422
    assert ONLY_SCENE in markup.unescape(got.content.decode())
    assert head(alone) == alone


def test_program_that_would_take_the_only_scene_is_told_a_stable_code(alone: ArtifactVersion, gm: User) -> None:
    said = {"act": "delete", "record": 0}
    got = bearer(gm, "write").post(f"/api/v1/artifact-versions/{alone.pk}/acts", said, content_type="application/json")

    assert got.status_code == 422
    assert [(one["code"], one["detail"]) for one in got.json()["errors"]] == [(Code.SCENES_NOT_A_PARTITION, ONLY_SCENE)]
    assert head(alone) == alone


@pytest.mark.parametrize(("gone", "stays"), [(0, "The boat"), (1, "The pier")])
def test_last_but_one_goes_and_comes_back(
    client: Client, pair: ArtifactVersion, gm: User, gone: int, stays: str
) -> None:
    made = done(client, pair, "delete", record=gone)

    assert [(one["title"], one["start_unit_id"], one["end_unit_id"]) for one in records(made)] == [(stays, 41, 211)]
    assert client.post(address(made, "delete"), {"record": 0, "expected_version": made.number}).status_code == 422
    assert history.undo(**on(made), by=gm).version.payload == pair.payload


def test_removal_is_not_done_again_where_it_would_take_the_only_scene(
    pair: ArtifactVersion, transcript: Transcript, gm: User
) -> None:
    decision = editing.delete_record(**on(pair), record=1, by=gm).decision
    pair.artifact.versions.filter(state="pending").update(state="superseded")
    renewed = families.make_version(transcript, "scenes", [families.scene("The boat", 7, 211)])

    with pytest.raises(Invalid) as refused:
        reruns.reapply_edit(**on(renewed), decision_id=decision.pk, by=gm)
    assert [one.code for one in refused.value.problems] == [Code.SCENES_NOT_A_PARTITION]
