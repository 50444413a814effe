"""The app's pages; the API has its own root."""

from __future__ import annotations

from django.urls import include, path

from campaigns.views.acts import act_page, act_panel, withdraw
from campaigns.views.health import healthz, metrics_page, readyz
from campaigns.views.invitations import invite, revoke
from campaigns.views.members import change_member, leave, members_page
from campaigns.views.reading import reading_citing, reading_page, reading_units, version_citing
from campaigns.views.removal import remove
from campaigns.views.renewing import renew
from campaigns.views.review import review_units, review_version
from campaigns.views.runs import change_run, new_run, run_page
from campaigns.views.secrets import hide, reveal, secrets_page
from campaigns.views.session import review_session
from campaigns.views.transcript import transcript_evidence, transcript_page, transcript_unit
from campaigns.views.upload import upload, upload_preview
from campaigns.views.versions import compare_versions, decision_history
from campaigns.views.webhooks import webhook_act, webhook_page, webhooks_page
from campaigns.views.withdrawal import withdraw_speaker
from campaigns.views.worklist import run_lanes, worklist

urlpatterns = [
    path("", include("campaigns.site_urls")),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics_page, name="metrics"),
    path("", include("campaigns.account_urls")),
    path("campaigns/<slug:slug>/members/", members_page, name="members"),
    path("campaigns/<slug:slug>/members/leave", leave, name="members-leave"),
    path("campaigns/<slug:slug>/members/<int:member_id>/act", change_member, name="members-act"),
    path("campaigns/<slug:slug>/secrets/", secrets_page, name="secrets"),
    path("campaigns/<slug:slug>/secrets/hide", hide, name="secret-hide"),
    path("campaigns/<slug:slug>/secrets/<int:secret_id>/reveal", reveal, name="secret-reveal"),
    path("campaigns/<slug:slug>/webhooks/", webhooks_page, name="webhooks"),
    path("campaigns/<slug:slug>/webhooks/<int:webhook_id>/", webhook_page, name="webhook"),
    path("campaigns/<slug:slug>/webhooks/<int:webhook_id>/act", webhook_act, name="webhook-act"),
    path("campaigns/<slug:slug>/invitations", invite, name="invitations"),
    path("campaigns/<slug:slug>/invitations/<int:invitation_id>/revoke", revoke, name="invitations-revoke"),
    path("campaigns/<slug:slug>/upload/", upload, name="upload-new"),
    path("campaigns/<slug:slug>/sessions/<int:number>/upload/", upload, name="upload"),
    path("campaigns/<slug:slug>/sessions/<int:number>/upload/<str:token>/", upload_preview, name="upload-preview"),
    path("campaigns/<slug:slug>/sessions/<int:number>/transcript/", transcript_page, name="transcript"),
    path(
        "campaigns/<slug:slug>/sessions/<int:number>/transcript/units/<int:unit_id>/",
        transcript_unit,
        name="transcript-unit",
    ),
    path(
        "campaigns/<slug:slug>/sessions/<int:number>/transcript/evidence/",
        transcript_evidence,
        name="transcript-evidence",
    ),
    path("campaigns/<slug:slug>/withdraw/", withdraw_speaker, name="withdraw-words"),
    path("campaigns/<slug:slug>/delete/", remove, name="campaign-remove"),
    path("review/", worklist, name="review-worklist"),
    path("review/sessions/<int:session_id>/", review_session, name="review-session"),
    path("review/sessions/<int:session_id>/run/", new_run, name="run-new"),
    path("review/runs/<int:run_id>/", run_page, name="run"),
    path("review/runs/<int:run_id>/<slug:act>", change_run, name="run-change"),
    path("review/sessions/<int:session_id>/lanes", run_lanes, name="review-run-lanes"),
    path("review/sessions/<int:session_id>/renew", renew, name="review-renew"),
    path("review/sessions/<int:session_id>/units", reading_page, name="review-reading"),
    path("review/sessions/<int:session_id>/units/stretch", reading_units, name="review-reading-units"),
    path("review/sessions/<int:session_id>/citing", reading_citing, name="review-reading-citing"),
    path("review/versions/<int:version_id>/", review_version, name="review-version"),
    path("review/versions/<int:version_id>/units", review_units, name="review-units"),
    path("review/versions/<int:version_id>/citing", version_citing, name="review-citing"),
    path("review/versions/<int:version_id>/acts", act_panel, name="review-acts"),
    path("review/versions/<int:version_id>/acts/<slug:act>/", act_page, name="review-act"),
    path("review/versions/<int:version_id>/withdraw", withdraw, name="review-withdraw"),
    path("review/versions/<int:version_id>/decisions/", decision_history, name="review-history"),
    path("review/versions/<int:version_id>/compare/", compare_versions, name="review-compare"),
]
