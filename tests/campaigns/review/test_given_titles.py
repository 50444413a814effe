"""The title that a reviewer gave an encounter, when the scenes are made anew: kept, or left on the work list."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.actions import corrections, editing, history, reruns, secrets, versions
from campaigns.library.fights import fights
from campaigns.library.sight import sight_of
from campaigns.models import ArtifactVersion, Campaign, Decision, Transcript
from campaigns.worklist import work_in
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import head, on, records

UNITS = tuple(SourceUnit(at ^ 1, "Ines", f"Line {at} of the evening.") for at in range(2, 42))


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign, 3), UNITS)


def unit_at(position: int) -> int:
    return UNITS[position].unit_id


def found_scenes(transcript: Transcript, *starts: int, title: str = "A fight") -> ArtifactVersion:
    """Store scenes as an extraction gives them: talk, then a fight, and talk again."""
    ends = [*starts[1:], len(UNITS)]
    modes = ("social", "combat", "social")
    said = [
        families.scene(title if mode == "combat" else "Talk", unit_at(start), unit_at(end - 1), mode)
        for start, end, mode in zip(starts, ends, modes, strict=True)
    ]
    artifact = transcript.session.artifacts.filter(lane="dnd/scenes")
    ArtifactVersion.objects.filter(artifact__in=artifact, state="pending").update(state="superseded")
    return families.make_version(transcript, "scenes", said)


def fought(transcript: Transcript, position: int = 14) -> ArtifactVersion:
    act = [families.action("swings")]
    turns = [families.turn(transcript, "Pike", act, "Swings.", ((unit_at(at), unit_at(at)),)) for at in (position, 18)]
    return families.make_version(transcript, "combat-turns", turns)


@pytest.fixture
def titled(transcript: Transcript, gm: User) -> ArtifactVersion:
    """Scenes of which a reviewer gave the fight a title: it goes from the 11th unit to the 20th."""
    scenes = found_scenes(transcript, 0, 10, 20)
    return editing.edit_record(**on(scenes), record=1, fields={"title": "The bell tower"}, by=gm).version


def encounters(client: Client, turns: ArtifactVersion) -> list[str]:
    html = client.get(f"/review/versions/{turns.pk}/").content.decode()
    return re.findall(r'<h3 id="encounter-\d+">(Encounter \d+.*?) <span', html)


def waiting(version: ArtifactVersion) -> list[str]:
    (work,) = work_in([version.artifact.session.campaign])
    return [title for session in work.sessions for title in session.titles]


def test_encounter_keeps_its_title_when_the_scenes_are_made_anew(
    client: Client, transcript: Transcript, titled: ArtifactVersion
) -> None:
    turns = fought(transcript)
    before = encounters(client, turns)
    renewed = found_scenes(transcript, 0, 12, 22)

    assert before == encounters(client, turns) == ["Encounter 1: The bell tower"]
    assert records(renewed)[1]["title"] == "A fight"
    assert waiting(titled) == []


def test_title_is_kept_through_a_correction_of_the_transcript(
    client: Client, transcript: Transcript, titled: ArtifactVersion
) -> None:
    corrections.split_unit(session=transcript.session, unit_id=unit_at(2), parts=["Line 4 of", "the evening."], by=None)
    newer = transcript.session.transcripts.latest("revision")
    found_scenes(newer, 0, 12, 22)

    assert encounters(client, fought(newer)) == ["Encounter 1: The bell tower"]


def test_title_of_a_fight_that_is_gone_waits_on_the_work_list(
    client: Client, transcript: Transcript, titled: ArtifactVersion
) -> None:
    scenes = found_scenes(transcript, 0, 22, 35)
    turns = fought(transcript, 25)
    ArtifactVersion.objects.filter(pk=turns.pk).update(state="rejected")
    page = client.get("/review/").content.decode()

    assert waiting(titled) == ["The bell tower"]
    assert f'href="/review/versions/{scenes.pk}/decisions/"' in page
    assert "The bell tower" in page


def test_title_of_words_that_are_gone_waits_until_the_new_scenes_are_approved(
    transcript: Transcript, titled: ArtifactVersion, gm: User
) -> None:
    corrections.reword_unit(session=transcript.session, unit_id=unit_at(10), text="Quite another word.", by=None)
    newer = transcript.session.transcripts.latest("revision")
    scenes = found_scenes(newer, 0, 12, 22)
    fought(newer)

    assert waiting(titled) == ["The bell tower"]
    versions.approve(version_id=scenes.pk, note="", by=gm)
    assert waiting(titled) == []


def test_title_of_talk_does_not_wait_for_an_encounter(transcript: Transcript, gm: User) -> None:
    scenes = found_scenes(transcript, 0, 10, 20)
    titled = editing.edit_record(**on(scenes), record=0, fields={"title": "At the mill"}, by=gm).version
    fought(transcript)
    found_scenes(transcript, 0, 10, 20)

    assert waiting(titled) == []


def test_titles_ask_nothing_more_once_the_new_scenes_are_approved(
    transcript: Transcript, titled: ArtifactVersion, campaign: Campaign, gm: User
) -> None:
    renewed = found_scenes(transcript, 0, 12, 22)
    fought(transcript)
    versions.approve(version_id=renewed.pk, note="", by=gm)
    with CaptureQueriesContext(connection) as with_titles:
        work_in([campaign])
    Decision.objects.filter(lane="dnd/scenes").delete()
    with CaptureQueriesContext(connection) as without:
        work_in([campaign])

    assert len(with_titles) == len(without)


def test_newer_title_takes_the_place_of_the_kept_one(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User
) -> None:
    turns = fought(transcript)
    scenes = found_scenes(transcript, 0, 12, 22)
    made = editing.edit_record(**on(scenes), record=1, fields={"title": "The stair"}, by=gm).version

    assert encounters(client, turns) == ["Encounter 1: The stair"]
    history.undo(**on(made), by=gm)
    assert encounters(client, turns) == ["Encounter 1: The bell tower"]


def test_title_that_was_undone_is_neither_kept_nor_waits(
    client: Client, transcript: Transcript, titled: ArtifactVersion, gm: User
) -> None:
    history.undo(**on(titled), by=gm)
    found_scenes(transcript, 0, 12, 22)

    assert encounters(client, fought(transcript)) == ["Encounter 1: A fight"]
    assert waiting(titled) == []


def test_title_that_was_given_again_waits_no_longer(transcript: Transcript, titled: ArtifactVersion, gm: User) -> None:
    scenes = found_scenes(transcript, 0, 10, 20)
    (lost,) = reruns.lost_edits(scenes)

    assert waiting(titled) == ["The bell tower"]
    reruns.reapply_edit(**on(scenes), decision_id=lost.decision.pk, by=gm)
    assert records(head(scenes))[1]["title"] == "The bell tower"
    assert waiting(titled) == []


def fight_titles(who: User, campaign: Campaign, *, latest: bool = False) -> list[str]:
    return [fight.title for fight in fights(sight_of(who, campaign.slug, latest=latest), 3)]


def test_site_keeps_the_title_of_an_encounter_once_it_was_approved(
    transcript: Transcript, titled: ArtifactVersion, campaign: Campaign, gm: User, player: User
) -> None:
    versions.approve(version_id=fought(transcript).pk, note="", by=gm)
    versions.approve(version_id=titled.pk, note="", by=gm)
    before = fight_titles(player, campaign)
    versions.approve(version_id=found_scenes(transcript, 0, 12, 22).pk, note="", by=gm)

    assert before == fight_titles(player, campaign) == fight_titles(gm, campaign) == ["The bell tower"]


def test_site_shows_no_title_that_was_never_approved(
    transcript: Transcript, titled: ArtifactVersion, campaign: Campaign, gm: User, player: User
) -> None:
    versions.approve(version_id=fought(transcript).pk, note="", by=gm)
    versions.approve(version_id=found_scenes(transcript, 0, 12, 22).pk, note="", by=gm)

    assert fight_titles(player, campaign) == ["A fight"]
    assert fight_titles(gm, campaign, latest=True) == ["The bell tower"]


def test_players_of_a_campaign_with_secrets_get_the_title_that_was_judged_by_them(
    transcript: Transcript, titled: ArtifactVersion, campaign: Campaign, gm: User, player: User
) -> None:
    versions.approve(version_id=fought(transcript).pk, note="", by=gm)
    versions.approve(version_id=titled.pk, note="", by=gm)
    versions.approve(version_id=found_scenes(transcript, 0, 12, 22).pk, note="", by=gm)
    secrets.hide_range(session=transcript.session, start_unit=unit_at(30), end_unit=unit_at(31), note="", by=gm)

    assert (fight_titles(player, campaign), fight_titles(gm, campaign)) == (["A fight"], ["The bell tower"])
