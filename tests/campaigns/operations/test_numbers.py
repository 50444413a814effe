"""What runs cost, and what reviewers did with the lanes' work."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries

from campaigns.actions import history, plans, pulses, reviews, versions
from campaigns.models import ArtifactVersion, LaneRun, Run
from campaigns.numbers import Cost, Maker, quality_since, usage_since
from extraction.llm.prices import Prices
from tests.campaigns.reviews.acting import DELL, GROUP, PEOPLE, VOSS, WICK, group_of, head, names, on
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
    by_campaign = {line.name: line.used for line in usage.by_campaign}
    [careful] = [line for line in usage.by_profile if line.name == "careful"]

    # 600,000 at 2, 400,000 cached at 0.5 and 250,000 at 8, each a million
    assert by_campaign["Priced"].money == "3.40 EUR"
    assert (by_campaign["Free"].money, by_campaign["Free"].unpriced) == ("none priced", 3)
    assert (usage.total.calls, careful.used.tokens) == (6, 2_500_000)


def test_each_line_has_its_share_of_each_currencys_cost() -> None:
    used_lane(name="In euros", prices=PRICES)
    used_lane(name="In euros too", prices=PRICES)
    used_lane(name="In francs", prices=replace(PRICES, currency="CHF"))
    used_lane(name="Free", prices=None)
    usage = usage_since(yesterday())

    assert {line.name: line.costs for line in usage.by_campaign} == {
        "In euros": (Cost("EUR", 3_400_000, 6_800_000),),
        "In euros too": (Cost("EUR", 3_400_000, 6_800_000),),
        "In francs": (Cost("CHF", 3_400_000, 3_400_000),),
        "Free": (),
    }
    assert [cost.currency for cost in usage.by_profile[0].costs] == ["CHF", "EUR"]


def test_campaigns_of_one_name_are_told_apart() -> None:
    used = [used_lane(name=name, prices=None) for name in ("The Salt Ferry", "The Salt Ferry", "Elsewhere")]
    slugs = [lane.run.session.campaign.slug for lane in used]
    # Another one is named as the first is called here.
    used_lane(name=f"The Salt Ferry ({slugs[0]})", prices=None)
    lines = usage_since(yesterday()).by_campaign

    first = f"The Salt Ferry ({slugs[0]})"
    assert sorted(line.name for line in lines) == sorted([first, first, f"The Salt Ferry ({slugs[1]})", "Elsewhere"])
    assert {(line.used.calls, line.used.tokens) for line in lines} == {(3, 1_250_000)}


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


def test_one_act_on_a_pending_version_changes_no_rate() -> None:
    gm = make_user()
    versions.approve(version_id=proposed().pk, note="", by=gm)
    reviews.remove(**on(proposed()), record=0, by=gm)
    [(_, quality)] = quality_since(yesterday())

    assert (quality.versions, quality.removed, quality.accept_rate) == (1, 0, 1.0)


def test_acts_after_the_approval_count_once_they_are_approved_too() -> None:
    gm = make_user()
    version = proposed()
    versions.approve(version_id=version.pk, note="", by=gm)
    made = reviews.remove(**on(version), record=0, by=gm).version
    [(_, before)] = quality_since(yesterday())
    versions.approve(version_id=made.pk, note="", by=gm)
    [(_, after)] = quality_since(yesterday())

    assert (before.removed, after.removed) == (0, 1)
    assert (before.versions, after.versions) == (1, 1)


LONG_AGO = timedelta(days=400)


def made_before_the_period(*old: ArtifactVersion) -> None:
    ArtifactVersion.objects.filter(pk__in=[one.pk for one in old]).update(created_at=timezone.now() - LONG_AGO)


def test_an_older_extraction_is_told_of_whole_once_a_version_made_of_it_is_decided(client: Client) -> None:
    gm = make_user(staff=True, superuser=True)
    version = proposed()
    between = reviews.remove(**on(version), record=0, by=gm).version
    made = reviews.remove(**on(between), record=0, by=gm).version
    made_before_the_period(version, between, made)
    pending = quality_since(yesterday())
    versions.approve(version_id=made.pk, note="", by=gm)
    [(_, quality)] = quality_since(yesterday())
    client.force_login(gm)

    assert pending == []
    assert (quality.versions, quality.proposed, quality.removed) == (1, version.record_count, 2)
    assert client.get("/admin/numbers/").status_code == 200


def test_an_older_extraction_that_is_approved_unchanged_is_accepted() -> None:
    version = proposed()
    made_before_the_period(version)
    versions.approve(version_id=version.pk, note="", by=make_user())
    [(_, quality)] = quality_since(yesterday())

    assert (quality.proposed, quality.accepted, quality.accept_rate) == (version.record_count, version.record_count, 1)


def test_what_was_decided_before_the_period_is_left_out_and_stays_approved() -> None:
    gm = make_user()
    version = proposed()
    versions.approve(version_id=version.pk, note="", by=gm)
    long_ago = timezone.now() - LONG_AGO
    ArtifactVersion.objects.filter(pk=version.pk).update(created_at=long_ago, decided_at=long_ago)
    before = quality_since(yesterday())
    made = reviews.remove(**on(version), record=0, by=gm).version
    versions.reject(version_id=made.pk, note="", by=gm)
    [(_, quality)] = quality_since(yesterday())

    assert before == []
    assert (quality.rejected, quality.removed, quality.accept_rate) == (0, 0, 1.0)


def test_a_version_whose_extraction_was_removed_is_left_out() -> None:
    gm = make_user()
    made = reviews.remove(**on(proposed()), record=0, by=gm).version
    versions.approve(version_id=made.pk, note="", by=gm)
    ArtifactVersion.objects.filter(pk=made.pk).update(parent=None)

    assert quality_since(yesterday()) == []


@pytest.fixture
def registry() -> ArtifactVersion:
    """Dell 0, Wick 1, Mother Quillon 2, Aurelio Voss 3, whom the model united of Aurelio Voss and Captain Voss."""
    transcript = make_transcript()
    return make_version(transcript, PEOPLE, consolidations=group_of(transcript, GROUP))


def false_merges(version: ArtifactVersion) -> tuple[int, int]:
    """Approve the newest version, and return how many of how many merges were undone."""
    newest = head(version)
    if newest.state == ArtifactVersion.State.PENDING:
        versions.approve(version_id=newest.pk, note="", by=make_user())
    [(_, quality)] = quality_since(yesterday())
    return quality.undone_merges, quality.merges


def test_a_merge_of_the_model_that_is_taken_apart_is_a_false_one(registry: ArtifactVersion) -> None:
    reviews.undo_consolidation(**on(registry), record=VOSS, by=make_user())

    assert false_merges(registry) == (1, 1)
    [(_, quality)] = quality_since(yesterday())
    assert (quality.false_merge_rate, quality.accept_rate) == (1.0, 0.75)


def test_a_merge_by_hand_that_is_taken_apart_says_nothing_of_the_model(registry: ArtifactVersion) -> None:
    gm = make_user()
    merged = reviews.merge(**on(registry), records=[DELL, WICK], canonical=DELL, by=gm).version
    reviews.undo_consolidation(**on(merged), record=DELL, by=gm)

    assert false_merges(registry) == (0, 1)


def test_a_false_merge_counts_while_its_undoing_stands(registry: ArtifactVersion) -> None:
    gm = make_user()
    made = reviews.undo_consolidation(**on(registry), record=VOSS, by=gm).version
    made = history.undo(**on(made), by=gm).version
    undone = false_merges(registry)
    made = history.redo(**on(made), by=gm).version
    redone = false_merges(registry)

    assert (undone, redone) == ((0, 1), (1, 1))


def test_a_false_merge_counts_once_however_often_it_is_taken_apart(registry: ArtifactVersion) -> None:
    gm = make_user()
    made = reviews.undo_consolidation(**on(registry), record=VOSS, by=gm).version
    places = [at for at, name in enumerate(names(made)) if name in GROUP]
    made = reviews.merge(**on(made), records=places, canonical=places[0], by=gm).version
    together = false_merges(registry)
    reviews.undo_consolidation(**on(made), record=places[0], by=gm)

    assert (together, false_merges(registry)) == ((0, 1), (1, 1))


def test_a_merge_that_went_into_a_larger_one_by_hand_is_taken_apart_with_it(registry: ArtifactVersion) -> None:
    gm = make_user()
    made = reviews.merge(**on(registry), records=[WICK, VOSS], canonical=WICK, by=gm).version
    reviews.undo_consolidation(**on(made), record=WICK, by=gm)

    assert false_merges(registry) == (1, 1)


def test_what_a_reviewer_bound_before_is_no_merge_of_the_model(registry: ArtifactVersion) -> None:
    [group] = registry.consolidations["applied"]
    bound = {**registry.consolidations, "applied": [{**group, "by": "review"}]}
    ArtifactVersion.objects.filter(pk=registry.pk).update(consolidations=bound)
    reviews.undo_consolidation(**on(registry), record=VOSS, by=make_user())

    assert false_merges(registry) == (0, 0)


def test_the_page_is_for_site_admins(client: Client) -> None:
    assert client.get("/admin/numbers/").status_code == 404
    client.force_login(make_user(staff=True))
    assert client.get("/admin/numbers/").status_code == 404
    client.force_login(make_user(staff=True, superuser=True))
    used_lane(name="<b>Priced</b>", prices=PRICES)
    answer = client.get("/admin/numbers/?days=7")

    assert answer.status_code == 200
    assert "3.40 EUR" in answer.content.decode()
    assert 'aria-label="Share of EUR of &lt;b&gt;Priced&lt;/b&gt;"' in answer.content.decode()
    assert "<b>Priced" not in answer.content.decode()


def test_the_page_tells_the_numbers_that_the_metrics_tell(client: Client) -> None:
    client.force_login(make_user(staff=True, superuser=True))
    lane = used_lane(name="Waits", prices=PRICES)
    LaneRun.objects.filter(pk=lane.pk).update(state="queued", rung_at=timezone.now() - timedelta(seconds=90))
    pulses.stamp(kind=pulses.SUPERVISOR, name="here", at=timezone.now())
    client.get("/healthz")
    context = client.get("/admin/numbers/").context
    now, http = context["now"], dict(context["http"])
    told = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(client.get("/metrics").content.decode())
        for sample in family.samples
    }

    for state, runs, lanes in now.states:
        assert told.get(("notarius_runs", (("state", state),))) == runs
        assert told.get(("notarius_lanes", (("state", state),))) == lanes
    assert (now.supervisors, now.lanes["queued"]) == (told["notarius_supervisors", ()], 1)
    assert now.queue_tasks == told["notarius_queue_tasks", ()]
    assert 90 <= now.queue_age <= told["notarius_queue_age_seconds", ()]
    [used] = now.usage
    assert told["notarius_calls", (("lane", lane.key),)] == used.calls == 3
    assert told["notarius_tokens", (("kind", "cached"), ("lane", lane.key))] == used.tokens["cached"] == 400_000
    alive = ("notarius_http_answers_total", (("method", "GET"), ("status", "200"), ("view", "healthz")))
    assert http["healthz"].all - http["healthz"].refused - http["healthz"].failed == told[alive] > 0
