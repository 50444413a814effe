from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.actions import audit, tokens
from campaigns.errors import ActionError, NotFound
from campaigns.models import ApiToken, AuditEntry, Campaign
from extraction.canonical import bytes_digest
from tests import factories

NOON = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)


def test_create_returns_the_token_once_and_keeps_its_digest(gm: User, campaign: Campaign) -> None:
    token, raw = tokens.create(user=gm, name=" export ", scope="read", campaign=campaign)

    assert re.fullmatch(r"ntr_[A-Za-z0-9_-]{43}", raw)
    stored = ApiToken.objects.get(pk=token.pk)
    assert (stored.digest, stored.prefix, stored.name) == (bytes_digest(raw.encode()), raw[:12], "export")
    assert raw not in str([*ApiToken.objects.values(), *AuditEntry.objects.values()])
    assert AuditEntry.objects.get().act == "token.create"


@pytest.mark.parametrize(
    ("name", "scope", "expires_in"),
    [
        pytest.param("", "read", None, id="no-name"),
        pytest.param("x" * 101, "read", None, id="long-name"),
        pytest.param("export", "everything", None, id="unknown-scope"),
        pytest.param("export", "read", timedelta(seconds=-1), id="past"),
    ],
)
def test_create_refuses(gm: User, name: str, scope: str, expires_in: timedelta | None) -> None:
    with pytest.raises(ActionError):
        tokens.create(
            user=gm, name=name, scope=scope, expires_at=None if expires_in is None else timezone.now() + expires_in
        )

    assert not ApiToken.objects.exists()


def test_create_keeps_nothing_when_the_audit_fails(gm: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "record", _fails)

    with pytest.raises(RuntimeError):
        tokens.create(user=gm, name="export", scope="read")

    assert not ApiToken.objects.exists()


def test_authenticate_finds_the_token(gm: User) -> None:
    token, raw = tokens.create(user=gm, name="export", scope="write")

    assert tokens.authenticate(raw, NOON) == token


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda raw: raw[:-1] + ("A" if raw[-1] != "A" else "B"), id="other-secret"),
        pytest.param(lambda raw: raw + "A", id="longer"),
        pytest.param(lambda raw: raw + "\n", id="line-feed"),
        pytest.param(lambda raw: raw.removeprefix("ntr_"), id="no-prefix"),
        pytest.param(lambda raw: "", id="empty"),
        pytest.param(lambda raw: "ntr_" + "é" * 43, id="not-ascii"),
        pytest.param(lambda raw: "ntr_" + "\ud800" * 43, id="surrogates"),
    ],
)
def test_authenticate_refuses_another_string(gm: User, change: object) -> None:
    _, raw = tokens.create(user=gm, name="export", scope="write")
    assert callable(change)

    assert tokens.authenticate(change(raw), NOON) is None


def test_authenticate_refuses_from_its_end_on(gm: User) -> None:
    _, raw = tokens.create(user=gm, name="export", scope="read", expires_at=NOON)

    assert tokens.authenticate(raw, NOON - timedelta(microseconds=1)) is not None
    assert tokens.authenticate(raw, NOON) is None


def test_authenticate_refuses_an_inactive_user(gm: User) -> None:
    _, raw = tokens.create(user=gm, name="export", scope="read")
    User.objects.filter(pk=gm.pk).update(is_active=False)

    assert tokens.authenticate(raw, NOON) is None


@pytest.mark.parametrize(("later", "noted"), [(59, 0), (60, 60), (3_600, 3_600)])
def test_authenticate_notes_the_use_once_a_minute(gm: User, later: int, noted: int) -> None:
    token, raw = tokens.create(user=gm, name="export", scope="read")
    tokens.authenticate(raw, NOON)

    tokens.authenticate(raw, NOON + timedelta(seconds=later))

    token.refresh_from_db()
    assert token.last_used_at == NOON + timedelta(seconds=noted)


def test_revoke_ends_the_token_and_keeps_the_first_time(gm: User) -> None:
    token, raw = tokens.create(user=gm, name="export", scope="read")

    first = tokens.revoke(token=token, by=gm).revoked_at
    second = tokens.revoke(token=token, by=gm).revoked_at

    assert first is not None
    assert first == second
    assert tokens.authenticate(raw, NOON) is None
    assert AuditEntry.objects.filter(act="token.revoke").count() == 1


def test_revoke_by_site_admin(gm: User, admin: User) -> None:
    token, _ = tokens.create(user=gm, name="export", scope="read")

    assert tokens.revoke(token=token, by=admin).revoked_at is not None


def test_revoke_of_another_person_is_not_found(gm: User, player: User) -> None:
    token, raw = tokens.create(user=gm, name="export", scope="read")

    with pytest.raises(NotFound):
        tokens.revoke(token=token, by=player)

    assert tokens.authenticate(raw, NOON) is not None


def test_revoke_changes_nothing_when_the_audit_fails(gm: User, monkeypatch: pytest.MonkeyPatch) -> None:
    token, raw = tokens.create(user=gm, name="export", scope="read")
    monkeypatch.setattr(audit, "record", _fails)

    with pytest.raises(RuntimeError):
        tokens.revoke(token=token, by=gm)

    assert tokens.authenticate(raw, NOON) is not None


def test_tokens_are_256_bits_and_differ(db: None) -> None:
    user = factories.make_user()

    raws = {tokens.create(user=user, name="export", scope="read")[1] for _ in range(20)}

    assert len(raws) == 20


def _fails(**facts: object) -> None:
    raise RuntimeError("the second write failed")
