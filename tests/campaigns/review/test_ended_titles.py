"""Titles that reviewers gave encounters and took away again: no later run brings them back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import corrections, editing, history, versions
from campaigns.models import ArtifactVersion, Campaign, Transcript
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.review.test_given_titles import (
    UNITS,
    encounters,
    fight_titles,
    fought,
    found_scenes,
    unit_at,
    waiting,
)
from tests.campaigns.reviews.acting import head, on

TITLE, OTHER = "The bell tower", "The stair"
Act = Callable[[ArtifactVersion, User], ArtifactVersion]


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign, 3), UNITS)


@pytest.fixture
def titled(transcript: Transcript, gm: User) -> ArtifactVersion:
    """Scenes of which a reviewer gave the fight a title: it goes from the 11th unit to the 20th."""
    return edited(found_scenes(transcript, 0, 10, 20), gm, 1, title=TITLE)


def edited(version: ArtifactVersion, by: User, record: int, **fields: str | int) -> ArtifactVersion:
    return editing.edit_record(**on(version), record=record, fields=fields, by=by).version


def deleted(version: ArtifactVersion, by: User, record: int = 1) -> ArtifactVersion:
    return editing.delete_record(**on(version), record=record, by=by).version


def added(version: ArtifactVersion, by: User) -> ArtifactVersion:
    fields: dict[str, str | int] = {"title": OTHER, "primary_mode": "combat", "start_unit_id": unit_at(15)}
    return editing.add_record(**on(version), fields=fields, by=by).version


def renewed(version: ArtifactVersion, *starts: int) -> ArtifactVersion:
    """Return what the next extraction finds, where no other places are given as at the first one."""
    version.artifact.versions.filter(state="pending").update(state="superseded")
    return found_scenes(version.transcript, *(starts or (0, 10, 20)))


@pytest.mark.parametrize(
    ("act", "at", "title"),
    [
        pytest.param(deleted, 14, "A fight", id="removed"),
        pytest.param(lambda it, by: edited(it, by, 1, title=OTHER), 14, OTHER, id="retitled"),
        pytest.param(
            lambda it, by: edited(it, by, 1, title=OTHER, start_unit_id=unit_at(13)),
            11,
            "A fight",
            id="retitled-shorter",
        ),
        pytest.param(
            lambda it, by: edited(it, by, 1, title=OTHER, start_unit_id=unit_at(13)), 14, OTHER, id="retitled-within"
        ),
        pytest.param(lambda it, by: edited(it, by, 1, start_unit_id=unit_at(13)), 11, "A fight", id="begins-later"),
        pytest.param(lambda it, by: edited(it, by, 1, start_unit_id=unit_at(13)), 14, TITLE, id="within-what-is-left"),
        pytest.param(lambda it, by: edited(it, by, 1, start_unit_id=unit_at(8)), 14, TITLE, id="begins-earlier"),
        pytest.param(lambda it, by: edited(it, by, 1, start_unit_id=unit_at(8)), 9, TITLE, id="where-it-begins-now"),
        pytest.param(lambda it, by: edited(it, by, 2, start_unit_id=unit_at(15)), 17, "A fight", id="ends-earlier"),
        pytest.param(lambda it, by: edited(it, by, 2, start_unit_id=unit_at(15)), 14, TITLE, id="before-it-ends"),
        pytest.param(lambda it, by: edited(it, by, 1, primary_mode="social"), 14, TITLE, id="another-mode"),
        pytest.param(added, 16, OTHER, id="parted"),
        pytest.param(added, 14, TITLE, id="first-part"),
        pytest.param(lambda it, by: deleted(added(it, by), by, 2), 16, TITLE, id="parted-and-united"),
        pytest.param(lambda it, by: deleted(added(it, by), by, 1), 14, "A fight", id="parted-and-first-part-removed"),
        pytest.param(lambda it, by: deleted(added(it, by), by, 1), 16, OTHER, id="second-part-stays"),
        pytest.param(lambda it, by: deleted(it, by, 0), 14, TITLE, id="scene-before-removed"),
        pytest.param(lambda it, by: deleted(it, by, 2), 14, TITLE, id="scene-after-removed"),
        pytest.param(
            lambda it, by: deleted(edited(it, by, 0, title=OTHER), by, 0), 14, TITLE, id="title-before-removed"
        ),
    ],
)
def test_later_run_has_the_title_that_reviewers_wanted_last(
    client: Client,
    transcript: Transcript,
    titled: ArtifactVersion,
    campaign: Campaign,
    gm: User,
    player: User,
    act: Act,
    at: int,
    title: str,
) -> None:
    versions.approve(version_id=titled.pk, note="", by=gm)
    turns = fought(transcript, at)
    versions.approve(version_id=turns.pk, note="", by=gm)
    made = act(head(titled), gm)
    versions.approve(version_id=made.pk, note="", by=gm)
    versions.approve(version_id=renewed(made).pk, note="", by=gm)

    assert encounters(client, turns)[0] == f"Encounter 1: {title}"
    assert fight_titles(player, campaign)[0] == fight_titles(gm, campaign)[0] == title


def test_removal_that_was_undone_brings_the_title_back(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User
) -> None:
    turns = fought(transcript)
    undone = history.undo(**on(deleted(titled, gm)), by=gm).version
    renewed(undone)

    assert encounters(client, turns) == [f"Encounter 1: {TITLE}"]


def test_removal_that_was_done_again_ends_the_title(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User
) -> None:
    turns = fought(transcript)
    undone = history.undo(**on(deleted(titled, gm)), by=gm).version
    renewed(history.redo(**on(undone), by=gm).version)

    assert encounters(client, turns) == ["Encounter 1: A fight"]


@pytest.mark.parametrize(
    ("act", "at", "title"),
    [
        pytest.param(deleted, 14, "A fight", id="removed"),
        pytest.param(deleted, 11, "A fight", id="removed-where-it-was-shorter"),
        pytest.param(lambda it, by: edited(it, by, 1, title=OTHER), 14, OTHER, id="retitled"),
        pytest.param(lambda it, by: edited(it, by, 1, title=OTHER), 11, "A fight", id="retitled-where-it-was-shorter"),
        pytest.param(lambda it, by: edited(it, by, 1, start_unit_id=unit_at(16)), 14, "A fight", id="begins-later"),
        pytest.param(lambda it, by: edited(it, by, 1, start_unit_id=unit_at(16)), 17, TITLE, id="within-what-is-left"),
    ],
)
def test_title_that_newer_scenes_kept_is_taken_from_them(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User, act: Act, at: int, title: str
) -> None:
    turns = fought(transcript, at)
    second = act(renewed(titled, 0, 12, 22), gm)
    renewed(second)

    assert encounters(client, turns) == [f"Encounter 1: {title}"]


def test_title_of_two_fights_stays_the_other_ones(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User
) -> None:
    turns = fought(transcript, 18)
    scenes = renewed(titled)
    ends = ((0, 9, "social"), (10, 14, "combat"), (15, 19, "combat"), (20, 39, "social"))
    found = [families.scene(f"Scene {at}", unit_at(at), unit_at(last), mode) for at, last, mode in ends]
    scenes.artifact.versions.filter(state="pending").update(state="superseded")
    edited(families.make_version(transcript, "scenes", found), gm, 1, title=OTHER)

    assert encounters(client, turns) == [f"Encounter 1: {TITLE}"]


def test_players_have_the_title_until_its_removal_is_approved(
    transcript: Transcript, titled: ArtifactVersion, campaign: Campaign, gm: User, player: User
) -> None:
    versions.approve(version_id=fought(transcript).pk, note="", by=gm)
    versions.approve(version_id=titled.pk, note="", by=gm)
    scenes = renewed(titled, 0, 12, 22)
    versions.approve(version_id=scenes.pk, note="", by=gm)
    gone = deleted(head(scenes), gm)

    assert fight_titles(player, campaign) == [TITLE]
    assert fight_titles(gm, campaign, latest=True) == ["Talk"]
    versions.approve(version_id=gone.pk, note="", by=gm)
    versions.approve(version_id=renewed(gone).pk, note="", by=gm)
    assert fight_titles(player, campaign) == ["A fight"]


@pytest.mark.parametrize("reworded", [None, 10, 14, 19])
def test_title_that_was_removed_waits_for_nobody(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User, reworded: int | None
) -> None:
    gone = deleted(titled, gm)
    if reworded is not None:
        said = "Quite another word."
        corrections.reword_unit(session=transcript.session, unit_id=unit_at(reworded), text=said, by=None)
    newest = transcript.session.transcripts.latest("revision")
    gone.artifact.versions.filter(state="pending").update(state="superseded")
    found_scenes(newest, 0, 12, 22)

    assert waiting(titled) == []
    assert encounters(client, fought(newest)) == ["Encounter 1: A fight"]


@pytest.mark.parametrize("runs", [1, 2])
def test_newer_title_stays_where_an_older_one_ends_around_it(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User, runs: int
) -> None:
    """The second title is of a scene that was added at the 16th unit, or that a later run found there."""
    if runs == 1:
        fields: dict[str, str | int] = {"title": OTHER, "primary_mode": "social", "start_unit_id": unit_at(15)}
        head_of = editing.add_record(**on(titled), fields=fields, by=gm).version
    else:
        titled.artifact.versions.filter(state="pending").update(state="superseded")
        ends = [("Talk", 0, 9, "social"), ("A fight", 10, 14, "combat"), ("A chase", 15, 19, "exploration")]
        scenes = [families.scene(title, unit_at(start), unit_at(end), mode) for title, start, end, mode in ends]
        last = families.scene("Talk", unit_at(20), unit_at(len(UNITS) - 1), "social")
        head_of = edited(families.make_version(transcript, "scenes", [*scenes, last]), gm, 2, title=OTHER)
    edited(head_of, gm, 1, title="The cellar")
    turns = fought(transcript, 16)
    renewed(titled, 0, 10, 20)

    assert encounters(client, turns) == [f"Encounter 1: {OTHER}"]


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda it, by: edited(it, by, 1, start_unit_id=unit_at(10)), id="set-back"),
        pytest.param(lambda it, by: deleted(it, by, 0), id="scene-before-removed"),
    ],
)
def test_title_stays_where_its_fight_is_corrected_to_begin_there(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User, act: Act
) -> None:
    """The next run has the fight begin two units later than the scene that was given the title."""
    act(renewed(titled, 0, 12, 22), gm)

    assert encounters(client, fought(transcript, 11)) == [f"Encounter 1: {TITLE}"]


@pytest.mark.parametrize(
    ("act", "at", "title"),
    [
        pytest.param(deleted, 11, "A fight", id="removed-before-it"),
        pytest.param(deleted, 14, "A fight", id="removed"),
        pytest.param(lambda it, by: edited(it, by, 1, title=OTHER), 11, "A fight", id="retitled-before-it"),
        pytest.param(lambda it, by: edited(it, by, 1, title=OTHER), 14, OTHER, id="retitled"),
    ],
)
def test_title_that_was_taken_away_after_a_correction_stays_away(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User, act: Act, at: int, title: str
) -> None:
    """The correction is of a line far behind; the scenes of the new revision are shorter than those of the old."""
    corrections.reword_unit(session=transcript.session, unit_id=unit_at(35), text="Another word.", by=None)
    corrected = transcript.session.transcripts.latest("revision")
    titled.artifact.versions.filter(state="pending").update(state="superseded")
    last = act(found_scenes(corrected, 0, 12, 22), gm)
    turns, before = fought(corrected, at), waiting(titled)
    renewed(last, 0, 10, 20)

    assert TITLE not in [*before, *waiting(titled)]
    assert encounters(client, turns) == [f"Encounter 1: {title}"]


def test_title_that_was_taken_away_goes_on_the_site_when_a_later_run_is_approved(
    client: Client, transcript: Transcript, titled: ArtifactVersion, campaign: Campaign, gm: User, player: User
) -> None:
    """The run came before anybody had decided on the removal; both say the same afterwards."""
    turns = fought(transcript)
    for version in (turns, titled):
        versions.approve(version_id=version.pk, note="", by=gm)
    deleted(head(titled), gm)
    versions.approve(version_id=found_scenes(transcript, 0, 10, 20).pk, note="", by=gm)

    assert encounters(client, turns) == ["Encounter 1: A fight"]
    assert fight_titles(player, campaign) == ["A fight"]
