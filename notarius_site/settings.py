"""Settings, read strictly from the environment (docs/operations.md lists every variable)."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from notarius_site import env, logs

BASE_DIR = Path(__file__).resolve().parent.parent
# Made for this user alone: other people of the machine have no business with the database and the files in it.
DATA_DIR = env.folder(os.environ, "NOTARIUS_DATA_DIR", BASE_DIR / "data")
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
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "django_q",
    "ninja",
]
MIDDLEWARE = [
    "notarius_site.middleware.request_ids",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "notarius_site.middleware.content_security_policy",
    "notarius_site.middleware.body_limit",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
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
# deferred transactions lose writes under several processes; never ATOMIC_REQUESTS with IMMEDIATE. FULL: a commit is
# on the disk before it is acknowledged, also when the power fails, for a millisecond each. What is deleted is
# overwritten: not every build of SQLite does that by itself.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY; PRAGMA secure_delete=ON;"
        " PRAGMA mmap_size=134217728; PRAGMA cache_size=-20000"
    ),
}
# A PostgreSQL that says nothing must hold nobody up: the library would wait two minutes for a connection to it, and
# the kernel a quarter of an hour for an answer. Seconds, but for the last, which is in milliseconds: so long may data
# that was sent be unacknowledged. libpq leaves all but the first alone on a Unix socket. What the address says wins.
POSTGRES_OPTIONS = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
database_url = env.secret(os.environ, "DATABASE_URL")
if database_url:
    DATABASES = {"default": env.database(database_url, "DATABASE_URL")}
else:
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(DATA_DIR / "notarius.sqlite3")}}
EMBEDDED_DATABASE = DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
if EMBEDDED_DATABASE:
    DATABASES["default"] |= {"CONN_MAX_AGE": None, "OPTIONS": SQLITE_OPTIONS}
    # A file of each test process' own: several connections to a database in memory lock each other out.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / f"test-{os.getpid()}.sqlite3")}
else:
    DATABASES["default"] |= {
        "CONN_MAX_AGE": 120,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": POSTGRES_OPTIONS | DATABASES["default"].get("OPTIONS", {}),
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# One cache for all processes and hosts, in a table that `migrate` makes (campaigns.models.CacheRow).
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "notarius_cache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}

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
AUTHENTICATION_BACKENDS = ["campaigns.accounts.SignInBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "home"

# Accounts (docs/accounts.md): a name and a password; an address only for those who want to reset it by e-mail.
ACCOUNT_ADAPTER = "campaigns.accounts.AccountAdapter"
ACCOUNT_FORMS = {"login": "campaigns.accounts.SignInForm"}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_SESSION_REMEMBER = True
# What may be tried how often; the counts are in the cache below, which all processes share.
ACCOUNT_RATE_LIMITS = {"login_failed": "10/m/ip,10/10m/key"}
ALLAUTH_TRUSTED_PROXY_COUNT = env.number(os.environ, "NOTARIUS_TRUSTED_PROXIES", 0, least=0)
MFA_ADAPTER = "campaigns.accounts.SecondFactors"
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Notarius"
MFA_TOTP_TOLERANCE = 1

# Mail goes to the console unless a server is named.
email_url = env.secret(os.environ, "NOTARIUS_EMAIL_URL") or "consolemail://"
vars().update(env.mail_server(email_url, "NOTARIUS_EMAIL_URL"))
DEFAULT_FROM_EMAIL = os.environ.get("NOTARIUS_EMAIL_FROM") or "notarius@localhost"
EMAIL_TIMEOUT = 10

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
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# The browsers' preload list binds a whole domain for years, its other services included: its owner asks for that by
# hand, and this program never does it for them.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"

# What webhooks may reach besides public addresses: nothing, unless the receivers are machines of one's own network.
WEBHOOK_PRIVATE_ADDRESSES = env.flag(os.environ, "NOTARIUS_WEBHOOK_PRIVATE_ADDRESSES", default=False)

# Limits on what comes in
UPLOAD_MAX_BYTES = env.number(os.environ, "NOTARIUS_UPLOAD_MAX_BYTES", 64 * 2**20)
UPLOAD_MAX_UNITS = env.number(os.environ, "NOTARIUS_UPLOAD_MAX_UNITS", 300_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 2_500_000

# The HTTP API (docs/api.md). Rates are requests a minute: of a token or a signed-in person, and of an address.
API_RATE = env.number(os.environ, "NOTARIUS_API_RATE", 600)
API_RATE_ANONYMOUS = env.number(os.environ, "NOTARIUS_API_RATE_ANONYMOUS", 60)
# How many proxies of ours stand in front: the address that the outermost of them saw is who asks.
API_PROXIES = ALLAUTH_TRUSTED_PROXY_COUNT
API_REDIS_URL = env.secret(os.environ, "REDIS_URL")
API_PAGE_MAX = env.number(os.environ, "NOTARIUS_API_PAGE_MAX", 200)
API_BODY_MAX_BYTES = env.number(os.environ, "NOTARIUS_API_BODY_MAX_BYTES", 2**20, least=1_024)
API_IDEMPOTENCY_HOURS = env.number(os.environ, "NOTARIUS_API_IDEMPOTENCY_HOURS", 24)

# For how many days is kept what nobody needs to read the archive; 0 keeps it for ever. `purge` and the supervisor,
# once a day, remove what is older.
KEEP_EXCHANGES_DAYS = env.number(os.environ, "NOTARIUS_KEEP_EXCHANGES_DAYS", 90, least=0)
KEEP_CHECKPOINTS_DAYS = env.number(os.environ, "NOTARIUS_KEEP_CHECKPOINTS_DAYS", 365, least=0)
KEEP_REJECTED_DAYS = env.number(os.environ, "NOTARIUS_KEEP_REJECTED_DAYS", 0, least=0)

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

# The API token with which `manage.py mcp` reads for the assistant that started it.
MCP_TOKEN = env.secret(os.environ, "NOTARIUS_MCP_TOKEN")

LLM_PROFILES_FILE = os.environ.get("NOTARIUS_LLM_PROFILES") or None

# What a monitoring program sends to read /metrics; without one only site admins read it.
METRICS_TOKEN = env.secret(os.environ, "NOTARIUS_METRICS_TOKEN")
LOG_FORMAT = env.choice(os.environ, "NOTARIUS_LOG_FORMAT", ("console", "json"), "console")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "console": {
            "()": "notarius_site.logs.ContentSafeFormatter",
            "format": logs.CONSOLE,
            "style": "{",
        },
        "json": {"()": "notarius_site.logs.JsonFormatter"},
    },
    "filters": {"no_addresses": {"()": "notarius_site.logs.ViewInsteadOfAddress"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["no_addresses"]},
    },
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        # These log payloads or every request; the first two would put content into the log.
        "openai": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "mcp": {"level": "WARNING"},
        "uvicorn": {"level": "WARNING"},
        "django.server": {"level": "WARNING"},
        # Two lines a task, a canary's included; the supervisor and the lanes log what matters.
        "django-q": {"level": "WARNING"},
    },
}
