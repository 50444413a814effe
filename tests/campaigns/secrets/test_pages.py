from __future__ import annotations

import re
from collections.abc import Iterator

import orjson
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from campaigns.actions import secrets, versions
from campaigns.library.editions import records_of
from campaigns.library.kept import ranges_of
from campaigns.library.registry import entries
from campaigns.library.secrets import marks
from campaigns.library.sight import Edition, Sight
from campaigns.models import ArtifactVersion, Membership, Secret
from extraction.identity import comparison_key, npc_id
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.library import story
from tests.campaigns.library.story import DUKE, VOICE, Story
from tests.campaigns.review import families


@pytest.fixture(scope="module")
def shared(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Story]:
    with story.for_a_module("salt-pages", django_db_blocker) as made:
        yield made


@pytest.fixture
def told(shared: Story, db: None) -> Story:
    return shared


@pytest.fixture
def gm_client(told: Story) -> Client:
    client = Client()
    client.force_login(told.gm)
    return client


def address(told: Story, name: str, *more: object) -> str:
    return reverse(name, args=[told.campaign.slug, *more])


def test_the_page_lists_what_is_kept_and_what_was_revealed(told: Story, gm_client: Client) -> None:
    Secret.objects.filter(pk=told.secrets["entry"].pk).update(note="<b>the well</b>")
    gm_client.post(address(told, "secret-reveal", told.secrets["range"].pk))
    page = gm_client.get(address(told, "secrets")).content.decode()
    kept, _, revealed = page.partition('id="revealed-list"')

    assert VOICE in kept
    assert "&lt;b&gt;the well" in kept
    assert "units 30 to 20" in revealed


@pytest.mark.parametrize(
    "form",
    [
        pytest.param({"kind": "entry", "entry_kind": "npc", "entity_id": npc_id(comparison_key(DUKE))}, id="entry"),
        pytest.param({"kind": "range", "session": "1", "start_unit": "1", "end_unit": "2"}, id="range"),
        pytest.param({"kind": "occurrence", "session": "1", "family": "combat-turns", "record": "1"}, id="occurrence"),
    ],
)
def test_a_form_keeps_what_it_names_and_leads_back(told: Story, gm_client: Client, form: dict[str, str]) -> None:
    before = Secret.objects.count()
    answer = gm_client.post(address(told, "secret-hide"), {**form, "note": "later", "next": "/review/?x=1"})

    assert (answer.status_code, answer["Location"]) == (303, "/review/?x=1")
    assert Secret.objects.count() == before + 1
    assert Secret.objects.order_by("-pk").values_list("note", "hidden_by").first() == ("later", told.gm.pk)


@pytest.mark.parametrize("elsewhere", ["https://example.org/", "//example.org/", "javascript:alert(1)", ""])
def test_a_form_leads_to_no_other_site(told: Story, gm_client: Client, elsewhere: str) -> None:
    answer = gm_client.post(address(told, "secret-reveal", told.secrets["entry"].pk), {"next": elsewhere})

    assert answer["Location"] == address(told, "secrets")


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({}, 303),
        ({"kind": "occurrence", "session": "1", "family": "x", "record": "0"}, 404),
        ({"kind": "occurrence", "session": "9", "family": "combat-turns", "record": "0"}, 404),
        ({"kind": "entry", "entry_kind": "npc", "entity_id": "npc:x"}, 404),
        ({"kind": "merge", "entity_id": "npc:x"}, 404),
        ({"kind": "merge", "entry_kind": "dragon", "entity_id": "npc:x"}, 404),
    ],
)
def test_a_form_that_names_nothing_keeps_nothing(
    told: Story, gm_client: Client, form: dict[str, str], status: int
) -> None:
    before = Secret.objects.count()

    assert gm_client.post(address(told, "secret-hide"), form).status_code == status
    assert Secret.objects.count() == before


@pytest.mark.parametrize(
    ("session", "start", "end", "sentence"),
    [
        ("1", "1", "91", "There is no unit 91 in this transcript."),
        ("1", "92", "91", "There is no unit 92 in this transcript."),
        ("1", "20", "1", "The first unit stands after the last one in this transcript."),
        ("1", "", "2", "A unit, a session and a record are whole numbers."),
        ("1", "30", "20", "This is kept from players already."),
        ("9", "1", "2", "There is no session 9 in this campaign."),
        ("4", "1", "2", "This session has no transcript yet."),
    ],
)
def test_a_passage_that_is_refused_leaves_the_form_as_it_was_typed(
    told: Story, gm_client: Client, session: str, start: str, end: str, sentence: str
) -> None:
    factories.make_session(told.campaign, 4, "Not yet heard")
    before = Secret.objects.count()
    typed = {"session": session, "start_unit": start, "end_unit": end, "note": "<b>later"}
    answer = gm_client.post(address(told, "secret-hide"), {"kind": "range", **typed})
    form = answer.content.decode().partition('id="passage"')[2].partition("</form>")[0]

    assert (answer.status_code, Secret.objects.count()) == (422, before)
    assert f'role="alert">{sentence}<' in form
    assert re.findall(r'name="(?:start|end)_unit" value="([^"]*)"', form) == [start, end]
    assert 'value="&lt;b&gt;later"' in form
    assert re.findall(r'value="(\d+)" selected', form) == ([] if session == "9" else [session])


def test_a_program_is_told_that_there_is_no_such_unit(told: Story, gm_client: Client) -> None:
    asked = {"kind": "range", "session": 1, "start_unit_id": 1, "end_unit_id": 91}
    where = f"/api/v1/campaigns/{told.campaign.slug}/secrets"
    answer = gm_client.post(where, asked, content_type="application/json")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.json()["detail"] == "There is no unit 91 in this transcript."


def test_what_is_hidden_from_a_refused_form_leads_back_to_the_page(told: Story, gm_client: Client) -> None:
    """Nothing can be looked at where the form was sent to."""
    person = story.npc(told.first, "Vexmara", (9, 9))
    version = families.make_version(told.first, "npcs", [person, story.npc(told.first, VOICE, (7, 8))])
    versions.approve(version_id=version.pk, note="", by=told.gm)
    typed = {"kind": "range", "session": "1", "start_unit": "91", "end_unit": "91"}
    html = gm_client.post(address(told, "secret-hide"), typed).content.decode()

    assert re.findall(r'name="next" value="([^"]*)"', html) == [address(told, "secrets")]


@pytest.mark.parametrize("role", [Membership.Role.PLAYER, Membership.Role.READER, None])
def test_secrets_are_for_those_who_manage_the_campaign(told: Story, role: str | None) -> None:
    client, user = Client(), factories.make_user()
    if role is not None:
        factories.make_membership(told.campaign, user, role)
    client.force_login(user)
    secret = told.secrets["entry"].pk

    assert client.get(address(told, "secrets")).status_code == 404
    assert client.post(address(told, "secret-hide"), {"kind": "entry"}).status_code == 404
    assert client.post(address(told, "secret-reveal", secret)).status_code == 404
    assert Secret.objects.get(pk=secret).revealed_at is None


def test_a_secret_of_another_campaign_is_not_there(told: Story, gm_client: Client) -> None:
    other = factories.make_campaign()
    factories.make_membership(other, told.gm, Membership.Role.GM)
    secret = told.secrets["entry"].pk

    assert gm_client.post(reverse("secret-reveal", args=[other.slug, secret])).status_code == 404
    assert Secret.objects.get(pk=secret).revealed_at is None


def test_marks_say_what_is_kept_to_game_masters_alone(told: Story) -> None:
    gm, player = Sight(told.campaign, Edition.GM, True), Sight(told.campaign, Edition.PLAYER, True)
    duke = next(line for line in entries(gm, "npc", limit=9) if line.name == DUKE)
    voice = npc_id(comparison_key(VOICE))
    found = marks(gm)

    assert found.entry("npc", voice) == told.secrets["entry"].pk
    assert found.entry("npc", duke.entity_id) is None
    assert found.ranges(1) == [(30, 20, told.secrets["range"].pk)]
    assert found.ranges(2) == []
    assert (marks(player).entry("npc", voice), marks(player).ranges(1)) == (None, [])


def panel(client: Client, version: ArtifactVersion, record: int) -> str:
    html = client.get(reverse("review-acts", args=[version.pk]), {"record": record}).content.decode()
    return html.partition('class="acts-hide"')[2]


def reveals(html: str) -> list[int]:
    """Return the secrets that the panel offers to reveal."""
    return [int(pk) for pk in re.findall(r'formaction="[^"]*/secrets/(\d+)/reveal"', html)]


def hides(html: str) -> list[str]:
    return re.findall(r'name="kind" value="(\w+)"', html)


def approved(told: Story, family: str) -> ArtifactVersion:
    rows = ArtifactVersion.objects.approved().filter(artifact__session=told.first.session)
    return rows.get(artifact__lane=f"dnd/{family}")


def test_the_review_of_a_kept_record_says_so_and_reveals_it(told: Story, gm_client: Client) -> None:
    gifts, secret = approved(told, "item-occurrences"), told.secrets["occurrence"].pk
    kept, beside = panel(gm_client, gifts, 1), panel(gm_client, gifts, 0)

    assert (reveals(kept), hides(kept), reveals(beside), hides(beside)) == ([secret], [], [], ["occurrence"])
    assert "hidden from players" in kept
    assert "hidden from players" not in beside

    here = re.findall(r'name="next" value="([^"]*)"', kept)[0]
    answer = gm_client.post(address(told, "secret-reveal", secret), {"next": here})
    assert answer["Location"] == here == reverse("review-version", args=[gifts.pk]) + "?record=1"
    assert hides(panel(gm_client, gifts, 1)) == ["occurrence"]


def test_the_review_marks_a_kept_record_in_a_newer_upload_too(told: Story, gm_client: Client) -> None:
    """There its lines have other numbers: what is marked is what players do not see."""
    moved = tuple(SourceUnit(one.unit_id + 100, one.speaker, one.text) for one in story.UNITS)
    again = factories.make_transcript(told.first.session, moved)
    records = records_of(orjson.loads(approved(told, "item-occurrences").payload))
    there = [
        {**one, "source_refs": families.refs(again, [(a + 100, b + 100) for a, b in sorted(ranges_of(one))])}
        for one in records
    ]
    version = families.make_version(again, "item-occurrences", there)

    assert [reveals(panel(gm_client, version, at)) for at in (0, 1)] == [[], [told.secrets["occurrence"].pk]]


def test_the_review_marks_a_kept_record_beside_one_that_lacks_its_fields(told: Story, gm_client: Client) -> None:
    records = records_of(orjson.loads(approved(told, "item-occurrences").payload))
    version = families.make_version(told.first, "item-occurrences", [{}, *records])

    assert [reveals(panel(gm_client, version, at)) for at in (1, 2)] == [[], [told.secrets["occurrence"].pk]]


def test_the_review_of_a_kept_entry_says_so_and_reveals_it(told: Story, gm_client: Client) -> None:
    people = approved(told, "npcs")
    names = [one["name"] for one in records_of(orjson.loads(people.payload))]
    html = panel(gm_client, people, names.index(VOICE))

    assert (reveals(html), hides(html)) == ([told.secrets["entry"].pk], [])


def test_the_review_of_a_kept_merge_says_so_and_reveals_it(told: Story, gm_client: Client) -> None:
    people = [story.npc(told.first, name, (9, 9)) for name in ("Sister Agnes", "The Abbess")]
    one = {"applied": [story.group(people[0], *people)]}
    version = families.make_version(told.first, "npcs", people[:1], consolidations=one)
    before = panel(gm_client, version, 0)
    form = {"kind": "merge", "entry_kind": "npc", "entity_id": str(people[0]["id"])}
    gm_client.post(address(told, "secret-hide"), form)
    html = panel(gm_client, version, 0)

    assert (reveals(before), hides(before)) == ([], ["entry", "merge"])
    assert (reveals(html), hides(html)) == ([Secret.objects.latest("pk").pk], ["entry"])


def test_the_review_asks_no_more_of_many_kept_records(told: Story, gm_client: Client) -> None:
    gifts = approved(told, "item-occurrences")
    with CaptureQueriesContext(connection) as one:
        panel(gm_client, gifts, 0)
    secrets.hide_occurrence(version=gifts, record=0, by=told.gm)
    with CaptureQueriesContext(connection) as two:
        assert len(reveals(panel(gm_client, gifts, 0))) == 1

    assert len(two) == len(one)


def test_the_page_asks_those_who_are_not_signed_in_to_sign_in(told: Story, client: Client, admin: User) -> None:
    assert client.get(address(told, "secrets")).status_code == 302
    client.force_login(admin)
    assert client.get(address(told, "secrets")).status_code == 200


def test_a_name_that_may_be_a_kept_one_is_listed_until_it_is_hidden_too(told: Story, gm_client: Client) -> None:
    people = [story.npc(told.first, name, (9, 9)) for name in ("Vexmara", "<i>Thornwhistle", "Sister Amaranth")]
    version = families.make_version(told.first, "npcs", [*people, story.npc(told.first, VOICE, (7, 8))])
    review = gm_client.get(reverse("review-version", args=[version.pk])).content.decode()
    asked = '<b dir="auto">{}</b> <span class="quiet" dir="auto">like Vexmara Thornwhistle</span>'

    assert asked.format("Vexmara") in review
    assert asked.format("&lt;i&gt;Thornwhistle") in review
    assert review.count('<span class="quiet" dir="auto">like ') == 2
    assert "May be the same" not in gm_client.get(address(told, "secrets")).content.decode()

    versions.approve(version_id=version.pk, note="", by=told.gm)
    assert "May be the same" not in gm_client.get(reverse("review-version", args=[version.pk])).content.decode()
    assert asked.format("Vexmara") in gm_client.get(address(told, "secrets")).content.decode()
    for person in people[:2]:
        form = {"kind": "entry", "entry_kind": "npc", "entity_id": str(person["id"])}
        gm_client.post(address(told, "secret-hide"), form)
    assert "May be the same" not in gm_client.get(address(told, "secrets")).content.decode()


def test_only_a_name_of_the_same_kind_may_be_a_kept_one(told: Story, gm_client: Client) -> None:
    place = families.place(told.first, "Vexmara's Well", ((10, 11),))
    version = families.make_version(told.first, "locations", [place])

    assert "May be the same" not in gm_client.get(reverse("review-version", args=[version.pk])).content.decode()


def test_names_that_may_tell_that_a_kept_merge_is_one_are_listed_until_one_is_hidden(
    told: Story, gm_client: Client
) -> None:
    """The story keeps apart two who share no word. These two do, and a third is called after both."""
    page = address(told, "secrets")
    assert "May tell that they are one" not in gm_client.get(page).content.decode()
    names = ("Sister Amaranth", "Amaranth of the Weir", "The Weir Amaranth's Cousin", "Brother Cole")
    records = [story.npc(told.first, name, (9, 9)) for name in names]
    one = {**records[0], "source_refs": families.refs(told.first, ((9, 9),))}
    group = story.group(one, *records[:2])
    version = families.make_version(told.first, "npcs", [one, *records[2:]], consolidations={"applied": [group]})
    versions.approve(version_id=version.pk, note="", by=told.gm)
    secrets.hide_merge(campaign=told.campaign, kind="npc", entity_id=str(one["id"]), by=told.gm)
    html = gm_client.get(page).content.decode()

    assert "May tell that they are one" in html
    listed = html.partition('id="telling-title"')[2].partition("</section>")[0]
    asked = '<b dir="auto">{}</b> <span class="quiet" dir="auto">like {}</span>'
    assert asked.format("Sister Amaranth", "Amaranth of the Weir") in listed
    assert asked.format("Amaranth of the Weir", "Sister Amaranth") in listed
    assert asked.format("The Weir Amaranth&#x27;s Cousin", "Amaranth of the Weir, Sister Amaranth") in listed
    assert "Cole" not in listed

    for record in records[1:3]:
        form = {"kind": "entry", "entry_kind": "npc", "entity_id": str(record["id"])}
        gm_client.post(address(told, "secret-hide"), form)

    assert "May tell that they are one" not in gm_client.get(page).content.decode()


def merging(told: Story, *parts: str, approved: bool) -> str:
    """Store a version that tells these as one, under the first one's name, and return the id of that."""
    session = factories.make_session(told.campaign, told.campaign.sessions.count() + 1)
    page = factories.make_transcript(session, story.UNITS)
    records = [story.npc(page, name, (9, 9)) for name in parts]
    one = {"applied": [story.group(records[0], *records)]}
    version = families.make_version(page, "npcs", records[:1], consolidations=one)
    if approved:
        versions.approve(version_id=version.pk, note="", by=told.gm)
    return str(records[0]["id"])


def test_an_older_union_that_players_know_is_named_before_hiding_a_pending_merge_parts_it(
    told: Story, gm_client: Client
) -> None:
    merging(told, "Sister <i>Agnes", "The Abbess", approved=True)
    form = {"kind": "merge", "entry_kind": "npc", "next": "/review/?x=1", "note": "later"}
    form["entity_id"] = merging(told, "Sister <i>Agnes", "Brother Cole", approved=False)
    before = Secret.objects.count()
    asked = gm_client.post(address(told, "secret-hide"), form)
    html = asked.content.decode().partition("<main")[2]
    untouched = Secret.objects.count()
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', html))
    fields.pop("csrfmiddlewaretoken", None)
    answer = gm_client.post(address(told, "secret-hide"), fields)

    assert asked.status_code == 200
    assert "<li>Sister &lt;i&gt;Agnes = The Abbess</li>" in html.replace(' dir="auto"', "")
    assert "Cole" not in html and 'href="/review/?x=1"' in html
    assert untouched == before
    assert (answer.status_code, answer["Location"]) == (303, "/review/?x=1")
    assert Secret.objects.order_by("-pk").values_list("note", flat=True).first() == "later"


@pytest.mark.parametrize("approved", [True, False])
def test_a_merge_is_hidden_at_once_where_it_parts_nothing_else(told: Story, gm_client: Client, approved: bool) -> None:
    """What players know as one is parted because that is asked for, and of a pending merge they know nothing."""
    form = {"kind": "merge", "entry_kind": "npc", "next": "/review/?x=1"}
    form["entity_id"] = merging(told, "Sister Agnes", "The Abbess", approved=approved)
    answer = gm_client.post(address(told, "secret-hide"), form)

    assert (answer.status_code, answer["Location"]) == (303, "/review/?x=1")
    assert Secret.objects.order_by("-pk").values_list("label", flat=True).first() == "Sister Agnes = The Abbess"
