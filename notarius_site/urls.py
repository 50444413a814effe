"""Where every address leads."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, re_path

from campaigns.api.problems import nothing_here
from campaigns.api.root import api_urls
from campaigns.views.numbers import numbers

urlpatterns = [
    path("", include("campaigns.urls")),
    path("admin/numbers/", numbers, name="numbers"),
    path("admin/", admin.site.urls),
    path("api/v1/", api_urls()),
    re_path(r"^api/", nothing_here),
]
handler400 = "campaigns.views.errors.bad_request"
handler403 = "campaigns.views.errors.permission_denied"
handler404 = "campaigns.views.errors.page_not_found"
handler500 = "campaigns.views.errors.server_error"
