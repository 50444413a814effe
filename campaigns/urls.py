"""The app's pages; the API has its own root."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from campaigns.views.acts import act_page, act_panel, withdraw
from campaigns.views.home import home
from campaigns.views.reading import reading_citing, reading_page, reading_units, version_citing
from campaigns.views.review import review_units, review_version
from campaigns.views.session import review_session
from campaigns.views.transcript import transcript_page
from campaigns.views.upload import upload, upload_preview
from campaigns.views.versions import compare_versions, decision_history
from campaigns.views.worklist import run_lanes, worklist

urlpatterns = [
    path("", home, name="home"),
    path("login/", LoginView.as_view(next_page="home", redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(next_page="home"), name="logout"),
    path("campaigns/<slug:slug>/upload/", upload, name="upload-new"),
    path("campaigns/<slug:slug>/sessions/<int:number>/upload/", upload, name="upload"),
    path("campaigns/<slug:slug>/sessions/<int:number>/upload/<str:token>/", upload_preview, name="upload-preview"),
    path("campaigns/<slug:slug>/sessions/<int:number>/transcript/", transcript_page, name="transcript"),
    path("review/", worklist, name="review-worklist"),
    path("review/sessions/<int:session_id>/", review_session, name="review-session"),
    path("review/sessions/<int:session_id>/lanes", run_lanes, name="review-run-lanes"),
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
