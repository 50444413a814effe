from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from campaigns.actions import corrections
from campaigns.errors import ActionError, Conflict, NotFound
from campaigns.models import AuditEntry, Campaign, GameSession, Transcript, Unit
from extraction.ingest.limits import MAX_INTEGER
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
        pytest.param(
            lambda at: corrections.reword_unit(session=at, unit_id=1, text="A", by=None), NotFound, id="reword-unit"
        ),
        pytest.param(
            lambda at: corrections.reword_unit(session=at, unit_id=3, text=" \n", by=None), ActionError, id="no-words"
        ),
        pytest.param(
            lambda at: corrections.reword_unit(session=at, unit_id=3, text="a\x00", by=None), ActionError, id="text-nul"
        ),
        pytest.param(
            lambda at: corrections.reword_unit(session=at, unit_id=3, text="\ud800", by=None),
            ActionError,
            id="half-a-pair",
        ),
        pytest.param(
            lambda at: corrections.reword_unit(session=at, unit_id=3, text="a" * 20_001, by=None),
            ActionError,
            id="too-long",
        ),
        pytest.param(
            lambda at: corrections.split_unit(session=at, unit_id=4, parts=["Basalt wicker."], by=None),
            ActionError,
            id="one-part",
        ),
        pytest.param(
            lambda at: corrections.split_unit(session=at, unit_id=4, parts=["Basalt", "wicked."], by=None),
            ActionError,
            id="other-words",
        ),
        pytest.param(
            lambda at: corrections.split_unit(session=at, unit_id=4, parts=["wicker.", "Basalt"], by=None),
            ActionError,
            id="other-order",
        ),
        pytest.param(
            lambda at: corrections.join_units(session=at, first_unit_id=7, last_unit_id=3, by=None),
            ActionError,
            id="two-speakers",
        ),
        pytest.param(
            lambda at: corrections.join_units(session=at, first_unit_id=3, last_unit_id=7, by=None),
            ActionError,
            id="join-reversed",
        ),
        pytest.param(
            lambda at: corrections.join_units(session=at, first_unit_id=3, last_unit_id=3, by=None),
            ActionError,
            id="join-one",
        ),
        pytest.param(
            lambda at: corrections.join_units(session=at, first_unit_id=3, last_unit_id=9, by=None, seen=2),
            Conflict,
            id="join-stale",
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


def test_correction_back_to_an_earlier_revision_is_the_next_one(session: GameSession) -> None:
    corrections.rename_speaker(session=session, old="SPEAKER_05", new="Joost", by=None)
    back = corrections.rename_speaker(session=session, old="Joost", new="SPEAKER_05", by=None)

    assert (back.revision, corrections.units_of(back)) == (3, UNITS)
    assert back.digest == session.transcripts.get(revision=1).digest


def test_reword_unit_changes_one_text_alone(session: GameSession) -> None:
    made = corrections.reword_unit(session=session, unit_id=3, text=" Salt Wick,\r\nnot\x07 Saltwick! ", by=None)

    units = corrections.units_of(made)
    assert said(made)[1] == (3, "Ida", "Salt Wick,\nnot Saltwick!")
    assert (units[:1], units[2:]) == (UNITS[:1], UNITS[2:])
    assert AuditEntry.objects.get().facts["units"] == 1


def test_split_unit_shares_the_times_and_takes_numbers_that_no_revision_had(session: GameSession) -> None:
    made = corrections.split_unit(session=session, unit_id=7, parts=["The fairy waits", "at salt", "wick."], by=None)

    assert corrections.units_of(made)[:3] == (
        SourceUnit(7, "SPEAKER_05", "The fairy waits", 0, None),
        SourceUnit(10, "SPEAKER_05", "at salt"),
        SourceUnit(11, "SPEAKER_05", "wick.", None, 900),
    )
    joined = corrections.join_units(session=session, first_unit_id=7, last_unit_id=11, by=None)
    assert corrections.units_of(joined) == UNITS
    again = corrections.split_unit(session=session, unit_id=7, parts=["The fairy", "waits at salt wick."], by=None)
    assert said(again)[1][0] == 12


def test_split_unit_finds_a_number_where_the_highest_is_taken(table: Campaign) -> None:
    units = (SourceUnit(MAX_INTEGER, None, "a b"), SourceUnit(1, None, "c"))
    session = factories.make_transcript(factories.make_session(table), units).session
    made = corrections.split_unit(session=session, unit_id=MAX_INTEGER, parts=["a", "b"], by=None)

    assert [unit_id for unit_id, _, _ in said(made)] == [MAX_INTEGER, 2, 1]


def test_split_unit_keeps_to_the_sites_limit(session: GameSession, settings: Settings) -> None:
    settings.UPLOAD_MAX_UNITS = 4

    with pytest.raises(ActionError, match="more than 4 units"):
        corrections.split_unit(session=session, unit_id=7, parts=["The fairy", "waits at salt wick."], by=None)


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


UNIT_PATH = "/campaigns/salt-ferry/sessions/1/transcript/units/"


def test_unit_page_shows_the_unit_between_its_neighbours(browser: Client, session: GameSession) -> None:
    page = browser.get(f"{UNIT_PATH}3/").content.decode()

    assert page.index("The fairy waits") < page.index("Salt  Wick, not Saltwick?") < page.index("Sold wig")
    assert "Ida as Corwen" in page
    assert "Join with unit 7 before" in page
    assert "Join with unit 9 after" in page


def test_unit_page_corrects_splits_joins_and_names(browser: Client, session: GameSession) -> None:
    posts: list[tuple[int, dict[str, object], int]] = [
        (7, {"act": "reword", "first": 7, "text": "The fairy waits at Saltwick."}, 7),
        (7, {"act": "split", "first": 7, "parts": "The fairy waits\r\n\r\nat Saltwick."}, 7),
        (10, {"act": "reassign", "first": 10, "speaker": "Ida"}, 10),
        (3, {"act": "join", "first": 10, "last": 3}, 10),
        (4, {"act": "rename", "old": "SPEAKER_05", "new": "Joost"}, 4),
    ]
    for seen, (unit, post, then) in enumerate(posts, start=1):
        got = browser.post(f"{UNIT_PATH}{unit}/", post | {"seen": seen})

        assert (got.status_code, got["Location"]) == (303, f"{UNIT_PATH}{then}/")
        assert f"This is revision {seen + 1} now" in browser.get(got["Location"]).content.decode()

    assert said(session.transcripts.latest("revision")) == [
        (7, "Joost", "The fairy waits"),
        (10, "Ida", "at Saltwick. Salt  Wick, not Saltwick?"),
        (9, None, "Sold wig's gate; the Ferry."),
        (4, "Joost", "Basalt wicker."),
    ]


def test_unit_page_keeps_what_the_second_of_two_wrote(browser: Client, session: GameSession) -> None:
    corrections.reword_unit(session=session, unit_id=3, text="Salt what?", by=None)
    got = browser.post(f"{UNIT_PATH}3/", {"act": "reword", "first": 3, "text": "Mine <b>", "seen": 1})

    page = got.content.decode()
    assert got.status_code == 409
    assert "Revision 2 has been made meanwhile" in page
    assert "Salt what?" in page
    assert "Mine &lt;b&gt;</textarea>" in page
    assert browser.post(f"{UNIT_PATH}3/", {"act": "reword", "first": 3, "text": "Mine", "seen": 2}).status_code == 303


def test_unit_page_of_a_unit_that_somebody_joined_meanwhile_says_so(browser: Client, session: GameSession) -> None:
    corrections.reassign_units(session=session, first_unit_id=3, last_unit_id=9, speaker="Ida", by=None)
    corrections.join_units(session=session, first_unit_id=3, last_unit_id=9, by=None)
    got = browser.post(f"{UNIT_PATH}9/", {"act": "reword", "first": 9, "text": "Mine", "seen": 1})

    assert (got.status_code, browser.get(f"{UNIT_PATH}9/").status_code) == (409, 404)
    assert "Revision 3 has been made meanwhile" in got.content.decode()


@pytest.mark.parametrize(("who", "status"), [("player", 404), ("reader", 404), ("outsider", 404), ("gm", 200)])
def test_pages_of_corrections_are_for_game_masters(
    who: str, status: int, request: pytest.FixtureRequest, session: GameSession
) -> None:
    client = Client()
    client.force_login(request.getfixturevalue(who))

    for path in (f"{UNIT_PATH}3/", "/campaigns/salt-ferry/sessions/1/transcript/evidence/"):
        assert client.get(path).status_code == status
        assert Client().get(path)["Location"].startswith("/login/")
    if status == 404:
        assert client.post(f"{UNIT_PATH}3/", {"act": "reword", "first": 3, "text": "x"}).status_code == 404


def test_reading_view_leads_to_the_correction_of_a_unit(browser: Client, session: GameSession) -> None:
    base = f"/review/sessions/{session.pk}"
    link = f'href="{UNIT_PATH}3/"'

    assert link in browser.get(f"{base}/units?unit=3").content.decode()
    assert link in browser.get(f"{base}/citing?unit=3").content.decode()
