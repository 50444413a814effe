"""The acts on a registry through HTTP: who may, what a form makes of the payload, what it says where it is refused."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.actions import editing, reviews
from campaigns.acts import ACTS
from campaigns.models import ArtifactVersion, Decision, Transcript
from extraction.codes import Code
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.review.acting import address, done, signed_in
from tests.campaigns.reviews.acting import (
    DELL,
    GROUP,
    PEOPLE,
    QUILLON,
    VOSS,
    WICK,
    cited,
    group_of,
    head,
    id_of,
    names,
    on,
)

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7|add:7 }}"


@pytest.fixture
def registry(transcript: Transcript) -> ArtifactVersion:
    """Dell 0, Wick 1, Mother Quillon 2, Aurelio Voss 3 (of Aurelio Voss and Captain Voss)."""
    return factories.make_version(transcript, PEOPLE, consolidations=group_of(transcript, GROUP))


def page(client: Client, path: str) -> str:
    return client.get(path).content.decode()


PAGES = (
    "/review/versions/{}/acts",
    "/review/versions/{}/acts/merge/",
    "/review/versions/{}/decisions/",
    "/review/versions/{}/compare/",
)


@pytest.mark.parametrize(
    ("who", "status"), [("gm", 200), ("admin", 200), ("player", 404), ("reader", 404), ("outsider", 404)]
)
@pytest.mark.parametrize("path", PAGES)
def test_pages_of_acts_are_for_game_masters_and_site_admins(
    who: str, status: int, path: str, request: pytest.FixtureRequest, registry: ArtifactVersion
) -> None:
    user = request.getfixturevalue(who)

    assert signed_in(user).get(path.format(registry.pk)).status_code == status


@pytest.mark.parametrize("who", ["player", "reader", "outsider"])
@pytest.mark.parametrize("act", list(ACTS))
def test_act_by_others_answers_not_found_and_changes_nothing(
    who: str, act: str, request: pytest.FixtureRequest, registry: ArtifactVersion
) -> None:
    client = signed_in(request.getfixturevalue(who))
    got = client.post(address(registry, act), {"expected_version": 1, "record": VOSS, "confirmed": 1})

    assert got.status_code == 404
    assert client.post(f"/review/versions/{registry.pk}/withdraw", {"decision": 1}).status_code == 404
    assert head(registry) == registry


def test_act_by_nobody_leads_to_the_login_form(registry: ArtifactVersion) -> None:
    got = Client().post(address(registry, "accept"), {"expected_version": 1, "record": VOSS})

    assert (got.status_code, got["Location"]) == (302, f"/login/?next=/review/versions/{registry.pk}/")
    assert Client().get(f"/review/versions/{registry.pk}/acts").status_code == 401
    assert head(registry) == registry


def test_act_without_a_token_against_forgery_is_refused(gm: User, registry: ArtifactVersion) -> None:
    got = signed_in(gm, checks=True).post(address(registry, "accept"), {"expected_version": 1, "record": VOSS})

    assert got.status_code == 403
    assert head(registry) == registry


@pytest.mark.parametrize("act", ["explain", "edit", "split_turn", "join_turns"])
def test_act_that_is_none_of_the_lanes_is_not_found(act: str, client: Client, registry: ArtifactVersion) -> None:
    assert client.get(address(registry, act)).status_code == 404
    assert client.post(address(registry, act), {"expected_version": 1, "record": 0}).status_code == 404


def test_accept_leads_back_to_the_record_and_keeps_the_reason(client: Client, registry: ArtifactVersion) -> None:
    got = client.post(
        address(registry, "accept"), {"expected_version": 1, "record": VOSS, "reason": "Told so."}, follow=True
    )
    made = head(registry)

    assert got.redirect_chain == [(f"/review/versions/{made.pk}/?record={VOSS}", 302)]
    assert "Accept the merge: done. This is version 2." in got.content.decode()
    assert made.consolidations["applied"][0]["by"] == "review"
    assert 'Merged from 2 names <span class="tag">accepted</span>' in got.content.decode()
    assert Decision.objects.get().reason == "Told so."


def test_explode_returns_the_members(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "explode", record=VOSS)

    assert cited(made)["Captain Voss"] == list(GROUP["Captain Voss"])


def test_canonical_takes_the_chosen_members_name(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "canonical", record=VOSS, member=1)

    assert "Captain Voss" in names(made) and "Aurelio Voss" not in names(made)


def test_merge_shows_its_impact_before_it_is_saved(client: Client, registry: ArtifactVersion) -> None:
    form = {"expected_version": 1, "record": DELL, "records": [DELL, QUILLON], "canonical": QUILLON, "reason": "One."}
    shown = client.post(address(registry, "merge"), form).content.decode()

    assert "No other artifact of this session names these records yet." in shown
    assert f"API id {id_of('Harbourmaster Dell')[:24]}… (Harbourmaster Dell) goes" in shown
    assert '<input type="hidden" name="records" value="2">' in shown
    assert head(registry) == registry

    made = done(client, registry, "merge", **form)

    assert "Harbourmaster Dell" not in names(made)
    assert Decision.objects.get().reason == "One."


def test_split_moves_the_chosen_evidence_to_a_new_record(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "split", record=DELL, refs=[2], to="", name="The Lantern Woman")

    assert cited(made)["The Lantern Woman"] == [(210, 208)]


def test_rename_is_confirmed_and_leads_to_the_renamed_record(client: Client, registry: ArtifactVersion) -> None:
    asked = client.post(address(registry, "rename"), {"expected_version": 1, "record": WICK, "name": "Old Wick"})

    assert "Rename: see what it would change</button>" in page(client, f"{address(registry, 'rename')}?record={WICK}")
    assert "takes its place, and the old one keeps resolving" in asked.content.decode()
    assert head(registry) == registry
    assert "Old Wick" in names(done(client, registry, "rename", record=WICK, name="Old Wick"))


def test_remove_is_confirmed_and_takes_the_record_out(client: Client, registry: ArtifactVersion) -> None:
    asked = client.post(address(registry, "remove"), {"expected_version": 1, "record": WICK})

    assert "nothing takes its place" in asked.content.decode()
    assert "Wick" not in names(done(client, registry, "remove", record=WICK))


def test_same_unites_two_records(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "same", record=DELL, other=WICK)

    assert "Wick" not in names(made)


def test_not_same_parts_members_or_keeps_records_apart(client: Client, registry: ArtifactVersion) -> None:
    apart = done(client, registry, "not_same", record=DELL, other=WICK)
    parted = done(client, apart, "not_same", record=VOSS, members=[1])

    assert names(apart) == names(registry)
    assert "Captain Voss" in names(parted)


def test_unsure_is_only_noted(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "unsure", record=DELL, other=WICK)

    assert made.digest == registry.digest
    assert Decision.objects.get().kind == "unsure"


def test_evidence_is_set_by_unit_ids_and_ranges(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "evidence", record=WICK, ranges="50-52; 206 to 205")

    assert cited(made)["Wick"] == [(50, 52), (206, 205)]


def test_add_makes_a_record_with_its_evidence(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "add", name="The Lantern Woman", ranges="210")

    assert cited(made)["The Lantern Woman"] == [(210, 210)]


def test_undo_and_redo_go_through_the_acts_newest_first(client: Client, registry: ArtifactVersion) -> None:
    renamed = done(client, registry, "rename", record=WICK, name="Old Wick")
    undone = done(client, renamed, "undo")
    again = done(client, undone, "redo")

    assert undone.digest == registry.digest
    assert again.digest == renamed.digest
    assert 'Undo<span class="sr-only"> the newest act: Renamed: Wick as Old Wick' in page(
        client, f"/review/versions/{again.pk}/"
    )


def test_undo_of_nothing_says_so(client: Client, registry: ArtifactVersion) -> None:
    got = client.post(address(registry, "undo"), {"expected_version": 1})

    assert got.status_code == 409
    assert "There is nothing to undo since the last extraction." in got.content.decode()


def test_act_with_a_number_that_is_not_the_pages_version_is_stale(client: Client, registry: ArtifactVersion) -> None:
    """Places of records are the page's version's: the head's number alone does not make them right."""
    made = done(client, registry, "rename", record=WICK, name="Old Wick")
    got = client.post(address(registry, "explode"), {"expected_version": 2, "record": VOSS})

    assert got.status_code == 409
    assert head(registry) == made


@pytest.mark.parametrize(
    ("act", "form", "field", "sentence"),
    [
        ("rename", {"record": WICK, "name": " "}, "name", "A record came without a name."),
        ("evidence", {"record": WICK, "ranges": "fifty"}, "ranges", "neither a unit number nor a range"),
        ("evidence", {"record": WICK, "ranges": "50-999999"}, "ranges", "There is no unit 999999 in this transcript."),
        ("evidence", {"record": WICK, "ranges": "205-206"}, "ranges", "205-206 is the other way round"),
        ("evidence", {"record": VOSS, "ranges": "209-18"}, "ranges", "209-18 is the other way round"),
        ("evidence", {"record": WICK, "ranges": " "}, "ranges", "Name at least one unit"),
        ("add", {"name": "The Bell", "ranges": ""}, "ranges", "Name at least one unit"),
        ("merge", {"records": [DELL, WICK], "canonical": VOSS}, "canonical", "one of the records chosen below"),
        ("same", {"record": WICK, "other": ""}, "other", "Choose the other record."),
        ("canonical", {"record": VOSS}, "member", "Choose one of the names."),
        ("split", {"record": DELL, "refs": [0], "name": ""}, "name", "A record came without a name."),
    ],
)
def test_refusal_stands_beside_its_field(
    act: str, form: dict[str, object], field: str, sentence: str, client: Client, registry: ArtifactVersion
) -> None:
    got = client.post(address(registry, act), {"expected_version": 1, "confirmed": 1, **form})
    html = got.content.decode()
    beside = html.partition(f'id="problem-{field}"')[2].partition("</div>")[0]

    assert got.status_code == 422
    assert sentence in beside
    assert beside.count("<p>") == 1
    assert head(registry) == registry


@pytest.mark.parametrize("form", [{}, {"expected_version": "x"}, {"expected_version": "1"}])
def test_incomplete_form_is_refused_with_a_sentence(
    form: dict[str, object], client: Client, registry: ArtifactVersion
) -> None:
    got = client.post(address(registry, "accept"), form)

    assert got.status_code == 400
    assert 'role="alert"' in got.content.decode()


def test_panel_offers_what_fits_the_record_and_says_what_was_proposed(
    client: Client, registry: ArtifactVersion
) -> None:
    ArtifactVersion.objects.filter(pk=registry.pk).update(
        consolidations={
            **registry.consolidations,
            "proposals": [
                *registry.consolidations["proposals"],
                {"members": ["Wick", "Mother Quillon"], "canonical": "Wick", "verdict": Code.RECONCILE_CONFLICT.value},
                {"members": ["Wick", "Nobody"], "canonical": "Wick", "verdict": "reconcile.unknown_member"},
            ],
        }
    )
    of_merge, of_one = (page(client, f"/review/versions/{registry.pk}/?record={at}") for at in (VOSS, WICK))

    assert "Undo the merge" in of_merge and "Undo the merge" not in of_one
    assert "3 proposed merges, and what was done with them" in of_one
    assert '<span class="applied">Applied.</span>' in of_one
    assert "acts/merge/?records=1&amp;records=2" in of_one
    assert of_one.count("acts/merge/?records=") == 1


def test_panel_of_an_earlier_version_leads_to_the_newest(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "rename", record=WICK, name="Old Wick")
    html = page(client, f"/review/versions/{registry.pk}/acts?record=1")

    assert f'href="/review/versions/{made.pk}/">Open version 2' in html
    assert "<form" not in html


def test_script_is_answered_in_fragments(client: Client, registry: ArtifactVersion) -> None:
    ours = {"X-Requested-With": "notarius"}
    form = client.get(f"{address(registry, 'merge')}?record=1", headers=ours).content.decode()
    got = client.post(address(registry, "accept"), {"expected_version": 1, "record": VOSS}, headers=ours)

    assert form.lstrip().startswith("<form") and "<html" not in form
    assert (got.status_code, got["X-Next"]) == (204, f"/review/versions/{head(registry).pk}/?record={VOSS}")


def test_pages_of_acts_escape_what_people_and_models_wrote(client: Client, transcript: Transcript, gm: User) -> None:
    hostile = factories.make_version(
        transcript,
        {HOSTILE: ((50, 51),), "Wick": ((52, 52),)},
        consolidations={
            "applied": [],
            "proposals": [{"members": [HOSTILE, "Wick"], "canonical": HOSTILE, "verdict": HOSTILE}],
        },
    )
    number = names(hostile).index(HOSTILE)
    made = reviews.mark_unsure(**on(hostile), one=0, other=1, reason=HOSTILE, by=gm).version
    paths = [f"/review/versions/{made.pk}/{tail}?record={number}" for tail in ("", "acts", "decisions/", "compare/")]
    paths += [f"{address(made, act)}?record={number}" for act, one in ACTS.items() if one.fits("dnd/npcs")]
    html = "".join(page(client, path) for path in paths)
    html += client.post(
        address(made, "rename"), {"expected_version": 2, "record": 1, "name": HOSTILE + "x", "reason": HOSTILE}
    ).content.decode()

    assert "&lt;script&gt;alert(1)" in html
    assert "<script>alert" not in html and "<img src=x" not in html and "7|add:7 }}" in html


def test_history_tells_who_when_what_and_why(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "accept", record=VOSS, reason="Told so.")
    made = done(client, made, "rename", record=WICK, name="Old Wick")
    everything = page(client, f"/review/versions/{made.pk}/decisions/")
    of_voss = page(client, f"/review/versions/{made.pk}/decisions/?record={names(made).index('Aurelio Voss')}")

    assert everything.index("Renamed: Wick as Old Wick") < everything.index(
        "Accepted the merge: Aurelio Voss, Captain Voss as Aurelio Voss"
    )
    assert "Told so." in of_voss and "Old Wick" not in of_voss
    assert ">gm<" in of_voss


def test_history_spells_the_names_of_what_was_removed_and_of_edited_turns(
    client: Client, registry: ArtifactVersion, gm: User
) -> None:
    gone = done(client, registry, "remove", record=WICK)
    apart = done(client, gone, "not_same", record=VOSS - 1, members=[0])
    turn = families.turn(registry.transcript, "Orsolo Venn", [families.action("He waits.")], "He waits.", ((50, 50),))
    fight = families.make_version(registry.transcript, "combat-turns", [turn])
    renamed = editing.edit_record(**on(fight), record=0, fields={"actor": "Pell"}, by=gm).version
    emptied = editing.delete_record(**on(renamed), record=0, by=gm).version

    of_people = page(client, f"/review/versions/{apart.pk}/decisions/")
    assert "Removed: Wick<" in of_people and "Judged not the same: Captain Voss, Aurelio Voss<" in of_people
    of_turns = page(client, f"/review/versions/{emptied.pk}/decisions/")
    assert "Edited: Orsolo Venn" in of_turns and "Removed: Pell<" in of_turns


def test_history_marks_what_was_undone(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, done(client, registry, "accept", record=VOSS), "undo")
    html = page(client, f"/review/versions/{made.pk}/decisions/")

    assert "Undone: Accepted the merge" in html
    assert html.count("no longer stands") == 1
    assert "Redo: Accepted the merge" in html


@pytest.mark.parametrize("tail", ["acts?record=0", "acts/merge/?record=0", "decisions/", "compare/"])
def test_pages_of_acts_ask_the_same_number_of_queries_for_more_records(
    tail: str, client: Client, transcript: Transcript
) -> None:
    counts = []
    for count in (2, 40):
        version = factories.make_version(transcript, {f"Person {at}": ((50, 52),) for at in range(count)})
        with CaptureQueriesContext(connection) as seen:
            client.get(f"/review/versions/{version.pk}/{tail}")
        counts.append(len(seen))
        version.artifact.versions.update(state="rejected")

    assert counts[0] <= counts[1] + 1 and counts[1] <= counts[0] + 2
