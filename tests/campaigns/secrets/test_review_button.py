"""A record can be hidden from where it is reviewed, also before it is approved."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from django.test import Client

from campaigns.models import ArtifactVersion, Secret
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import GROUP, PEOPLE, VOSS, group_of

pytestmark = pytest.mark.django_db


class Form(HTMLParser):
    """The fields of the form that hides, and the kinds its buttons offer."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.action, self.fields, self.kinds, self._inside = "", {}, [], False  # type: ignore[var-annotated]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = given.get("class") == "acts-hide"
            self.action = given["action"] if self._inside else self.action
        elif self._inside and tag == "input":
            self.fields[given["name"]] = given["value"]
        elif self._inside and tag == "button":
            self.kinds.append(given["value"])


def form_of(client: Client, version: ArtifactVersion, record: int) -> Form:
    return Form(client.get(f"/review/versions/{version.pk}/acts?record={record}").content.decode())


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(factories.make_user(superuser=True))
    return client


def test_a_merge_is_hidden_whole_or_only_that_it_is_one(client: Client) -> None:
    transcript = factories.make_transcript()
    version = factories.make_version(transcript, PEOPLE, consolidations=group_of(transcript, GROUP))
    form = form_of(client, version, VOSS)
    answer = client.post(form.action, {**form.fields, "kind": "merge"})

    assert form.kinds == ["entry", "merge"]
    assert (answer.status_code, answer["Location"]) == (303, f"/review/versions/{version.pk}/?record={VOSS}")
    assert Secret.objects.get().kind == Secret.Kind.MERGE


def test_a_single_record_offers_no_merge(client: Client) -> None:
    version = factories.make_version(factories.make_transcript(), PEOPLE)

    assert form_of(client, version, 0).kinds == ["entry"]


def test_a_turn_is_hidden_for_itself(client: Client) -> None:
    transcript = factories.make_transcript()
    turn = families.turn(transcript, "Captain Voss", [families.action("He asks.")], "He asks.", ((209, 209),))
    version = families.make_version(transcript, "combat-turns", [turn])
    form = form_of(client, version, 0)
    client.post(form.action, {**form.fields, "kind": form.kinds[0]})

    assert Secret.objects.get().kind == Secret.Kind.OCCURRENCE


def test_a_scene_has_no_such_form(client: Client) -> None:
    transcript = factories.make_transcript()
    version = families.make_version(
        transcript, "scenes", [{"title": "A", "primary_mode": "social", "start_unit_id": 41, "end_unit_id": 210}]
    )

    assert form_of(client, version, 0).kinds == []
