"""The acts on the records of every other lane through HTTP, and the fields that their forms have."""

from __future__ import annotations

import html as markup
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.act_forms import MALFORMED
from campaigns.actions import editing
from campaigns.models import ArtifactVersion, Decision, Transcript
from campaigns.record_fields import ACTION, SPECS
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.review.acting import address, done
from tests.campaigns.reviews.acting import PEOPLE, head, id_of, on, ranges, records

SCHEMAS = Path(__file__).resolve().parents[3] / "assets" / "dnd"


@pytest.fixture
def fight(transcript: Transcript) -> ArtifactVersion:
    """Turn 0 has two actions over two ranges, turn 1 one; the registry knows whom they name."""
    factories.make_version(transcript, PEOPLE, state="approved")
    swing, shove = families.action("He swings.", "It hits.", ["Wick"]), families.action("He shoves.", None, ["Wick"])
    turns = [
        families.turn(transcript, "Aurelio Voss", [swing, shove], "He swings and shoves.", ((204, 202), (209, 209))),
        families.turn(transcript, "Wick", [families.action("He ducks.")], "He ducks.", ((206, 205),), number=1),
    ]
    return families.make_version(transcript, "combat-turns", turns)


@pytest.fixture
def plan(transcript: Transcript) -> ArtifactVersion:
    scenes = [
        families.scene("The pier", 41, 55),
        families.scene("The chapel", 7, 21),
        families.scene("The boat", 203, 211),
    ]
    return families.make_version(transcript, "scenes", scenes)


def form_of(client: Client, version: ArtifactVersion, act: str, record: int) -> dict[str, Any]:
    """Return what a browser would send of the form as it is, without scripts."""
    page = client.get(f"{address(version, act)}?record={record}").content.decode().partition('class="act"')[2]
    form: dict[str, Any] = {}
    for tag in re.findall(r"<input [^>]*>", page):
        given = dict(re.findall(r'([a-z-]+)="([^"]*)"', tag))
        if given["type"] != "checkbox" or " checked" in tag:
            form[given["name"]] = markup.unescape(given.get("value", ""))
    for name, text in re.findall(r'<textarea [^>]*name="([^"]+)"[^>]*>\n(.*?)</textarea>', page, re.DOTALL):
        form[name] = markup.unescape(text).replace("\n", "\r\n")
    for name, options in re.findall(r'<select [^>]*name="([^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL):
        found = re.search(r'value="([^"]*)" selected', options) or re.search(r'value="([^"]*)"', options)
        form[name] = markup.unescape(found.group(1)) if found else ""
    return form


def sent(client: Client, version: ArtifactVersion, act: str, record: int, **changed: object) -> ArtifactVersion:
    form = {**form_of(client, version, act, record), **changed}
    return done(client, version, act, **{name: value for name, value in form.items() if value is not None})


@pytest.mark.parametrize("family", list(SPECS))
def test_forms_have_the_fields_and_choices_of_the_schema(family: str) -> None:
    schema = orjson.loads((SCHEMAS / family.replace("-", "_") / "artifact.schema.json").read_bytes())
    models = [model["properties"] for name, model in schema["$defs"].items() if not name.startswith("Source")]
    choices = {name: tuple(one["enum"]) for model in models for name, one in model.items() if "enum" in one}
    specs = [*SPECS[family], *(ACTION if family == "combat-turns" else ())]

    assert {spec.name: spec.choices for spec in specs if spec.choices} == choices
    assert {spec.name for spec in specs} <= {name for model in models for name in model}


def test_edit_changes_only_what_is_otherwise(client: Client, fight: ArtifactVersion) -> None:
    made = sent(client, fight, "edit", 0, round="2", summary="He swings,\r\nand shoves him.")
    before, after = records(fight)[0], records(made)[0]

    assert (after["round"], after["summary"]) == (2, "He swings, and shoves him.")
    assert {**after, "round": None, "summary": before["summary"]} == before


def test_edit_of_nothing_says_so(client: Client, fight: ArtifactVersion) -> None:
    got = client.post(address(fight, "edit"), form_of(client, fight, "edit", 0))

    assert got.status_code == 400
    assert "Nothing in the fields is other than before." in got.content.decode()


def test_edit_changes_drops_and_adds_actions(client: Client, fight: ArtifactVersion) -> None:
    changed = {"action-0-resolution": "It misses.", "action-1-drop": "1", "action-2-declaration": "He runs."}
    made = sent(client, fight, "edit", 0, **changed, **{"action-2-category": "movement"})
    first, second = records(made)[0]["actions"]

    assert (first["resolution"], first["targets"]) == ("It misses.", ["Wick"])
    assert second == families.action("He runs.", None, [], "movement")


@pytest.mark.parametrize(
    ("changed", "field", "sentence"),
    [
        ({"round": "two"}, "round", "whole number"),
        ({"round": "0"}, "round", "A whole number from 1, or nothing."),
        ({"summary": " "}, "summary", "This cannot be empty."),
        ({"actor": ""}, "actor", "This cannot be empty."),
        ({"action-0-declaration": ""}, "action-0-declaration", "This cannot be empty."),
    ],
)
def test_edit_refused_stands_beside_its_field_and_keeps_the_words(
    changed: dict[str, str], field: str, sentence: str, client: Client, fight: ArtifactVersion
) -> None:
    form = {**form_of(client, fight, "edit", 0), "reason": "Heard it.", **changed}
    got = client.post(address(fight, "edit"), form)
    html = got.content.decode()

    assert got.status_code == 422
    assert sentence in html.partition(f'id="problem-{field}"')[2].partition("</div>")[0]
    assert f'id="problem-{field}"' in html
    assert 'value="Heard it."' in html
    assert head(fight) == fight


def test_second_saver_of_a_turn_keeps_both_peoples_fields(client: Client, fight: ArtifactVersion, admin: User) -> None:
    """One wrote the round, the other the summary: the form that comes back has the round, and saves both."""
    form = {**form_of(client, fight, "edit", 0), "summary": "Otherwise told."}
    newer = editing.edit_record(**on(fight), record=0, fields={"round": 7}, by=admin).version
    got = client.post(address(fight, "edit"), form)
    html = got.content.decode()

    assert got.status_code == 409
    assert 'name="round" value="7"' in html and "Otherwise told." in html

    made = done(client, newer, "edit", **{**form_of(client, newer, "edit", 0), "summary": "Otherwise told."})

    assert (records(made)[0]["round"], records(made)[0]["summary"]) == (7, "Otherwise told.")


def test_evidence_is_given_as_units(client: Client, fight: ArtifactVersion) -> None:
    made = sent(client, fight, "evidence", 1, ranges="206-205, 210")

    assert ranges(records(made)[1]) == [(206, 205), (210, 210)]


def test_evidence_moves_to_another_turn(client: Client, fight: ArtifactVersion) -> None:
    made = done(client, fight, "move", record=0, refs=[1], to=1)

    assert len(ranges(records(made)[0])) == 1


def test_units_out_of_a_range_move_to_another_turn(client: Client, fight: ArtifactVersion) -> None:
    made = done(client, fight, "move", record=0, ranges="202", to=1)

    assert [ranges(one) for one in records(made)] == [[(204, 204), (209, 209)], [(202, 202), (206, 205)]]


def test_move_of_units_that_are_not_cited_says_so_beside_the_field(client: Client, fight: ArtifactVersion) -> None:
    got = client.post(address(fight, "move"), {"expected_version": 1, "record": 0, "ranges": "206", "to": 1})
    problem = got.content.decode().partition('id="problem-ranges"')[2].partition("</div>")[0]

    assert "This record does not cite all of these units." in problem
    assert head(fight) == fight


def test_add_makes_a_turn_that_was_missed(client: Client, fight: ArtifactVersion) -> None:
    form = {"actor": "Wick", "turn_kind": "reaction", "round": "", "summary": "He yells.", "ranges": "210"}
    action = {"actions": "1", "action-0-category": "other", "action-0-declaration": "Stop!", "action-0-targets": ""}
    made = done(client, fight, "add", **form, **action)
    (added,) = [one for one in records(made) if one["summary"] == "He yells."]

    assert added["actions"] == [families.action("Stop!", None, [], "other")]
    assert (added["round"], ranges(added)) == (None, [(210, 210)])


def test_delete_takes_the_record_out(client: Client, fight: ArtifactVersion) -> None:
    assert len(records(done(client, fight, "delete", record=0))) == 1


def test_turn_is_split_and_joined_again(client: Client, fight: ArtifactVersion) -> None:
    halves = {"kept": "204-202", "kept_summary": "He swings.", "ranges": "209", "summary": "He shoves."}
    split = sent(client, fight, "split_turn", 0, going="1", **halves)
    joined = done(client, split, "join_turns", records=[0, 1])

    assert {one["summary"] for one in records(split)} == {"He swings.", "He shoves.", "He ducks."}
    assert len(records(split)) == 3
    assert len(records(joined)) == 2


def test_split_that_loses_evidence_says_so_beside_the_units(client: Client, fight: ArtifactVersion) -> None:
    form = {**form_of(client, fight, "split_turn", 0), "going": "1", "kept": "204", "ranges": "209"}
    got = client.post(address(fight, "split_turn"), form)

    assert got.status_code == 422
    assert "would be cited no more" in got.content.decode().partition('id="problem-kept"')[2].partition("</div>")[0]


def beside(page: str, field: str) -> str:
    """Return what is said beside the field."""
    return page.partition(f'id="problem-{field}"')[2].partition("</div>")[0]


@pytest.mark.parametrize("going", [[], ["0", "1"]], ids=["none", "all"])
def test_split_without_actions_on_both_sides_says_so_beside_the_actions(
    client: Client, fight: ArtifactVersion, going: list[str]
) -> None:
    got = client.post(address(fight, "split_turn"), {**form_of(client, fight, "split_turn", 0), "going": going})

    assert "not all of them" in beside(got.content.decode(), "going")
    assert head(fight) == fight


@pytest.mark.parametrize("summary", ["", " "], ids=["empty", "blank"])
def test_split_gives_no_half_the_summary_of_the_whole_unasked(
    client: Client, fight: ArtifactVersion, summary: str
) -> None:
    halves = {"going": "1", "kept": "204-202", "ranges": "209", "summary": summary, "kept_summary": summary}
    got = client.post(address(fight, "split_turn"), {**form_of(client, fight, "split_turn", 0), **halves})

    assert got.status_code == 422
    assert beside(got.content.decode(), "summary")
    assert beside(got.content.decode(), "kept_summary")
    assert head(fight) == fight


def test_split_is_offered_for_turns_of_several_actions_alone(client: Client, fight: ArtifactVersion) -> None:
    several, one = (client.get(f"/review/versions/{fight.pk}/?record={at}").content.decode() for at in (0, 1))

    assert [len(record["actions"]) for record in records(fight)] == [2, 1]
    assert "acts/split_turn/" in several
    assert "acts/split_turn/" not in one
    assert "acts/join_turns/" in one
    assert "has one action" in client.get(address(fight, "split_turn"), {"record": 1}).content.decode()


def test_form_of_a_new_turn_calls_it_one(client: Client, fight: ArtifactVersion, plan: ArtifactVersion) -> None:
    assert '<h2 id="act-title">Add a turn</h2>' in client.get(address(fight, "add")).content.decode()
    assert '<h2 id="act-title">Add a record</h2>' in client.get(address(plan, "add")).content.decode()


@pytest.mark.parametrize("family", sorted(SPECS))
def test_fields_of_a_new_record_that_are_empty_are_named(family: str, client: Client, transcript: Transcript) -> None:
    version = families.make_version(transcript, family, families.one_of_each(transcript)[family])
    form = {**form_of(client, version, "add", 0), "ranges": "204"}
    got = client.post(address(version, "add"), form)
    page = got.content.decode()

    assert got.status_code == 422
    assert MALFORMED not in page
    assert any(beside(page, spec.name) for spec in SPECS[family])


def test_scene_has_a_start_and_no_evidence(client: Client, plan: ArtifactVersion) -> None:
    made = sent(client, plan, "edit", 1, title="Below the chapel", start_unit_id="9")

    assert [one["title"] for one in records(made)][1] == "Below the chapel"
    assert client.get(address(plan, "evidence")).status_code == 404
    assert "acts/evidence/" not in client.get(f"/review/versions/{made.pk}/").content.decode()


def test_occurrence_is_led_to_another_entry_by_name(client: Client, transcript: Transcript) -> None:
    factories.make_version(transcript, PEOPLE, state="approved")
    wick = {"npc_id": id_of("Wick"), "name": "Wick", "kind": "mention"}
    version = families.make_version(
        transcript, "npc-occurrences", [{**wick, "source_refs": families.refs(transcript, ((51, 51),))}]
    )
    made = sent(client, version, "edit", 0, name="mother quillon")

    assert records(made)[0]["npc_id"] == id_of("Mother Quillon")


@pytest.mark.parametrize("family", [family for family in SPECS if family != "npcs"])
def test_form_of_each_family_comes_back_as_it_was(family: str, client: Client, transcript: Transcript) -> None:
    """A form that nobody touched says nothing new, whatever the family and its optional fields."""
    registry = family in ("items", "locations")
    version = families.make_version(transcript, family, families.one_of_each(transcript)[family])
    act = "rename" if registry else "edit"
    got = client.post(address(version, act), form_of(client, version, act, 0))

    assert got.status_code == (200 if registry else 400)
    assert head(version) == version


def test_lost_edit_is_offered_and_done_again(client: Client, fight: ArtifactVersion, gm: User) -> None:
    editing.edit_record(**on(fight), record=0, fields={"round": 2}, by=gm)
    first = orjson.loads(fight.payload)["turns"]
    fight.artifact.versions.filter(state="pending").update(state="superseded")
    again = families.make_version(fight.transcript, "combat-turns", first)
    page = client.get(f"/review/versions/{again.pk}/decisions/").content.decode()
    made = done(client, again, "reapply", decision=Decision.objects.get().pk)

    assert "Edits that a later extraction does not have" in page
    assert records(made)[0]["round"] == 2
