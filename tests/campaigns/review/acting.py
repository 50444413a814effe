"""A browser without scripts for the acts of a review: posts a form, and says what version came of it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import reviews
from campaigns.models import ArtifactVersion
from tests.campaigns.reviews.acting import DELL, WICK, head, names, on

Form = dict[str, object]


def signed_in(user: User, *, checks: bool = False) -> Client:
    client = Client(enforce_csrf_checks=checks)
    client.force_login(user)
    return client


def address(version: ArtifactVersion, act: str) -> str:
    return f"/review/versions/{version.pk}/acts/{act}/"


def done(client: Client, version: ArtifactVersion, act: str, **form: object) -> ArtifactVersion:
    """Post the form, confirm what it asks to confirm, and return the version that it leads to."""
    data: Form = {"expected_version": version.number, "confirmed": "1", **form}
    got = client.post(address(version, act), data)
    made = head(version)

    assert got.status_code == 302, got.content.decode()
    assert got["Location"].startswith(f"/review/versions/{made.pk}/?record=")
    return made


def contradicted(
    registry: ArtifactVersion, one_by: User, other_by: User, one: int = DELL, other: int = WICK
) -> ArtifactVersion:
    """Return the version after two decisions that cannot both hold: a merge, and its undoing by judgement."""
    name = names(registry)[one]
    merged = reviews.merge(**on(registry), records=(one, other), canonical=one, by=one_by).version
    return reviews.undo_consolidation(**on(merged), record=names(merged).index(name), by=other_by).version
