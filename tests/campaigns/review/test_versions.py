"""The pages around the versions of one artifact: decisions that are withdrawn, versions side by side."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import editing
from campaigns.models import ArtifactVersion, Decision, Transcript
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.review.acting import address, contradicted, done
from tests.campaigns.review.test_acts import page, registry
from tests.campaigns.reviews.acting import DELL, PEOPLE, VOSS, WICK, head, on, records

__all__ = ["registry"]


def test_withdraw_has_a_decision_bind_no_more(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "accept", record=VOSS)
    accepted = Decision.objects.get()
    got = client.post(f"/review/versions/{made.pk}/withdraw", {"decision": accepted.pk}, follow=True)
    again = client.post(f"/review/versions/{made.pk}/withdraw", {"decision": accepted.pk}, follow=True)

    assert "Withdrawn. The next run" in got.content.decode()
    assert "binds nothing any more" in again.content.decode()
    assert Decision.objects.filter(kind="withdraw").count() == 1


def test_withdraw_above_the_records_leads_back_to_the_record_that_was_looked_at(
    client: Client, registry: ArtifactVersion, gm: User
) -> None:
    last = contradicted(registry, gm, gm)
    here = f"/review/versions/{last.pk}/"
    box = page(client, f"{here}?record=2").partition('class="opposed"')[2].partition("</ul>")[0]
    said = dict(re.findall(r'<input type="hidden" name="([a-z]+)" value="([^"]*)"', box.partition("/withdraw")[2]))
    got = client.post(f"{here}withdraw", said, follow=True)

    assert got.redirect_chain == [(f"{here}?record=2", 302)]
    assert "Withdrawn. The next run" in got.content.decode()
    assert 'class="opposed"' not in got.content.decode()


def test_withdraw_tells_the_script_where_to_go_on(client: Client, registry: ArtifactVersion, gm: User) -> None:
    last = contradicted(registry, gm, gm)
    said = {"decision": Decision.objects.get(kind="merge").pk, "above": "1", "record": "3"}
    asked = {"X-Requested-With": "notarius"}
    first, again = (client.post(f"/review/versions/{last.pk}/withdraw", said, headers=asked) for _ in range(2))

    assert (first.status_code, first["X-Next"]) == (204, f"/review/versions/{last.pk}/?record=3")
    assert (again.status_code, again["X-Next"]) == (204, first["X-Next"])
    assert "binds nothing any more" in page(client, first["X-Next"])
    assert Decision.objects.filter(kind="withdraw").count() == 1


def test_compare_says_what_changed_and_rolls_back(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "rename", record=WICK, name="Old Wick")
    html = page(client, f"/review/versions/{made.pk}/compare/?with=1")
    back = done(client, made, "roll_back", target=registry.pk)

    assert "<del>Wick</del>" in html and "<ins>Old Wick</ins>" in html
    assert "a person&#x27;s review" in html
    assert "Roll back to version 1" in html
    assert back.digest == registry.digest


def test_compare_says_by_line_who_cites_it_and_who_did(client: Client, registry: ArtifactVersion) -> None:
    made = done(client, registry, "split", record=DELL, refs=[2], to=WICK)
    html = page(client, f"/review/versions/{made.pk}/compare/?with=1")
    row = html.partition('<th scope="row">Units 210-208</th>')[2].partition("</tr>")[0]

    assert "<del>Harbourmaster Dell</del>" in row and "<ins>Wick</ins>" in row


def cited_lines(html: str) -> dict[str, tuple[str, str]]:
    """Return by units who cites them in the one version and in the other, as the page says."""
    rows = html.partition("<h2>Cited lines</h2>")[2].partition("</table>")[0]
    pattern = r'<th scope="row">(.*?)</th><td><del>(.*?)</del></td><td><ins>(.*?)</ins></td>'
    return {units: (was, now) for units, was, now in re.findall(pattern, rows)}


def test_compare_says_of_a_part_of_a_range_who_cites_it(client: Client, transcript: Transcript, gm: User) -> None:
    two = [families.action("He swings."), families.action("He shoves.")]
    turns = [
        families.turn(transcript, "Voss", two, "He swings and shoves.", ((204, 209),)),
        families.turn(transcript, "Dell", [families.action("She runs.")], "She runs.", ((206, 205),)),
    ]
    version = families.make_version(transcript, "combat-turns", turns)
    halves: Any = {"kept": [(204, 204)], "kept_summary": "He swings.", "ranges": [(204, 209)], "actions": [1]}
    made = editing.split_turn(**on(version), **halves, record=0, fields={"summary": "He shoves."}, by=gm).version
    new: Any = {"actor": "Pell", "turn_kind": "turn", "summary": "She runs.", "actions": [families.action("She runs.")]}
    made = editing.add_record(**on(made), fields=new, ranges=[(205, 210), (11, 11)], by=gm).version
    lines = cited_lines(page(client, f"/review/versions/{made.pk}/compare/?with=1"))

    assert lines["Unit 204"] == ("Voss (units 204-209)", "Voss, Voss (units 204-209)")
    assert lines["Units 205-210"] == ("Dell (units 206-205)", "Pell, Dell (units 206-205)")
    assert lines["Unit 11"] == ("nobody", "Pell")


def test_roll_back_refuses_a_version_of_another_artifact(client: Client, registry: ArtifactVersion) -> None:
    elsewhere = factories.make_version(factories.make_transcript(factories.make_session(number=9)), PEOPLE)
    got = client.post(address(registry, "roll_back"), {"expected_version": 1, "target": elsewhere.pk})

    assert got.status_code == 400
    assert head(registry) == registry


def test_compare_with_a_version_that_is_not_there_says_so(client: Client, registry: ArtifactVersion) -> None:
    assert "There is no such version" in page(client, f"/review/versions/{registry.pk}/compare/?with=7")


@pytest.fixture
def fight(transcript: Transcript) -> ArtifactVersion:
    """Two turns of one person, of whom the first does two things, and one of somebody else."""
    two = [families.action("He swings."), families.action("He shoves.")]
    return families.make_version(
        transcript,
        "combat-turns",
        [
            families.turn(transcript, "Voss", two, "He swings and shoves.", ((204, 204), (209, 209))),
            families.turn(transcript, "Voss", [families.action("He waits.")], "He waits.", ((50, 50),)),
            families.turn(transcript, "Wick", [families.action("He ducks.")], "He ducks.", ((206, 205),)),
        ],
    )


def split(version: ArtifactVersion, by: User) -> ArtifactVersion:
    at = next(at for at, one in enumerate(records(version)) if len(one["actions"]) == 2)
    halves: Any = {"kept": [(204, 204)], "kept_summary": "He swings.", "ranges": [(209, 209)], "actions": [1]}
    return editing.split_turn(**on(version), **halves, record=at, fields={"summary": "He shoves."}, by=by).version


def parts_of(html: str) -> tuple[list[str], list[str]]:
    """Return what the page says the turns were, and what they became."""
    row = html.partition('class="became"')[2].partition("</tr>")[0]
    return re.findall(r"<del>(.*?)</del>", row), [
        re.sub("<.*?>", "", one) for one in re.findall("<ins>(.*?)</ins>", row)
    ]


def test_compare_shows_a_split_turn_as_one_that_became_two(client: Client, fight: ArtifactVersion, gm: User) -> None:
    made = split(fight, gm)
    html = page(client, f"/review/versions/{made.pk}/compare/?with=1")

    assert "1 turn became 2" in html
    assert parts_of(html) == (
        ["Voss, units 204, 209: He swings and shoves."],
        ["Voss, units 204: He swings.", "Voss, units 209: He shoves."],
    )
    assert "<h2>Added</h2>" not in html and "<h2>Changed</h2>" not in html


def test_compare_shows_joined_turns_as_two_that_became_one(client: Client, fight: ArtifactVersion, gm: User) -> None:
    joined = editing.join_turns(**on(fight), records=[0, 1], fields={"summary": "All of it."}, by=gm).version
    html = page(client, f"/review/versions/{joined.pk}/compare/?with=1")
    were, became = parts_of(html)

    assert "2 turns became 1" in html
    assert (len(were), became) == (2, ["Voss, units 50, 204, 209: All of it."])
    assert "<h2>Removed</h2>" not in html and "<h2>Changed</h2>" not in html


def test_compare_tells_a_split_apart_from_what_was_added_and_edited_beside_it(
    client: Client, fight: ArtifactVersion, gm: User
) -> None:
    edited = editing.edit_record(**on(split(fight, gm)), record=0, fields={"round": 4}, by=gm).version
    new: Any = {"actor": "Pell", "turn_kind": "turn", "summary": "She runs.", "actions": [families.action("She runs.")]}
    made = editing.add_record(**on(edited), fields=new, ranges=[(11, 11)], by=gm).version
    html = page(client, f"/review/versions/{made.pk}/compare/?with=1")
    added = html.partition("<h2>Added</h2>")[2].partition("</ul>")[0]

    assert "1 turn became 2" in html
    assert "Pell" in added and "Voss" not in added
    assert "<td>round</td>" in html
