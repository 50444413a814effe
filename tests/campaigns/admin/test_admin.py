from __future__ import annotations

import zlib
from datetime import timedelta

import pytest
from django.contrib import admin as django_admin
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from campaigns.actions import reviews
from campaigns.models import (
    ApiToken,
    ArtifactVersion,
    AuditEntry,
    Campaign,
    Exchange,
    Membership,
    RosterEntry,
    Run,
    Transcript,
)
from tests import factories

OURS = [model for model in django_admin.site._registry if model._meta.app_label == "campaigns"]
FOR_GMS = {
    "artifactversion",
    "campaign",
    "decision",
    "gamesession",
    "membership",
    "registryentry",
    "run",
    "transcript",
}
HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'


@pytest.fixture
def staff_gm(gm: User) -> User:
    gm.is_staff = True
    gm.save(update_fields=["is_staff"])
    return gm


@pytest.fixture
def transcript(campaign: Campaign) -> Transcript:
    return factories.make_transcript(factories.make_session(campaign))


@pytest.fixture
def elsewhere(db: None) -> ArtifactVersion:
    campaign = factories.make_campaign("far-shore", name="The Far Shore")
    return factories.make_version(factories.make_transcript(factories.make_session(campaign)))


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("name", sorted(model._meta.model_name or "" for model in OURS))
def test_lists_are_for_site_admins_and_the_review_part_for_game_masters(
    name: str, admin: User, staff_gm: User, player: User
) -> None:
    player.is_staff = True
    player.save(update_fields=["is_staff"])
    path = f"/admin/campaigns/{name}/"
    got = [signed_in(user).get(path).status_code for user in (admin, staff_gm, player)]

    assert got == [200, 200 if name in FOR_GMS else 403, 403]


@pytest.mark.parametrize(
    "path", ["django_q/ormq", "django_q/success", "django_q/failure", "django_q/schedule", "auth/user"]
)
def test_queue_and_users_are_for_site_admins_even_where_a_permission_was_granted(
    path: str, admin: User, staff_gm: User
) -> None:
    staff_gm.user_permissions.set(Permission.objects.filter(content_type__app_label="django_q"))

    assert signed_in(admin).get(f"/admin/{path}/").status_code == 200
    assert signed_in(staff_gm).get(f"/admin/{path}/").status_code == 403


@pytest.mark.parametrize("name", ["ormq", "success", "failure", "schedule"])
def test_queue_takes_no_rows_from_a_form(name: str, admin: User) -> None:
    assert signed_in(admin).get(f"/admin/django_q/{name}/add/").status_code == 403


def test_game_master_sees_the_rows_of_own_campaigns_alone(
    staff_gm: User, transcript: Transcript, elsewhere: ArtifactVersion
) -> None:
    own = factories.make_version(transcript)
    client = signed_in(staff_gm)
    html = client.get("/admin/campaigns/artifactversion/").content.decode()

    assert f"/review/versions/{own.pk}/" in html
    assert f"/review/versions/{elsewhere.pk}/" not in html
    assert "The Far Shore" not in html
    for kind, pk in (
        ("artifactversion", elsewhere.pk),
        ("gamesession", elsewhere.artifact.session_id),
        ("transcript", elsewhere.transcript_id),
        ("campaign", elsewhere.artifact.session.campaign_id),
    ):
        assert client.get(f"/admin/campaigns/{kind}/{pk}/change/").status_code == 302


def test_game_master_sees_no_exchanges_tokens_or_audit_on_the_index(staff_gm: User) -> None:
    html = signed_in(staff_gm).get("/admin/").content.decode()

    assert "/admin/campaigns/artifactversion/" in html
    assert not [name for name in ("exchange", "apitoken", "auditentry", "django_q", "auth/user") if f"/{name}/" in html]


@pytest.mark.parametrize("kind", ["transcript", "artifactversion", "run"])
def test_machine_made_rows_are_read_only(kind: str, admin: User, transcript: Transcript) -> None:
    version, run = factories.make_version(transcript), factories.make_run(transcript)
    pk = {
        "transcript": transcript.pk,
        "artifactversion": version.pk,
        "run": run.pk,
    }
    client, path = signed_in(admin), f"/admin/campaigns/{kind}"

    assert client.get(f"{path}/{pk[kind]}/change/").status_code == 200
    assert client.post(f"{path}/{pk[kind]}/change/", {}).status_code == 403
    assert client.get(f"{path}/add/").status_code == 403
    assert client.post(f"{path}/{pk[kind]}/delete/", {"post": "yes"}).status_code == 403


def test_version_page_links_to_the_review(admin: User, transcript: Transcript) -> None:
    version = factories.make_version(transcript)
    html = signed_in(admin).get(f"/admin/campaigns/artifactversion/{version.pk}/change/").content.decode()

    assert f'href="/review/versions/{version.pk}/"' in html


def test_session_page_lists_what_is_there_and_why_a_lane_failed(admin: User, transcript: Transcript) -> None:
    run = factories.make_run(transcript, state=Run.State.FAILED)
    run.lanes.update(error_code="llm.timeout", error_message="No answer within 90 s.", findings=[])
    version = factories.make_version(transcript)
    html = signed_in(admin).get(f"/admin/campaigns/gamesession/{transcript.session_id}/change/").content.decode()

    assert transcript.source_id in html
    assert f"/review/versions/{version.pk}/" in html
    assert "llm.timeout" in html


def test_session_page_says_what_to_do_where_nothing_is_there(admin: User, campaign: Campaign) -> None:
    session = factories.make_session(campaign, 4)
    html = signed_in(admin).get(f"/admin/campaigns/gamesession/{session.pk}/change/").content.decode()

    assert "import_transcript FILE --campaign salt-ferry --session 4" in html
    assert "run_pipeline --campaign salt-ferry --session 4" in html


def test_exchange_shows_its_bytes_escaped(admin: User, transcript: Transcript) -> None:
    exchange = Exchange.objects.create(
        lane=factories.make_lane_run(transcript),
        prompt_id="dnd/npcs",
        request=zlib.compress(HOSTILE.encode()),
        reply=zlib.compress(b"\xff" + HOSTILE.encode()),
        outcome="ok",
        provider="scripted",
    )
    html = signed_in(admin).get(f"/admin/campaigns/exchange/{exchange.pk}/change/").content.decode()

    assert html.count("&lt;script&gt;alert(1)") == 2
    assert "<script>alert" not in html
    assert r"\xff" in html


def test_cancel_action_cancels_runs_and_says_which_had_ended(staff_gm: User, transcript: Transcript) -> None:
    running, done = factories.make_run(transcript), factories.make_run(transcript, state=Run.State.SUCCEEDED)
    got = signed_in(staff_gm).post(
        "/admin/campaigns/run/",
        {"action": "cancel_runs", "_selected_action": [running.pk, done.pk]},
        follow=True,
    )

    assert [Run.objects.get(pk=pk).state for pk in (running.pk, done.pk)] == ["cancelled", "succeeded"]
    assert f"Run {done.pk}: This run is succeeded already." in got.content.decode()


def test_token_is_shown_once_and_never_its_digest(admin: User, gm: User) -> None:
    client, path = signed_in(admin), "/admin/campaigns/apitoken"
    made = client.post(f"{path}/add/", {"name": "sheet", "user": gm.pk, "scope": "read"})
    token = ApiToken.objects.get()
    raw = made.content.decode().split('<pre class="bytes" tabindex="0">')[1].split("<")[0]
    later = client.get(f"{path}/").content.decode() + client.get(f"{path}/{token.pk}/change/").content.decode()

    assert (made.status_code, token.user) == (200, gm)
    assert "no-store" in made["Cache-Control"]
    assert Client(headers={"authorization": f"Bearer {raw}"}).get("/api/v1/campaigns/salt-ferry").status_code == 200
    assert raw not in later
    assert token.digest not in later + made.content.decode()


def test_token_whose_end_has_passed_is_refused_in_the_form(admin: User, gm: User) -> None:
    past = timezone.now() - timedelta(days=1)
    got = signed_in(admin).post(
        "/admin/campaigns/apitoken/add/",
        {"name": "x", "user": gm.pk, "scope": "read", "expires_at_0": past.date(), "expires_at_1": "10:00"},
    )

    assert got.status_code == 200
    assert "must lie in the future" in got.content.decode()
    assert ApiToken.objects.count() == 0


def test_revoke_action_ends_a_token(admin: User, gm: User) -> None:
    client = signed_in(admin)
    client.post("/admin/campaigns/apitoken/add/", {"name": "sheet", "user": gm.pk, "scope": "read"})
    client.post(
        "/admin/campaigns/apitoken/", {"action": "revoke_tokens", "_selected_action": [ApiToken.objects.get().pk]}
    )

    assert ApiToken.objects.get().revoked_at is not None


def test_campaign_form_edits_roster_and_glossary_as_lines_and_leaves_an_audit_row(
    staff_gm: User, campaign: Campaign
) -> None:
    got = signed_in(staff_gm).post(f"/admin/campaigns/campaign/{campaign.pk}/change/", _campaign_form(campaign))
    entry = RosterEntry.objects.get()

    assert got.status_code == 302
    assert (entry.player, entry.speaker_labels, entry.other_names) == ("Yun", ["Yun", "Y."], [])
    assert campaign.glossary.get().heard_as == ["salt wick", "Saul Twick"]
    assert AuditEntry.objects.filter(act="campaign.edit", by=staff_gm, campaign=campaign).count() == 1


def test_campaign_form_keeps_the_slug_once_a_transcript_exists(
    admin: User, campaign: Campaign, transcript: Transcript
) -> None:
    form = _campaign_form(campaign) | {"slug": "another"}
    signed_in(admin).post(f"/admin/campaigns/campaign/{campaign.pk}/change/", form)
    campaign.refresh_from_db()

    assert campaign.slug == "salt-ferry"


def test_membership_is_given_by_site_admins_alone(
    admin: User, staff_gm: User, outsider: User, campaign: Campaign
) -> None:
    form = {"campaign": campaign.pk, "user": outsider.pk, "role": "reader"}
    refused = signed_in(staff_gm).post("/admin/campaigns/membership/add/", form)
    given = signed_in(admin).post("/admin/campaigns/membership/add/", form)

    membership = Membership.objects.get(campaign=campaign, user=outsider)
    signed_in(admin).post(f"/admin/campaigns/membership/{membership.pk}/delete/", {"post": "yes"})

    assert (refused.status_code, given.status_code, membership.role) == (403, 302, "reader")
    assert not Membership.objects.filter(user=outsider, campaign=campaign).exists()
    acts = AuditEntry.objects.filter(by=admin, campaign=campaign).order_by("pk").values_list("act", flat=True)
    assert list(acts) == ["membership.add", "membership.remove"]


def test_admin_pages_carry_the_strict_policy_and_no_inline_script(admin: User, transcript: Transcript) -> None:
    factories.make_version(transcript)
    for path in ("/admin/", "/admin/campaigns/artifactversion/", "/admin/login/"):
        got = signed_in(admin).get(path, follow=True)

        assert "default-src 'self'" in got["Content-Security-Policy"]
        assert "<script>" not in got.content.decode()
        assert " style=" not in got.content.decode()


def _campaign_form(campaign: Campaign) -> dict[str, str]:
    return {
        "name": campaign.name,
        "slug": campaign.slug,
        "roster-TOTAL_FORMS": "1",
        "roster-INITIAL_FORMS": "0",
        "roster-0-campaign": str(campaign.pk),
        "roster-0-kind": "party",
        "roster-0-position": "1",
        "roster-0-player": "Yun",
        "roster-0-character": "Pike",
        "roster-0-speaker_labels": "Yun\r\n Y. \r\n\r\nYun",
        "roster-0-other_names": "",
        "glossary-TOTAL_FORMS": "1",
        "glossary-INITIAL_FORMS": "0",
        "glossary-0-campaign": str(campaign.pk),
        "glossary-0-position": "0",
        "glossary-0-term": "Saltwick",
        "glossary-0-heard_as": "salt wick\nSaul Twick",
    }


def test_decisions_are_looked_at_in_ones_own_campaigns_and_never_written(
    staff_gm: User, transcript: Transcript, elsewhere: ArtifactVersion
) -> None:
    own = factories.make_version(transcript)
    mine, theirs = (
        reviews.mark_unsure(artifact_id=version.artifact_id, expected_version=1, one=0, other=1, by=staff_gm).decision
        for version in (own, elsewhere)
    )
    client = signed_in(staff_gm)
    html = client.get("/admin/campaigns/decision/").content.decode()
    change = f"/admin/campaigns/decision/{mine.pk}/change/"

    assert change in html and f"/admin/campaigns/decision/{theirs.pk}/change/" not in html
    assert 'type="submit" name="_save"' not in client.get(change).content.decode()
    assert client.post(change, {"reason": "Otherwise."}).status_code == 403
    assert client.post(f"/admin/campaigns/decision/{mine.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/campaigns/decision/add/").status_code == 403
    assert client.get(f"/admin/campaigns/decision/{theirs.pk}/change/").status_code == 302
