"""What the page before an act tells of it: whose ids go, and what it would contradict."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.models import ArtifactVersion, Campaign
from tests import factories
from tests.campaigns.review.acting import address, done, signed_in
from tests.campaigns.reviews.acting import DELL, PEOPLE, QUILLON, WICK, head, id_of


@pytest.fixture
def registry(campaign: Campaign) -> ArtifactVersion:
    return factories.make_version(factories.make_transcript(factories.make_session(campaign, 3)), PEOPLE)


@pytest.fixture
def client(gm: User) -> Client:
    return signed_in(gm)


def test_same_warns_of_a_standing_not_the_same_before_it_is_saved(client: Client, registry: ArtifactVersion) -> None:
    apart = done(client, registry, "not_same", record=WICK, other=DELL)
    form = {"expected_version": apart.number, "record": WICK}
    loud, quiet = (
        client.post(address(apart, "same"), {**form, "other": other}).content.decode() for other in (DELL, QUILLON)
    )

    assert "Judged not the same: wick, harbourmaster dell" in loud.partition('class="impact"')[2].partition("</ul>")[0]
    assert "Judged not the same" not in quiet.partition('class="impact"')[2].partition("</ul>")[0]
    assert head(registry) == apart


def test_impact_says_whose_ids_go_and_come(client: Client, registry: ArtifactVersion) -> None:
    form = {"expected_version": 1, "records": [WICK, DELL], "canonical": DELL}
    shown = client.post(address(registry, "merge"), form).content.decode().partition('class="impact"')[2]
    line = next(line for line in shown.split("<li>") if id_of("Wick")[:20] in line)

    assert "Wick" in line
    assert "Harbourmaster Dell" in line
