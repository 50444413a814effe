"""The review page of each of the ten families."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from campaigns import review
from campaigns.models import ArtifactVersion, Campaign, Transcript
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.review import families
from tests.standard import GM

FAMILIES = tuple(families.RECORDS_KEYS)
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{ 7|add:7 }}"
BOUND = 250_000


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


@pytest.fixture
def client(gm: User) -> Client:
    client = Client()
    client.force_login(gm)
    return client


def page(client: Client, path: str) -> str:
    got = client.get(path)
    return got.content.decode()


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.parametrize("family", FAMILIES)
def test_review_shows_every_text_of_a_record(family: str, client: Client, transcript: Transcript) -> None:
    said: list[str] = []

    def note(text: str) -> str:
        said.append(text)
        return text

    records = families.one_of_each(transcript, note)[family]
    version = families.make_version(transcript, family, records)
    mine = {text for text in said if text in version.payload}
    html = page(client, f"/review/versions/{version.pk}/")

    assert mine
    assert not [text for text in mine if text not in text_of(html)]
    assert html.count('aria-current="true"') == 1
    assert 'class="unit cited now"' in html


@pytest.mark.parametrize("family", FAMILIES)
def test_review_escapes_every_text_of_a_record(family: str, client: Client, transcript: Transcript) -> None:
    records = families.one_of_each(transcript, lambda text: f"{text} {HOSTILE}")[family]
    html = page(client, f"/review/versions/{families.make_version(transcript, family, records).pk}/")

    assert "<script>alert" not in html
    assert "<img" not in html
    assert escape(HOSTILE) in html
    assert "onclick=" not in html


@pytest.mark.parametrize("family", FAMILIES)
def test_review_takes_the_same_queries_for_few_and_many_records(
    family: str, client: Client, transcript: Transcript
) -> None:
    records = families.one_of_each(transcript)[family]
    counts = []
    for times in (1, 30):
        version = families.make_version(transcript, family, records * times)
        version.artifact.versions.exclude(pk=version.pk).update(state="rejected")
        with CaptureQueriesContext(connection) as seen:
            client.get(f"/review/versions/{version.pk}/")
        counts.append(len(seen))
        version.artifact.versions.update(state="rejected")

    assert counts[0] == counts[1] <= 17


@pytest.mark.parametrize("family", FAMILIES)
def test_review_survives_a_record_without_its_fields(family: str, client: Client, transcript: Transcript) -> None:
    version = families.make_version(transcript, family, [{}, {"name": 7, "actions": "x", "targets": None}])

    assert "Without a name" in page(client, f"/review/versions/{version.pk}/?record=1")


def test_review_of_scenes_scrolls_to_the_start_and_lights_the_stretch(client: Client, transcript: Transcript) -> None:
    version = families.make_version(transcript, "scenes", families.one_of_each(transcript)["scenes"])
    html = page(client, f"/review/versions/{version.pk}/?record=1")

    assert html.count('class="unit cited now"') == 1
    assert 'class="unit cited now" id="unit-7"' in html
    assert html.count('class="unit cited"') == 23
    assert "Below the chapel</b>: units 7 to 211" in html
    assert "table talk" in html
    assert 'id="after"' not in html


def test_review_of_turns_marks_interrupts_and_says_what_came_of_an_action(
    client: Client, transcript: Transcript
) -> None:
    turns = [
        families.turn(transcript, "Pike", [families.action("stabs", "misses", ["Voss"])], "Pike tries.", ((206, 206),)),
        families.turn(
            transcript, "Voss", [families.action("parries")], "Voss parries.", ((205, 205), (208, 208)), kind="reaction"
        ),
        families.turn(transcript, "Dell", [families.action("waits")], "Dell waits.", ((208, 208),), number=3),
    ]
    html = page(client, f"/review/versions/{families.make_version(transcript, 'combat-turns', turns).pk}/?record=1")
    text = text_of(html)

    assert html.count('class="record turn interrupt"') == 1
    assert "Voss reaction 2 cited Voss parries." in text
    assert "attack stabs Targets: Voss resolved: misses" in text
    assert "Round 3 Dell 1 cited" in text
    assert html.count('class="unit cited') == 2


def test_review_tells_places_of_one_name_apart(client: Client, transcript: Transcript) -> None:
    families.make_version(
        transcript, "scenes", [families.scene("The pier", 41, 55), families.scene("The chapel", 7, 211)]
    )
    places = [
        families.place(transcript, "The Gate"),
        families.place(transcript, "The gate", ((9, 9),)),
        families.place(transcript, "Saltwick"),
    ]
    registry = families.make_version(transcript, "locations", places)
    met = [
        {"location_id": each["id"], "name": each["name"], "kind": "arrival", "source_refs": each["source_refs"]}
        for each in (*places, {**places[0], "id": f"location:sha256:{'0' * 64}"})
    ]
    occurrences = families.make_version(transcript, "location-occurrences", met)
    told = [[record.place for record in review.read_version(version).records] for version in (registry, occurrences)]
    first, second = (
        f"unit 41, in the scene “The pier”, {GM} speaking.",
        f"unit 9, in the scene “The chapel”, {GM} speaking.",
    )

    assert told[0] == [f"First met at {first}", f"First met at {second}", ""]
    assert told[1] == [
        f"The one first met at {first}",
        f"The one first met at {second}",
        "",
        "The place with the id 00000000.",
    ]
    assert first in page(client, f"/review/versions/{registry.pk}/")


def test_review_of_merged_places_tells_the_members_apart(client: Client, transcript: Transcript) -> None:
    members = [families.place(transcript, "The Gate"), families.place(transcript, "The Gate", ((9, 9),))]
    result = families.place(transcript, "The Gate", ((41, 41), (9, 9)))
    version = families.make_version(
        transcript,
        "locations",
        [result],
        consolidations={"applied": [{"id": result["id"], "canonical": "The Gate", "members": list(members)}]},
    )
    text = text_of(page(client, f"/review/versions/{version.pk}/"))

    assert "First met at unit 41." in text
    assert "First met at unit 9." in text


def test_review_of_a_long_fight_stays_small(client: Client, campaign: Campaign) -> None:
    version = long_fight(campaign, 3_308, 120)
    html = client.get(f"/review/versions/{version.pk}/").content

    assert html.count(b'class="unit') == review.FIRST_STRETCH
    assert len(html) < BOUND


def long_fight(campaign: Campaign, units: int, turns: int) -> ArtifactVersion:
    """A session of `units` units with a fight of `turns` turns, of three actions and three ranges each."""
    said = [SourceUnit(at ^ 1, f"Player {at % 5}", "The lantern swings. " * (1 + at % 7)) for at in range(2, units + 2)]
    transcript = factories.make_transcript(factories.make_session(campaign, 7), said)
    records = []
    for number in range(turns):
        at = 20 * number
        pairs = [(said[at + step].unit_id, said[at + step + 2].unit_id) for step in (0, 6, 12)]
        actions = [
            families.action("swings the boat hook at the nearest of them", "it hits for 9 damage", ["the drowned mate"])
            for _ in range(3)
        ]
        kind = "reaction" if number % 7 == 3 else "turn"
        summary = "They hold the rail and the hook takes one of the drowned in the shoulder."
        records.append(
            families.turn(
                transcript, f"Fighter {number % 9}", actions, summary, pairs, kind=kind, number=1 + number // 9
            )
        )
    return families.make_version(transcript, "combat-turns", records)
