"""What is found, in which order, by whom."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client

from campaigns.access import Need
from campaigns.actions import corrections, registry, secrets, sessions
from campaigns.errors import ActionError
from campaigns.library.sight import Edition, Sight, sight_of
from campaigns.models import ArtifactVersion, Campaign, GameSession, Transcript
from campaigns.search.finding import EVERYTHING, UNIT, Filters, Hit, search
from campaigns.search.index import index
from extraction.source.documents import SourceUnit
from tests import factories
from tests.standard import UNITS

SECOND = (
    SourceUnit(5, "Bram", "I ring the bells."),
    SourceUnit(3, "Yun", "A bell! <b>Loud</b> & clear, said Señor Quillon's ghost."),
    SourceUnit(9, None, "The ringing bell rings."),
)


@pytest.fixture
def told(campaign: Campaign) -> list[Transcript]:
    """Two evenings, both in the index, the first with an approved registry."""
    transcripts = [
        factories.make_transcript(factories.make_session(campaign, 1)),
        factories.make_transcript(factories.make_session(campaign, 2), SECOND),
    ]
    for transcript in transcripts:
        index(transcript)
    factories.make_version(transcripts[0], state=ArtifactVersion.State.APPROVED)
    registry.rebuild(campaign=campaign, kind="npc")
    return transcripts


@pytest.fixture
def gms(campaign: Campaign, told: list[Transcript]) -> Sight:
    return Sight(campaign, Edition.GM, words=True)


def spots(sight: Sight, query: str, filters: Filters = EVERYTHING, limit: int = 50) -> list[tuple[int | None, object]]:
    """Return session and unit id of each unit that is found, and kind and name of each entry, in their order."""
    found = search(sight, query, filters, limit=limit)
    return [(hit.session, hit.unit_id) if hit.kind == UNIT else (None, hit.name) for hit in found.hits]


def test_words_as_they_were_typed_come_before_other_forms(gms: Sight) -> None:
    assert spots(gms, "bell") == [(1, 52), (1, 53), (1, 55), (1, 14), (1, 203), (2, 3), (2, 9), (2, 5)]
    assert spots(gms, "bells")[0] == (2, 5)


def test_entries_come_first_and_whole_names_first_of_all(gms: Sight) -> None:
    assert spots(gms, "voss")[:2] == [(None, "Aurelio Voss"), (1, 18)]
    assert spots(gms, "dell") == [(None, "Harbourmaster Dell"), (1, 44), (1, 46), (1, 55), (1, 210), (1, 208)]
    assert spots(gms, "harb*", Filters(kind="npc")) == [(None, "Harbourmaster Dell")]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param('"the bell rings"', [(1, 203)], id="phrase"),
        pytest.param("ringing ghost", [], id="all-words"),
        pytest.param("SENOR", [(2, 3)], id="accents"),
        pytest.param("quillon's", [(2, 3)], id="apostrophe"),
        pytest.param("lante* pier", [(1, 41)], id="prefix"),
        pytest.param("' OR 1=1 --", [], id="operators"),
        pytest.param('"', [], id="quote"),
        pytest.param("lante* NOT", [], id="not-is-a-word"),
    ],
)
def test_the_grammar(gms: Sight, query: str, found: list[tuple[int, int]]) -> None:
    assert spots(gms, query, Filters(kind=UNIT)) == found


def test_a_snippet_is_text_with_marks(gms: Sight) -> None:
    (hit,) = search(gms, "loud quillon").hits

    assert hit.snippet == (
        "A bell! &lt;b&gt;<mark>Loud</mark>&lt;/b&gt; &amp; clear, said Señor <mark>Quillon</mark>&#x27;s ghost."
    )
    assert hit.speaker == "Yun"


def test_a_long_text_is_cut_at_words_around_what_was_found(campaign: Campaign) -> None:
    text = "Salt and fog. " * 200 + "<Bell>. " + "Fog and salt. " * 200
    index(factories.make_transcript(factories.make_session(campaign, 1), [SourceUnit(1, "Bram", text)]))
    (hit,) = search(Sight(campaign, Edition.GM, words=True), "bell").hits

    assert "&lt;<mark>Bell</mark>&gt;" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) < 300


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_together_are_everything_once(gms: Sight, limit: int) -> None:
    whole = [*search(gms, "bell", limit=100).hits, *search(gms, "dell", limit=100).hits]
    pages: list[Hit] = []
    for query in ("bell", "dell"):
        after, first = None, True
        while first or after:
            page = search(gms, query, after=after, limit=limit)
            assert len(page.hits) <= limit
            pages += page.hits
            after, first = page.after, False

    assert pages == whole


def test_filters_narrow_down(gms: Sight) -> None:
    assert spots(gms, "bell", Filters(session=2)) == [(2, 3), (2, 9), (2, 5)]
    assert spots(gms, "bell", Filters(speaker="bram")) == [(1, 53), (2, 5)]
    assert spots(gms, "bell", Filters(session=3)) == []
    assert spots(gms, "dell", Filters(kind="item")) == []
    assert spots(gms, "dell", Filters(session=2)) == []
    with pytest.raises(ActionError):
        search(gms, "bell", Filters(kind="weather"))


def test_nothing_asked_is_nothing_found(gms: Sight) -> None:
    assert search(gms, "  ").hits == ()
    assert search(gms, "***").suggestions == ()


def test_a_name_that_was_misheard_is_suggested_and_nothing_else_changes(gms: Sight) -> None:
    found = search(gms, "mother quillan")

    assert found.hits == []
    assert [each.query for each in found.suggestions][:1] == ["Mother Quillon"]
    assert [each.query for each in search(gms, "aurelia voss speaks").suggestions] == ["Aurelio voss speaks"]
    assert search(gms, "wick").suggestions == []
    assert search(gms, "zzzzzzz").suggestions == []


def test_players_neither_find_nor_count_what_is_kept_from_them(gms: Sight, told: list[Transcript], gm: User) -> None:
    campaign = gms.campaign
    players = Sight(campaign, Edition.PLAYER, words=True)
    voss = next(hit.entity_id for hit in search(gms, "aurelio").hits if hit.entity_id)
    secrets.hide_range(session=told[0].session, start_unit=52, end_unit=53, by=gm)
    secrets.hide_entry(campaign=campaign, kind="npc", entity_id=voss, by=gm)

    assert spots(gms, "bell")[:2] == [(1, 52), (1, 53)]
    assert spots(players, "bell")[:2] == [(1, 55), (1, 14)]
    assert not {(1, 52), (1, 53)} & set(spots(players, "bell"))
    assert spots(players, "bell", limit=2) == [(1, 55), (1, 14)]
    assert (None, "Aurelio Voss") not in spots(players, "aurelio voss")
    assert search(players, "aurelio vos").suggestions == []
    assert search(gms, "aurelio vos").suggestions != []


def test_nobody_in_particular_finds_entries_alone(gms: Sight, campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(public=True)
    sight = sight_of(AnonymousUser(), campaign.slug, need=Need.SEE_APPROVED)

    assert spots(sight, "dell") == [(None, "Harbourmaster Dell")]
    assert spots(sight, "bell") == []


def test_who_missed_evenings_finds_nothing_of_them(gms: Sight) -> None:
    sight = Sight(gms.campaign, Edition.PLAYER, words=True, as_of=1)

    assert {session for session, _ in spots(sight, "bell")} == {1}
    assert spots(sight, "bell", Filters(session=2)) == []


def test_a_correction_is_found_and_what_it_corrected_is_not(gms: Sight, told: list[Transcript], gm: User) -> None:
    corrections.reassign_units(
        session=GameSession.objects.get(pk=told[1].session_id), first_unit_id=5, last_unit_id=5, speaker="Yun", by=gm
    )

    assert spots(gms, "bells", Filters(speaker="Bram")) == [(1, 53)]
    assert spots(gms, "bells", Filters(speaker="Yun"))[0] == (2, 5)
    assert len([spot for spot in spots(gms, "bells") if spot == (2, 5)]) == 1


def test_a_removed_session_is_found_no_more(gms: Sight, told: list[Transcript], gm: User) -> None:
    sessions.remove(session_id=told[1].session_id, by=gm)
    factories.make_transcript(factories.make_session(gms.campaign, 2), UNITS[:3])

    assert {session for session, _ in spots(gms, "bell")} == {1}


def test_campaigns_are_apart(gms: Sight) -> None:
    other = factories.make_campaign()
    index(factories.make_transcript(factories.make_session(other, 1)))

    assert (
        len(spots(gms, "quillon", Filters(kind=UNIT)))
        == len(spots(Sight(other, Edition.GM, words=True), "quillon", Filters(kind=UNIT))) + 1
    )


class TestPage:
    """What a person sees of it."""

    def test_hits_lead_to_where_they_stand(self, gms: Sight, player: User, client: Client) -> None:
        client.force_login(player)
        page = client.get(f"/campaigns/{gms.campaign.slug}/search/", {"q": "dell"}).content.decode()

        assert f'href="/campaigns/{gms.campaign.slug}/sessions/1/?unit=44#u44"' in page
        assert "Harbourmaster <mark>Dell</mark>" in page

    def test_hostile_queries_are_text(self, gms: Sight, player: User, client: Client) -> None:
        client.force_login(player)
        for query in ("<script>alert(1)</script>", "\x00", "' OR 1=1", "a" * 300, '"', "*"):
            answer = client.get(f"/campaigns/{gms.campaign.slug}/search/", {"q": query, "after": "x", "kind": "<b>"})
            assert answer.status_code in (200, 400)
            assert b"<script>alert" not in answer.content

    def test_empty_states_say_what_to_do(self, gms: Sight, player: User, client: Client) -> None:
        client.force_login(player)
        address = f"/campaigns/{gms.campaign.slug}/search/"

        assert b"every word of its transcripts" in client.get(address).content
        assert b"Nothing was found" in client.get(address, {"q": "zzzzz"}).content
        assert b"Did you mean" in client.get(address, {"q": "mother quillan"}).content
        assert b"More results" in client.get(address, {"q": "the"}).content

    def test_outsiders_find_no_page(self, gms: Sight, outsider: User, client: Client) -> None:
        client.force_login(outsider)

        assert client.get(f"/campaigns/{gms.campaign.slug}/search/", {"q": "dell"}).status_code == 404
