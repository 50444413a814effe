"""Settings, read strictly from the environment (docs/operations.md lists every variable)."""

from __future__ import annotations

import os
from pathlib import Path

import environ as django_environ
from django.core.exceptions import ImproperlyConfigured

from notarius_site import env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("NOTARIUS_DATA_DIR") or BASE_DIR / "data")
ASSETS_DIR = BASE_DIR / "assets"
DEBUG = env.flag(os.environ, "NOTARIUS_DEBUG", default=False)
ALLOWED_HOSTS = env.words(os.environ, "NOTARIUS_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.words(os.environ, "NOTARIUS_TRUSTED_ORIGINS", [])

INSTALLED_APPS = [
    "campaigns",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_q",
    "ninja",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "notarius_site.middleware.content_security_policy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "notarius_site.urls"
WSGI_APPLICATION = "notarius_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Database: SQLite in the data directory unless DATABASE_URL says otherwise. IMMEDIATE and WAL because the default
# deferred transactions lose writes under several processes; never ATOMIC_REQUESTS with IMMEDIATE.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"
        " PRAGMA mmap_size=134217728; PRAGMA cache_size=-20000"
    ),
}
database_url = env.secret(os.environ, "DATABASE_URL")
if database_url:
    DATABASES = {"default": django_environ.Env.db_url_config(database_url)}
else:
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(DATA_DIR / "notarius.sqlite3")}}
EMBEDDED_DATABASE = DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
if EMBEDDED_DATABASE:
    DATA_DIR.mkdir(parents=True, exist_ok=True)
    DATABASES["default"] |= {"CONN_MAX_AGE": None, "OPTIONS": SQLITE_OPTIONS}
    # A file of each test process' own: several connections to a database in memory lock each other out.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / f"test-{os.getpid()}.sqlite3")}
else:
    DATABASES["default"] |= {"CONN_MAX_AGE": 120, "CONN_HEALTH_CHECKS": True}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# A generated key serves one machine with its own data directory. Several hosts share a database and must share a
# key, so a server database without a key is an error instead of sessions and queue rows that nobody else can read.
secret_key = env.secret(os.environ, "NOTARIUS_SECRET_KEY")
if not secret_key:
    if not (DEBUG or EMBEDDED_DATABASE):
        raise ImproperlyConfigured("NOTARIUS_SECRET_KEY (or NOTARIUS_SECRET_KEY_FILE) must be set with DATABASE_URL.")
    secret_key = env.generated_secret(DATA_DIR / "secret_key")
SECRET_KEY = secret_key

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "login"
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [ASSETS_DIR / "static"]
# Files are found in place on a laptop; `collectstatic` makes the compressed copies for a server.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# Browser security. The admin, the API's docs and our pages all run under one strict policy.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
HTTPS = env.flag(os.environ, "NOTARIUS_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"

# Limits on what comes in
UPLOAD_MAX_BYTES = env.number(os.environ, "NOTARIUS_UPLOAD_MAX_BYTES", 64 * 2**20)
UPLOAD_MAX_UNITS = env.number(os.environ, "NOTARIUS_UPLOAD_MAX_UNITS", 300_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 2_500_000

# The queue is a doorbell: the lane rows are the truth (docs/adr). The retry must outlast the timeout of every task
# that may wait in front of one: (timeout + 3) x (ceil((queue_limit + 1) / workers) + 1).
LANE_TIMEOUT_S = env.number(os.environ, "NOTARIUS_LANE_TIMEOUT", 4 * 3600, least=60)
WORKERS = env.number(os.environ, "NOTARIUS_WORKERS", 2)
# How often the supervisor asks the task cluster for a sign of life; three unanswered ones start it anew.
CANARY_S = env.number(os.environ, "NOTARIUS_CANARY_SECONDS", 15)
BROKER = env.choice(os.environ, "NOTARIUS_BROKER", ("orm", "redis"), "orm")
Q_CLUSTER = {
    "name": "notarius",
    "workers": WORKERS,
    "queue_limit": WORKERS,
    "timeout": LANE_TIMEOUT_S,
    "retry": (LANE_TIMEOUT_S + 3) * 3 + 60,
    "max_attempts": 1,
    "ack_failures": True,
    "save_limit": -1,
    "catch_up": False,
    "poll": 0.2,
    "recycle": 200,
    "label": "Task queue",
}
if BROKER == "redis":
    redis_url = env.secret(os.environ, "REDIS_URL")
    if not redis_url:
        raise ImproperlyConfigured("REDIS_URL must be set when NOTARIUS_BROKER is redis.")
    Q_CLUSTER["redis"] = redis_url
else:
    Q_CLUSTER["orm"] = "default"

LLM_PROFILES_FILE = os.environ.get("NOTARIUS_LLM_PROFILES") or None

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "notarius_site.logs.ContentSafeFormatter",
            "format": "{asctime} {levelname} {name} {message}",
            "style": "{",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        # These log payloads or every request; the first two would put content into the log.
        "openai": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "django.server": {"level": "WARNING"},
        # Two lines a task, a canary's included; the supervisor and the lanes log what matters.
        "django-q": {"level": "WARNING"},
    },
}
