"""The settings of a server behind TLS: Django's own deployment checks, and what an answer carries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASK = """
import json, django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.test import Client
call_command("check", deploy=True, fail_level="WARNING")
client = Client(headers={"host": "notarius.example.org"})
answers = {name: client.get("/healthz", secure=secure) for name, secure in (("https", True), ("http", False))}
told = {name: {"status": each.status_code, **each.headers} for name, each in answers.items()}
strange = client.get("/healthz", secure=True, headers={"host": "evil.example"})
names = ("SESSION_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY", "SESSION_COOKIE_SAMESITE", "CSRF_COOKIE_SECURE", "DEBUG")
told |= {"strange": strange.status_code, "settings": {name: getattr(settings, name) for name in names}}
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a server with production settings says; the deployment check must have passed without a warning."""
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith(("NOTARIUS_", "DATABASE_", "DJANGO_"))
    }
    environ |= {
        "DJANGO_SETTINGS_MODULE": "notarius_site.settings",
        "NOTARIUS_DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "NOTARIUS_HTTPS": "1",
        "NOTARIUS_ALLOWED_HOSTS": "notarius.example.org",
        "NOTARIUS_SECRET_KEY": "wRt5-0fXk7Lq_9zPb3Ns8Vy2Hc6Jd4Gm1Ta-Ue0Io5Aq7Sw9Dx3",
    }
    done = subprocess.run(
        [sys.executable, "-c", ASK], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_answers_carry_every_header_of_the_policy(served: dict[str, Any]) -> None:
    headers = served["https"]
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))

    assert headers["status"] == 200
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert {"camera=()", "geolocation=()", "microphone=()"} <= set(headers["Permissions-Policy"].split(", "))
    assert policy["default-src"] == policy["form-action"] == "'self'"
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "script-src" not in policy
    assert "style-src" not in policy


def test_plain_http_is_sent_to_https_and_strange_hosts_away(served: dict[str, Any]) -> None:
    assert (served["http"]["status"], served["http"]["Location"]) == (301, "https://notarius.example.org/healthz")
    assert served["strange"] == 400


def test_cookies_leave_only_over_https_and_are_hidden_from_scripts(served: dict[str, Any]) -> None:
    assert served["settings"] == {
        "SESSION_COOKIE_SECURE": True,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "CSRF_COOKIE_SECURE": True,
        "DEBUG": False,
    }
