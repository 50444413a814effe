"""Two people at once: whoever saves second keeps their words, on the version that the first one made."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import editing, reviews
from campaigns.models import ArtifactVersion, Campaign
from tests import factories
from tests.campaigns.review import families
from tests.campaigns.review.acting import address
from tests.campaigns.reviews.acting import DELL, GROUP, PEOPLE, QUILLON, WICK, group_of, head, names, on


@pytest.fixture
def registry(campaign: Campaign) -> ArtifactVersion:
    transcript = factories.make_transcript(factories.make_session(campaign, 3))
    return factories.make_version(transcript, PEOPLE, consolidations=group_of(transcript, GROUP))


def test_second_saver_keeps_their_words_and_sees_the_newer_version(
    client: Client, registry: ArtifactVersion, admin: User
) -> None:
    newer = reviews.rename(**on(registry), record=WICK, name="Old Wick", by=admin).version
    got = client.post(
        address(registry, "rename"), {"expected_version": 1, "record": DELL, "name": "Dell", "reason": "Shorter."}
    )
    html = got.content.decode()

    assert got.status_code == 409
    assert "Version 2 has been made meanwhile" in html
    assert f'href="/review/versions/{newer.pk}/?record=0" target="_blank" rel="noopener">Open version 2' in html
    assert f'href="/review/versions/{newer.pk}/compare/?with=1"' in html
    assert 'value="Dell"' in html and 'value="Shorter."' in html
    assert head(registry) == newer


def test_second_saver_saves_on_the_newer_version_without_undoing_the_other(
    client: Client, registry: ArtifactVersion, admin: User
) -> None:
    """The records of the newer version stand elsewhere: the form is about the same ones."""
    newer = reviews.remove(**on(registry), record=DELL, by=admin).version
    got = client.post(
        address(registry, "merge"),
        {"expected_version": 1, "confirmed": "1", "records": [WICK, QUILLON], "canonical": QUILLON},
    )
    html = got.content.decode()
    wick, quillon = names(newer).index("Wick"), names(newer).index("Mother Quillon")

    assert got.status_code == 409
    assert f'action="{address(newer, "merge")}"' in html
    assert 'name="expected_version" value="2"' in html
    assert f'name="records" value="{wick}" checked' in html and f'name="records" value="{quillon}" checked' in html
    assert f'<option value="{quillon}" selected>Mother Quillon' in html


def test_second_saver_is_told_where_the_record_is_gone(client: Client, registry: ArtifactVersion, admin: User) -> None:
    reviews.remove(**on(registry), record=DELL, by=admin)
    got = client.post(address(registry, "rename"), {"expected_version": 1, "record": DELL, "name": "Dell"})

    assert got.status_code == 409
    assert f'action="{address(registry, "rename")}"' in got.content.decode()
    assert 'value="Dell"' in got.content.decode()


def test_undo_that_came_second_undoes_nothing_of_the_others(
    client: Client, registry: ArtifactVersion, admin: User
) -> None:
    reviews.remove(**on(registry), record=DELL, by=admin)
    got = client.post(address(registry, "undo"), {"expected_version": 1})

    assert got.status_code == 409
    assert f'action="{address(registry, "undo")}"' in got.content.decode()


def test_split_that_came_second_takes_the_summary_that_it_did_not_touch_from_the_newer_version(
    client: Client, registry: ArtifactVersion, admin: User
) -> None:
    transcript = registry.transcript
    two = [families.action("He swings."), families.action("He shoves.")]
    turn = families.turn(transcript, "Wick", two, "He swings and shoves.", ((50, 52),))
    fight = families.make_version(transcript, "combat-turns", [turn])
    editing.edit_record(**on(fight), record=0, fields={"summary": "He swings, then shoves."}, by=admin)
    form = {"kept": "50-52", "kept_summary": "He swings and shoves.", "ranges": "52", "summary": "He shoves."}
    got = client.post(address(fight, "split_turn"), {"expected_version": 1, "record": 0, "going": 1, **form})
    html = got.content.decode()

    assert got.status_code == 409
    assert re.search(r'name="kept_summary"[^>]*>\s*He swings, then shoves.</textarea>', html)
    assert re.search(r'name="summary"[^>]*>\s*He shoves.</textarea>', html)
