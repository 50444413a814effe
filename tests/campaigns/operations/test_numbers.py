"""What runs cost, and what reviewers did with the lanes' work."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from campaigns.actions import history, plans, reviews, versions
from campaigns.models import ArtifactVersion, LaneRun, Run
from campaigns.numbers import Maker, quality_since, usage_since
from extraction.llm.prices import Prices
from tests.factories import make_campaign, make_lane_run, make_session, make_transcript, make_user, make_version

pytestmark = pytest.mark.django_db
MANIFEST = {"extract": {"prompt": {"digest": "ab" * 32}}, "provider": {"model": "careful-one"}}
PRICES = Prices(prompt=2.0, cached=0.5, completion=8.0, currency="EUR")


def yesterday() -> datetime:
    return timezone.now() - timedelta(days=1)


def used_lane(*, name: str, prices: Prices | None) -> LaneRun:
    session = make_session(make_campaign(name=name))
    lane = make_lane_run(make_transcript(session))
    planned = plans.PlannedLane(lane=lane.key, step=0, profile="careful", prices=prices)
    Run.objects.filter(pk=lane.run_id).update(plan=plans.to_json([planned]))
    LaneRun.objects.filter(pk=lane.pk).update(
        calls=3, prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=250_000
    )
    return lane


def proposed(**columns: object) -> ArtifactVersion:
    version = make_version()
    ArtifactVersion.objects.filter(pk=version.pk).update(manifest=MANIFEST, **columns)
    return ArtifactVersion.objects.get(pk=version.pk)


def test_costs_are_reckoned_by_the_prices_of_the_run() -> None:
    used_lane(name="Priced", prices=PRICES)
    used_lane(name="Free", prices=None)
    usage = usage_since(yesterday())
    by_campaign = dict(usage.by_campaign)

    # 600,000 at 2, 400,000 cached at 0.5 and 250,000 at 8, each a million
    assert by_campaign["Priced"].money == "3.40 EUR"
    assert (by_campaign["Free"].money, by_campaign["Free"].unpriced) == ("none priced", 3)
    assert (usage.total.calls, dict(usage.by_profile)["careful"].tokens) == (6, 2_500_000)


def test_runs_before_the_period_are_left_out() -> None:
    lane = used_lane(name="Old", prices=None)
    Run.objects.filter(pk=lane.run_id).update(created_at=timezone.now() - timedelta(days=2))

    assert usage_since(yesterday()).total.calls == 0


def test_usage_takes_three_queries_for_any_number_of_runs(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for name in ("One", "Two", "Three"):
        used_lane(name=name, prices=PRICES)
    with django_assert_num_queries(3):
        usage_since(yesterday())


def test_quality_counts_what_a_reviewer_changed_of_a_makers_records() -> None:
    gm: User = make_user()
    version = proposed()
    made = reviews.remove(artifact_id=version.artifact_id, expected_version=version.number, record=0, by=gm).version
    made = reviews.rename(
        artifact_id=version.artifact_id, expected_version=made.number, record=0, name="Another Name", by=gm
    ).version
    made = history.undo(artifact_id=version.artifact_id, expected_version=made.number, by=gm).version
    versions.approve(version_id=made.pk, note="", by=gm)
    [(maker, quality)] = quality_since(yesterday())

    assert maker == Maker("dnd/npcs", "ab" * 6, "careful-one")
    assert (quality.versions, quality.proposed, quality.removed, quality.edited) == (1, version.record_count, 1, 0)
    assert quality.accept_rate == pytest.approx((version.record_count - 1) / version.record_count)


def test_quality_of_a_rejected_version_accepts_nothing() -> None:
    version = proposed()
    versions.reject(version_id=version.pk, note="", by=make_user())
    [(_, quality)] = quality_since(yesterday())

    assert (quality.rejected, quality.accept_rate) == (1, 0.0)


def test_quality_says_nothing_of_what_nobody_looked_at() -> None:
    proposed()

    assert quality_since(yesterday()) == []


def test_the_page_is_for_site_admins(client: Client) -> None:
    assert client.get("/admin/numbers/").status_code == 404
    client.force_login(make_user(staff=True))
    assert client.get("/admin/numbers/").status_code == 404
    client.force_login(make_user(staff=True, superuser=True))
    used_lane(name="<b>Priced</b>", prices=PRICES)
    answer = client.get("/admin/numbers/?days=7")

    assert answer.status_code == 200
    assert "3.40 EUR" in answer.content.decode()
    assert "<b>Priced" not in answer.content.decode()
