"""What a person said is gone from everywhere, and what was made of it says so."""

from __future__ import annotations

import pytest
from django.test import Client

from campaigns.actions import corrections, plans, runs
from campaigns.actions.staleness import stale_artifacts
from campaigns.actions.withdrawal import withdraw_words
from campaigns.actions.work import work
from campaigns.carried import of_session
from campaigns.errors import ActionError, Conflict
from campaigns.keeping.tables import kept_models, rows_of
from campaigns.models import Checkpoint, Exchange, GameSession, Membership, Unit
from extraction.source.documents import SourceUnit, units_digest
from tests.factories import make_membership, make_session, make_transcript, make_user

pytestmark = pytest.mark.django_db
SECRET = "My sister Jolanda lives in Varsselder."
UNITS = (
    SourceUnit(3, "Ines", "Captain Voss, the harbour warden, greets you at the gate."),
    SourceUnit(1, "Joost", SECRET),
    SourceUnit(7, "Ines", "Captain Voss nods and lets you pass."),
    SourceUnit(9, "Joost", "I thank Captain Voss."),
)


@pytest.fixture
def session() -> GameSession:
    """A session whose registry was made by a run, and whose speaker was called otherwise in its first revision."""
    named = [
        SourceUnit(unit.unit_id, "SPEAKER_1" if unit.speaker == "Joost" else unit.speaker, unit.text) for unit in UNITS
    ]
    session = make_transcript(make_session(), named).session
    corrections.rename_speaker(session=session, old="SPEAKER_1", new="Joost", by=None)
    run = runs.start(session=session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)
    work(lane_id=run.lanes.get().pk)
    return session


def everywhere() -> str:
    return "\n".join(str(row) for model in kept_models() for row in rows_of(model))


def test_the_words_are_nowhere_any_more(session: GameSession) -> None:
    assert SECRET in everywhere()
    removed = withdraw_words(campaign=session.campaign, label="Joost", by=make_user())

    assert removed == 4
    assert SECRET not in everywhere()
    assert not Exchange.objects.exists()
    assert not Checkpoint.objects.exists()


def test_structure_and_ids_stay_and_digests_are_of_what_is_left(session: GameSession) -> None:
    withdraw_words(campaign=session.campaign, label="Joost", by=None)
    revisions = list(session.transcripts.order_by("revision"))

    assert len(revisions) == 3
    for revision in revisions:
        units = corrections.units_of(revision)
        assert [unit.unit_id for unit in units] == [unit.unit_id for unit in UNITS]
        assert [unit.text == Unit.WITHDRAWN for unit in units] == [False, True, False, True]
        assert {unit.speaker for unit in units if unit.text == Unit.WITHDRAWN} == {None}
        assert units_digest(units) == revision.digest


def test_what_was_made_of_the_words_is_flagged(session: GameSession) -> None:
    assert stale_artifacts(session) == []
    withdraw_words(campaign=session.campaign, label="Joost", by=None)
    [carried] = of_session(session)

    assert [one.version.artifact.lane for one in stale_artifacts(session)] == ["dnd/npcs"]
    assert carried.carried > 0
    assert carried.lost > 0


def test_others_keep_their_words(session: GameSession) -> None:
    other = make_transcript(make_session(), UNITS).session
    withdraw_words(campaign=session.campaign, label="Joost", by=None)

    assert Unit.objects.filter(transcript__session=other, text=SECRET).count() == 1
    assert Unit.objects.filter(transcript__session=session, speaker="Ines", text=UNITS[0].text).count() == 3


def test_nothing_is_withdrawn_for_a_stranger_or_under_a_run(session: GameSession) -> None:
    before = everywhere()
    with pytest.raises(ActionError):
        withdraw_words(campaign=session.campaign, label="Nobody", by=None)
    assert everywhere() == before
    runs.start(session=session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)
    with pytest.raises(Conflict):
        withdraw_words(campaign=session.campaign, label="Joost", by=None)

    assert Unit.objects.filter(text=SECRET).exists()


def test_a_game_master_confirms_and_a_player_finds_no_page(client: Client, session: GameSession) -> None:
    campaign = session.campaign
    gm, player = make_user(), make_user()
    make_membership(campaign, gm, Membership.Role.GM)
    make_membership(campaign, player, Membership.Role.PLAYER)
    address = f"/campaigns/{campaign.slug}/withdraw/"
    client.force_login(player)
    assert client.post(address, {"speaker": "Joost", "sure": "yes"}).status_code == 404
    client.force_login(gm)
    assert "4 lines" not in client.get(f"{address}?speaker=Joost").content.decode()
    assert client.post(address, {"speaker": "Joost"}).status_code == 400
    assert Unit.objects.filter(text=SECRET).exists()
    assert client.post(address, {"speaker": "Joost", "sure": "yes"}).status_code == 302

    assert not Unit.objects.filter(text=SECRET).exists()
