"""What a person said is gone from everywhere, and what was made of it says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from campaigns.actions import corrections, leases, plans, runs, secrets, versions
from campaigns.actions.staleness import stale_artifacts
from campaigns.actions.transcripts import import_transcript
from campaigns.actions.withdrawal import withdraw_words
from campaigns.actions.work import work
from campaigns.adapters import uploads
from campaigns.adapters.checkpoints import SessionCheckpoints
from campaigns.adapters.exchanges import ExchangeLog
from campaigns.adapters.progress import LaneRecord
from campaigns.carried import of_session
from campaigns.errors import ActionError, Conflict
from campaigns.keeping.tables import kept_models, rows_of
from campaigns.library.ranges import withheld_of
from campaigns.library.seen import seen_digest
from campaigns.library.sight import sight_of
from campaigns.models import ArtifactVersion, CallSeat, Checkpoint, Exchange, GameSession, LaneRun, Membership, Unit
from extraction.errors import LeaseLost, RunCancelled
from extraction.llm.boundary import Exchange as LoggedExchange
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


def said_before(session: GameSession) -> list[list[str]]:
    """Return the texts of each revision but the one that the withdrawal made."""
    revisions = session.transcripts.order_by("revision")
    return [[unit.text for unit in corrections.units_of(revision)] for revision in revisions][:-1]


def unnamed(units: Sequence[SourceUnit] = UNITS) -> list[SourceUnit]:
    """Return the units as a recorder numbers voices: nobody is called by name."""
    return [replace(unit, speaker=f"SPEAKER_{unit.speaker == 'Joost':d}") for unit in units]


def named_afterwards(session: GameSession) -> None:
    corrections.rename_speaker(session=session, old="SPEAKER_1", new="Joost", by=None)


def reworded(session: GameSession) -> None:
    """Every word of the line is another one, so that its place alone tells that it is the same line."""
    named_afterwards(session)
    corrections.reword_unit(session=session, unit_id=1, text="Meine Schwester wohnt nebenan.", by=None)


def reworded_first(session: GameSession) -> None:
    corrections.reword_unit(session=session, unit_id=1, text="Meine Schwester wohnt nebenan.", by=None)
    named_afterwards(session)


def split(session: GameSession) -> None:
    corrections.split_unit(session=session, unit_id=1, parts=("My sister Jolanda", "lives in Varsselder."), by=None)
    named_afterwards(session)


def split_and_reworded(session: GameSession) -> None:
    corrections.split_unit(session=session, unit_id=1, parts=("My sister Jolanda", "lives in Varsselder."), by=None)
    corrections.reword_unit(session=session, unit_id=1, text="Somebody of mine", by=None)
    named_afterwards(session)


def uploaded_with_other_numbers(session: GameSession) -> None:
    """The recording is transcribed anew: other numbers, a line more in front, a word heard better, and now a name."""
    units = [
        SourceUnit(1, "Ines", "Is everybody there?"),
        SourceUnit(2, "Ines", UNITS[0].text),
        SourceUnit(3, "Joost", SECRET.replace("Jolanda", "Yolanda")),
        SourceUnit(4, "Ines", UNITS[2].text),
        SourceUnit(5, "Joost", UNITS[3].text),
    ]
    data = json.dumps({"schema": "notarius.transcript.v1", "units": [unit.as_json() for unit in units]})
    import_transcript(campaign=session.campaign, number=session.number, data=data.encode(), by=None)


def gone_for_a_while(session: GameSession) -> None:
    """The line is missing from one upload, and there again in the next one, under another number."""
    for units in (UNITS[2:], (UNITS[0], replace(UNITS[1], unit_id=88), *UNITS[2:])):
        data = json.dumps({"schema": "notarius.transcript.v1", "units": [unit.as_json() for unit in units]})
        import_transcript(campaign=session.campaign, number=session.number, data=data.encode(), by=None)


@pytest.mark.parametrize(
    "changed",
    [reworded, reworded_first, split, split_and_reworded, uploaded_with_other_numbers, gone_for_a_while],
)
def test_the_words_go_from_revisions_that_say_them_otherwise(changed: Callable[[GameSession], None]) -> None:
    session = make_transcript(make_session(), unnamed()).session
    changed(session)
    withdraw_words(campaign=session.campaign, label="Joost", by=None)

    kept = {text for revision in said_before(session) for text in revision}
    newest = {unit.text for unit in corrections.units_of(session.transcripts.latest("revision"))}
    assert kept | newest == {Unit.WITHDRAWN, UNITS[0].text, UNITS[2].text} | (kept & {"Is everybody there?"})


def test_a_line_that_joins_two_peoples_words_goes_whole_and_the_others_own_line_stays() -> None:
    units = [SourceUnit(1, "Table", "We are four tonight, friends."), SourceUnit(2, "Table", SECRET), *UNITS[2:]]
    session = make_transcript(make_session(), units).session
    corrections.join_units(session=session, first_unit_id=1, last_unit_id=2, by=None)
    import_transcript(
        campaign=session.campaign,
        number=session.number,
        data=json.dumps(
            {
                "schema": "notarius.transcript.v1",
                "units": [
                    {"unit_id": 1, "speaker": "Ines", "text": "We are four tonight, friends."},
                    {"unit_id": 2, "speaker": "Joost", "text": SECRET},
                    *(unit.as_json() for unit in UNITS[2:]),
                ],
            }
        ).encode(),
        by=None,
    )
    withdraw_words(campaign=session.campaign, label="Joost", by=None)

    ines = ["We are four tonight, friends."]
    rest = [UNITS[2].text, Unit.WITHDRAWN]
    gone = [Unit.WITHDRAWN]
    assert said_before(session) == [[*ines, *gone, *rest], [*gone, *rest], [*ines, *gone, *rest]]


def test_a_label_that_the_newest_revision_has_no_more_is_withdrawn_from_the_older_ones() -> None:
    session = make_transcript(make_session(), UNITS).session
    corrections.rename_speaker(session=session, old="Joost", new="Nobody", by=None)
    corrections.reword_unit(session=session, unit_id=1, text="My aunt lives next door.", by=None)
    withdraw_words(campaign=session.campaign, label="Joost", by=None)

    assert [texts[1] for texts in said_before(session)] == [Unit.WITHDRAWN] * 3
    assert not Unit.objects.filter(speaker="Nobody").exists()


def test_others_keep_their_words(session: GameSession) -> None:
    other = make_transcript(make_session(), UNITS).session
    withdraw_words(campaign=session.campaign, label="Joost", by=None)

    assert Unit.objects.filter(transcript__session=other, text=SECRET).count() == 1
    assert Unit.objects.filter(transcript__session=session, speaker="Ines", text=UNITS[0].text).count() == 3


def overheard() -> LoggedExchange:
    """A round trip whose request held the words, as it comes back from a provider."""
    return LoggedExchange("npcs", SECRET.encode(), b"{}", "ok")


def test_worker_still_at_a_call_of_a_cancelled_run_stores_nothing(session: GameSession) -> None:
    run = runs.start(session=session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)
    lane = run.lanes.get()
    token = leases.claim(lane_id=lane.pk, at=timezone.now())
    assert token is not None
    log = ExchangeLog(lane.pk)
    record = LaneRecord(lane.pk, token, log)
    CallSeat.objects.create(profile="default", holder=token, held=1, lease_until=timezone.now())
    runs.cancel(run=run, by=None)
    withdraw_words(campaign=session.campaign, label="Joost", by=None)
    log(overheard())

    with pytest.raises(LeaseLost):
        record.write()
    with pytest.raises(LeaseLost):
        SessionCheckpoints(session.pk, record).put("k", SECRET.encode())
    with pytest.raises(LeaseLost):
        runs.fail(lane_id=lane.pk, token=token, error=RunCancelled("The run was cancelled."))
    assert (Exchange.objects.count(), Checkpoint.objects.count(), CallSeat.objects.count()) == (0, 0, 0)
    lane.refresh_from_db()
    assert (lane.state, lane.error_code) == (LaneRun.State.CANCELLED, "run.cancelled")
    assert leases.claim(lane_id=lane.pk, at=timezone.now() + 2 * leases.LEASE) is None


def test_what_players_read_is_made_of_what_is_left_at_once(client: Client, session: GameSession) -> None:
    gm, player = make_user(), make_user()
    make_membership(session.campaign, gm, Membership.Role.GM)
    make_membership(session.campaign, player, Membership.Role.PLAYER)
    version = ArtifactVersion.objects.get()
    versions.approve(version_id=version.pk, note="", by=gm)
    secrets.hide_range(session=session, start_unit=9, end_unit=9, by=gm)
    client.force_login(player)
    address = f"/api/v1/campaigns/{session.campaign.slug}/sessions/{session.number}/artifacts/npcs"
    before = client.get(address)
    assert before.json()["source"]["unit_count"] == len(UNITS) - 1
    withdraw_words(campaign=session.campaign, label="Joost", by=gm)
    after = client.get(address, headers={"If-None-Match": before["ETag"]})

    assert after.status_code == 200
    made_of = version.transcript
    made_of.refresh_from_db()
    sight = sight_of(player, session.campaign.slug)
    assert after.json()["source"]["digest"] == seen_digest(made_of, withheld_of(sight, [made_of])[made_of.pk])


def test_file_that_waits_to_be_uploaded_is_gone(
    session: GameSession,
    settings: Settings,
    tmp_path: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.DATA_DIR = tmp_path
    campaigns = (session.campaign, make_session().campaign)
    tokens = [uploads.keep(chunks=[SECRET.encode()], name="a.vtt", campaign=one, user_id=1) for one in campaigns]
    with django_capture_on_commit_callbacks(execute=True):
        withdraw_words(campaign=session.campaign, label="Joost", by=None)
    found = [uploads.fetch(token=token, campaign=one, user_id=1) for token, one in zip(tokens, campaigns, strict=True)]

    assert [waiting is None for waiting in found] == [True, False]


def test_nothing_is_withdrawn_for_a_stranger_or_under_a_run(session: GameSession) -> None:
    before = everywhere()
    with pytest.raises(ActionError):
        withdraw_words(campaign=session.campaign, label="Nobody", by=None)
    assert everywhere() == before
    runs.start(session=session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=None)
    with pytest.raises(Conflict):
        withdraw_words(campaign=session.campaign, label="Joost", by=None)

    assert Unit.objects.filter(text=SECRET).exists()


def test_a_label_that_there_is_not_reaches_no_query(client: Client, session: GameSession) -> None:
    gm = make_user()
    make_membership(session.campaign, gm, Membership.Role.GM)
    client.force_login(gm)
    address = f"/campaigns/{session.campaign.slug}/withdraw/"

    assert client.get(f"{address}?speaker=%00").status_code == 200
    assert client.post(address, {"speaker": "\x00", "sure": "yes"}).status_code == 400


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
