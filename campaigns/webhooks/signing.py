"""Signatures after the Standard Webhooks convention: HMAC-SHA256 over id, time and body."""

from __future__ import annotations

import base64
import hashlib
import hmac

from django.conf import settings

SECRET_PREFIX = "whsec_"  # noqa: S105 - how a secret begins, by the convention
VERSION = "v1"


def key(salt: str) -> bytes:
    """Return the webhook's key, made from the site's secret key: nothing in the database can sign."""
    return hmac.digest(settings.SECRET_KEY.encode(), f"notarius.webhook.v1:{salt}".encode(), hashlib.sha256)


def secret(salt: str) -> str:
    """Return the key as its owner gets it."""
    return SECRET_PREFIX + base64.b64encode(key(salt)).decode("ascii")


def headers(*, salt: str, event_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the three headers by which a receiver knows that the message is ours, and new."""
    signed = hmac.digest(key(salt), f"{event_id}.{timestamp}.".encode() + body, hashlib.sha256)
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"{VERSION},{base64.b64encode(signed).decode('ascii')}",
    }
