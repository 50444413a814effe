"""What the page before an act tells of it: whose ids go, and what it would contradict."""

from __future__ import annotations

import pytest
from django.test import Client

from campaigns.models import ArtifactVersion, Campaign
from tests import factories
from tests.campaigns.review.acting import address, done
from tests.campaigns.reviews.acting import DELL, PEOPLE, QUILLON, WICK, head, id_of, names


@pytest.fixture
def registry(campaign: Campaign) -> ArtifactVersion:
    return factories.make_version(factories.make_transcript(factories.make_session(campaign, 3)), PEOPLE)


def test_same_warns_of_a_standing_not_the_same_before_it_is_saved(client: Client, registry: ArtifactVersion) -> None:
    apart = done(client, registry, "not_same", record=WICK, other=DELL)
    form = {"expected_version": apart.number, "record": WICK}
    loud, quiet = (
        client.post(address(apart, "same"), {**form, "other": other}).content.decode() for other in (DELL, QUILLON)
    )

    assert "Judged not the same: Wick, Harbourmaster Dell" in loud.partition('class="impact"')[2].partition("</ul>")[0]
    assert "Judged not the same" not in quiet.partition('class="impact"')[2].partition("</ul>")[0]
    assert head(registry) == apart


def test_impact_says_whose_ids_go_and_come(client: Client, registry: ArtifactVersion) -> None:
    form = {"expected_version": 1, "records": [WICK, DELL], "canonical": DELL}
    shown = client.post(address(registry, "merge"), form).content.decode().partition('class="impact"')[2]
    line = next(line for line in shown.split("<li>") if id_of("Wick")[:20] in line)

    assert "Wick" in line
    assert "Harbourmaster Dell" in line


def told(client: Client, version: ArtifactVersion, act: str, **form: object) -> str:
    """Return what the page before the act tells of it; nothing where there is none."""
    page = client.post(address(version, act), {"expected_version": version.number, **form}).content.decode()
    return page.partition('class="impact"')[2].partition("</ul>")[0]


def test_not_the_same_of_two_records_tells_what_it_does_before_it_is_saved(
    client: Client, registry: ArtifactVersion
) -> None:
    shown = told(client, registry, "not_same", record=WICK, other=DELL)

    assert "Wick and Harbourmaster Dell stay as they are, and later runs never make them one." in shown
    assert "No API id changes." in shown
    assert head(registry) == registry
    assert done(client, registry, "not_same", record=WICK, other=DELL).digest == registry.digest


def test_not_the_same_warns_of_a_standing_same_before_it_is_saved(client: Client, registry: ArtifactVersion) -> None:
    united = done(client, registry, "same", record=WICK, other=DELL)
    parted = done(client, united, "explode", record=names(united).index("Wick"))
    one, other, third = (names(parted).index(name) for name in ("Wick", "Harbourmaster Dell", "Mother Quillon"))
    loud, quiet = (told(client, parted, "not_same", record=one, other=each) for each in (other, third))

    assert "It contradicts a decision that stands: Judged the same: Wick, Harbourmaster Dell as Wick" in loud
    assert "contradicts" not in quiet


def test_not_the_same_of_members_tells_who_parts(client: Client, registry: ArtifactVersion) -> None:
    united = done(client, registry, "merge", records=[WICK, DELL, QUILLON], canonical=DELL)
    at = names(united).index("Harbourmaster Dell")
    members = [one["name"] for one in united.consolidations["applied"][0]["members"]]
    shown = told(client, united, "not_same", record=at, members=[members.index("Wick")])

    assert "Wick parts from Harbourmaster Dell and Mother Quillon, and later runs never make them one." in shown


def test_not_the_same_of_nothing_is_refused_before_anything_is_told(client: Client, registry: ArtifactVersion) -> None:
    got = client.post(address(registry, "not_same"), {"expected_version": 1, "record": WICK})
    same = client.post(address(registry, "not_same"), {"expected_version": 1, "record": WICK, "other": WICK})

    assert (got.status_code, same.status_code) == (422, 400)
    assert "Choose another record" in got.content.decode()
    assert "Name two different records." in same.content.decode()
