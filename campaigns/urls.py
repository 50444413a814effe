"""The app's pages; the API has its own root."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from campaigns.views.home import home
from campaigns.views.review import review_units, review_version
from campaigns.views.session import review_session

urlpatterns = [
    path("", home, name="home"),
    path("login/", LoginView.as_view(next_page="home", redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(next_page="home"), name="logout"),
    path("review/sessions/<int:session_id>/", review_session, name="review-session"),
    path("review/versions/<int:version_id>/", review_version, name="review-version"),
    path("review/versions/<int:version_id>/units", review_units, name="review-units"),
]
