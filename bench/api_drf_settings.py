"""The site's own settings, serving the one view of `bench.api_drf` instead of its addresses."""

from __future__ import annotations

from notarius_site.settings import *  # noqa: F403 - the same settings is the point
from notarius_site.settings import INSTALLED_APPS, MIDDLEWARE

INSTALLED_APPS = [*INSTALLED_APPS, "rest_framework"]
# What Django has to answer 304: it compares after the whole answer was made.
MIDDLEWARE = ["django.middleware.http.ConditionalGetMiddleware", *MIDDLEWARE]
ROOT_URLCONF = "bench.api_drf"
REST_FRAMEWORK = {"DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]}
