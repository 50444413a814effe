from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import corrections
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.models import AuditEntry, Campaign, GameSession, Transcript, Unit
from extraction.source.documents import SourceUnit, units_digest
from tests import factories

UNITS = (
    SourceUnit(7, "SPEAKER_05", "The fairy waits at salt wick.", 0, 900),
    SourceUnit(3, "Ida", "Salt  Wick, not Saltwick?"),
    SourceUnit(9, None, "Sold wig's gate; the Ferry."),
    SourceUnit(4, "SPEAKER_05", "Basalt wicker."),
)
Revise = Callable[..., Transcript]


@pytest.fixture
def session(table: Campaign) -> GameSession:
    return factories.make_transcript(factories.make_session(table), UNITS).session


def said(transcript: Transcript) -> list[tuple[int, str | None, str]]:
    return [(unit.unit_id, unit.speaker, unit.text) for unit in corrections.units_of(transcript)]


def test_rename_speaker_makes_a_revision_and_leaves_the_one_before(session: GameSession, gm: User) -> None:
    made = corrections.rename_speaker(session=session, old="SPEAKER_05", new=" Joost ", by=gm)

    first = session.transcripts.get(revision=1)
    assert (made.revision, made.source_id, made.created_by) == (2, "salt-ferry.s1.t2", gm)
    assert [speaker for _, speaker, _ in said(made)] == ["Joost", "Ida", None, "Joost"]
    assert corrections.units_of(first) == UNITS
    assert made.digest == units_digest(corrections.units_of(made)) != first.digest
    entry = AuditEntry.objects.get()
    assert (entry.act, entry.by, entry.facts["units"]) == ("transcript.rename_speaker", gm, 2)


def test_rename_speaker_to_nobody_makes_them_unknown(session: GameSession) -> None:
    made = corrections.rename_speaker(session=session, old="Ida", new="  ", by=None)

    assert said(made)[1][1] is None


def test_reassign_units_follows_the_order_of_the_transcript(session: GameSession) -> None:
    made = corrections.reassign_units(session=session, first_unit_id=3, last_unit_id=9, speaker="Yun", by=None)

    assert [speaker for _, speaker, _ in said(made)] == ["SPEAKER_05", "Yun", "Yun", "SPEAKER_05"]


def test_apply_glossary_replaces_whole_words_of_the_chosen_alone(session: GameSession) -> None:
    made = corrections.apply_glossary(session=session, chosen=[("Saltwick", "salt wick")], by=None)

    assert [text for _, _, text in said(made)] == [
        "The fairy waits at Saltwick.",
        "Saltwick, not Saltwick?",
        "Sold wig's gate; the Ferry.",
        "Basalt wicker.",
    ]


@pytest.mark.parametrize(
    ("act", "error"),
    [
        pytest.param(
            lambda at: corrections.rename_speaker(session=at, old="Nobody", new="A", by=None), ActionError, id="label"
        ),
        pytest.param(
            lambda at: corrections.rename_speaker(session=at, old="Ida", new="Ida", by=None), ActionError, id="same"
        ),
        pytest.param(
            lambda at: corrections.rename_speaker(session=at, old="Ida", new="a\x00", by=None), ActionError, id="nul"
        ),
        pytest.param(
            lambda at: corrections.rename_speaker(session=at, old="Ida", new="A", by=None, seen=2), Conflict, id="stale"
        ),
        pytest.param(
            lambda at: corrections.reassign_units(session=at, first_unit_id=1, last_unit_id=1, speaker="A", by=None),
            NotFound,
            id="unit",
        ),
        pytest.param(
            lambda at: corrections.reassign_units(session=at, first_unit_id=9, last_unit_id=7, speaker="A", by=None),
            ActionError,
            id="reversed",
        ),
        pytest.param(lambda at: corrections.apply_glossary(session=at, chosen=[], by=None), ActionError, id="nothing"),
        pytest.param(
            lambda at: corrections.apply_glossary(session=at, chosen=[("Ida", "fairy")], by=None),
            ActionError,
            id="not-in-the-glossary",
        ),
    ],
)
def test_correction_that_cannot_be_changes_nothing(
    act: Callable[[GameSession], Transcript], error: type[ActionError], session: GameSession
) -> None:
    with pytest.raises(error):
        act(session)

    assert (Transcript.objects.count(), Unit.objects.count(), AuditEntry.objects.count()) == (1, 4, 0)


def test_correction_without_a_transcript_says_so(table: Campaign) -> None:
    with pytest.raises(NotFound, match="no transcript"):
        corrections.rename_speaker(session=factories.make_session(table, 2), old="A", new="B", by=None)


def test_correction_back_to_an_earlier_revision_is_a_conflict_that_names_it(session: GameSession) -> None:
    corrections.rename_speaker(session=session, old="SPEAKER_05", new="Joost", by=None)

    with pytest.raises(Conflict, match="revision 1"):
        corrections.rename_speaker(session=session, old="Joost", new="SPEAKER_05", by=None)
    assert Transcript.objects.count() == 2


def test_transcript_page_shows_speakers_and_suggestions_with_their_units(browser: Client, session: GameSession) -> None:
    page = browser.get("/campaigns/salt-ferry/sessions/1/transcript/").content.decode()

    assert "Ida as Corwen" in page
    assert f"/review/sessions/{session.pk}/units?unit=9" in page
    assert page.count('type="checkbox"') == 3


def test_transcript_page_makes_corrections(browser: Client, gm: User, session: GameSession) -> None:
    path = "/campaigns/salt-ferry/sessions/1/transcript/"
    posts: list[dict[str, object]] = [
        {"act": "rename", "seen": 1, "old": "SPEAKER_05", "new": "Joost"},
        {"act": "reassign", "seen": 2, "first": "9", "speaker": "Ida"},
        {"act": "glossary", "seen": 3, "apply-1": "on", "term-1": "the Ferry", "heard-1": "the fairy"},
    ]
    for post in posts:
        assert browser.post(path, post).status_code == 303

    newest = session.transcripts.get(revision=4)
    assert said(newest)[0] == (7, "Joost", "the Ferry waits at salt wick.")
    assert said(newest)[2][1] == "Ida"
    assert newest.created_by == gm


@pytest.mark.parametrize(
    ("post", "status"),
    [
        ({}, 400),
        ({"act": "reassign", "first": "x"}, 400),
        ({"act": "reassign", "first": "9" * 18, "speaker": "A"}, 404),
        ({"act": "rename", "old": "", "new": ""}, 400),
        ({"act": "rename", "old": "Ida", "new": "A", "seen": "9"}, 409),
        ({"act": "glossary"}, 400),
    ],
)
def test_transcript_page_says_what_it_refuses(
    post: dict[str, str], status: int, browser: Client, session: GameSession
) -> None:
    got = browser.post("/campaigns/salt-ferry/sessions/1/transcript/", post)

    assert got.status_code == status
    assert "Nothing was changed." in got.content.decode()
    assert Transcript.objects.count() == 1
