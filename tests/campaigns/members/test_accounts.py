"""Signing in, the throttle, the reset by e-mail, two-factor; the way into the admin is the same."""

from __future__ import annotations

import io
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import User
from django.core import mail
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from campaigns.actions import accounts
from campaigns.models import AuditEntry, CacheRow
from tests import factories

PASSWORD = "lantern-and-oar"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def greta(db: None) -> User:
    user = factories.make_user("greta")
    user.set_password(PASSWORD)
    user.email = "greta@example.org"
    user.save()
    return user


def sign_in(client: Client, password: str = PASSWORD, *, name: str = "greta", ip: str = "192.0.2.1") -> int:
    return client.post("/login/", {"login": name, "password": password}, REMOTE_ADDR=ip).status_code


def code_for(secret: str) -> str:
    counter = next(iter(yield_hotp_counters_from_time()))
    return str(format_hotp_value(hotp_value(secret, counter)))


def confirmed(client: Client) -> Client:
    """Give the password once more, as changes of the account ask for."""
    assert client.post("/account/confirm/", {"password": PASSWORD}).status_code == 302
    return client


def test_sign_in_by_name_without_any_address(greta: User) -> None:
    User.objects.update(email="")
    client = Client()

    assert sign_in(client) == 302
    assert client.get("/account/").status_code == 200


def test_accounts_that_differ_in_case_alone_sign_in_by_their_exact_names(greta: User) -> None:
    other = factories.make_user("Greta")
    other.set_password("another-lantern")
    other.save()

    assert sign_in(Client()) == 302
    assert sign_in(Client(), "another-lantern", name="Greta") == 302
    assert sign_in(Client(), "another-lantern", name="greta") == 200
    assert sign_in(Client(), name="GRETA") == 200


def test_case_of_a_name_that_only_one_has_does_not_matter(greta: User) -> None:
    assert sign_in(Client(), name="GRETA") == 302


def test_sign_in_leads_on_and_not_off_the_site(greta: User) -> None:
    posted = {"login": "greta", "password": PASSWORD}

    on = Client().post("/login/", {**posted, "next": "/review/"})
    off = Client().post("/login/", {**posted, "next": "https://elsewhere.example/"})

    assert (on["Location"], off["Location"]) == ("/review/", "/")


def test_closed_account_does_not_sign_in(greta: User) -> None:
    User.objects.update(is_active=False)
    client = Client()

    sign_in(client)

    assert "_auth_user_id" not in client.session


def test_signing_out_takes_a_post(greta: User) -> None:
    client = Client()
    client.force_login(greta)

    client.get("/logout/")
    assert "_auth_user_id" in client.session
    client.post("/logout/")
    assert "_auth_user_id" not in client.session


def test_guessing_one_name_is_throttled_over_all_addresses(greta: User) -> None:
    for guess in range(10):
        assert sign_in(Client(), f"guess-{guess}", ip=f"192.0.2.{guess}") == 200

    late = Client()
    answer = late.post("/login/", {"login": "greta", "password": PASSWORD}, REMOTE_ADDR="192.0.2.99")

    assert "Too many attempts" in answer.content.decode()
    assert "_auth_user_id" not in late.session


def test_one_address_is_throttled_over_all_names(greta: User) -> None:
    for guess in range(10):
        sign_in(Client(), "wrong", name=f"somebody-{guess}", ip="198.51.100.7")
    same, other = Client(), Client()

    sign_in(same, ip="198.51.100.7")
    sign_in(other, ip="198.51.100.8")

    assert "_auth_user_id" not in same.session
    assert "_auth_user_id" in other.session


def test_admin_has_no_login_of_its_own(greta: User) -> None:
    client = Client()
    led = client.get("/admin/login/?next=/admin/")

    assert (led.status_code, led["Location"]) == (302, "/login/?next=%2Fadmin%2F")
    posted = client.post("/admin/login/", {"username": "greta", "password": PASSWORD})
    assert posted.status_code == 302
    assert "_auth_user_id" not in client.session
    client.force_login(greta)
    assert client.get("/admin/", follow=True).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_attempts_are_counted_in_the_database_that_all_processes_share() -> None:
    cache.set("seen-by", "this process", 60)

    # `add` is what the throttle's lock stands on: the second one must see the first.
    assert not cache.add("seen-by", "another")
    assert CacheRow.objects.filter(cache_key__endswith="seen-by").exists()


def test_reset_by_mail_sets_a_new_password(greta: User) -> None:
    client = Client()
    client.post("/account/password/reset/", {"email": "Greta@example.org"})

    assert [message.to for message in mail.outbox] == [["greta@example.org"]]
    found = re.search(r"http://testserver(/account/password/reset/\S+)", str(mail.outbox[0].body))
    assert found is not None
    form = client.get(found[1])
    done = client.post(form["Location"], {"password1": "new-tide-and-oar", "password2": "new-tide-and-oar"})
    assert done["Location"] == "/account/password/reset/done/"
    greta.refresh_from_db()
    assert greta.check_password("new-tide-and-oar")
    assert "This link is spent" in Client().get(found[1]).content.decode()


def test_reset_for_an_unknown_address_says_the_same_and_writes_to_nobody(greta: User) -> None:
    known = Client().post("/account/password/reset/", {"email": "greta@example.org"})
    mail.outbox.clear()
    unknown = Client().post("/account/password/reset/", {"email": "nobody@example.org"})

    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert mail.outbox == []


def test_reset_is_throttled(greta: User) -> None:
    statuses = [Client().post("/account/password/reset/", {"email": "greta@example.org"}).status_code for _ in range(6)]

    assert statuses == [302] * 5 + [429]
    assert len(mail.outbox) == 5


def test_address_is_changed_after_the_password_and_resets_go_there_alone(greta: User) -> None:
    client = Client()
    sign_in(client)

    asked = client.get("/account/email/")
    assert asked["Location"].startswith("/account/confirm/")
    confirmed(client).post("/account/email/", {"email": "New@example.org"})
    for address in ("greta@example.org", "new@example.org"):
        Client().post("/account/password/reset/", {"email": address})

    assert [message.to for message in mail.outbox] == [["new@example.org"]]
    assert AuditEntry.objects.get(act="user.email").facts == {"given": True}


def test_address_stays_when_the_audit_fails(greta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**kwargs: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("campaigns.actions.audit.record", fail)
    with pytest.raises(RuntimeError):
        accounts.change_email(user=greta, email="new@example.org")

    greta.refresh_from_db()
    assert greta.email == "greta@example.org"


def test_behind_a_proxy_visitors_are_told_apart_and_cannot_choose_their_address(
    greta: User, settings: Settings
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1

    def attempt(name: str, password: str, forwarded: str) -> Client:
        client = Client(REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": forwarded})
        client.post("/login/", {"login": name, "password": password})
        return client

    for guess in range(10):
        attempt(f"somebody-{guess}", "wrong", f"203.0.113.{guess}, 198.51.100.7")
    same = attempt("greta", PASSWORD, "203.0.113.99, 198.51.100.7")
    other = attempt("greta", PASSWORD, "198.51.100.8")

    assert "_auth_user_id" not in same.session
    assert "_auth_user_id" in other.session


def test_two_factor_is_asked_for_and_a_recovery_code_works_once(greta: User) -> None:
    client = Client()
    sign_in(client)
    page = confirmed(client).get("/account/two-factor/totp/activate/")
    secret = page.context["form"].secret
    assert 'src="data:image/svg+xml' in page.content.decode()
    client.post("/account/two-factor/totp/activate/", {"code": code_for(secret)})
    codes = client.get("/account/two-factor/recovery-codes/").context["unused_codes"]
    again = client.get("/account/two-factor/recovery-codes/").content.decode()

    assert len(codes) == 10
    assert not any(code in again for code in codes)
    for attempt, let_in in ((codes[0], True), (codes[0], False), ("000000", False)):
        fresh = Client()
        asked = fresh.post("/login/", {"login": "greta", "password": PASSWORD})
        assert asked["Location"] == "/account/two-factor/authenticate/"
        assert fresh.get("/account/").status_code == 302
        fresh.post("/account/two-factor/authenticate/", {"code": attempt})
        assert ("_auth_user_id" in fresh.session) is let_in


def test_secrets_of_two_factor_are_not_stored_in_clear_and_older_plain_ones_still_work(greta: User) -> None:
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(greta, secret)
    RecoveryCodes.activate(greta)
    stored = [str(row.data) for row in Authenticator.objects.all()]
    plain = dict(Authenticator.objects.get(type="totp").data, secret=secret)

    assert secret not in str(stored)
    assert all("fernet:" in data for data in stored)
    for data in (None, plain):
        if data:
            Authenticator.objects.filter(type="totp").update(data=data)
            cache.clear()
        client = Client()
        sign_in(client)
        client.post("/account/two-factor/authenticate/", {"code": code_for(secret)})
        assert "_auth_user_id" in client.session


def test_second_factor_of_another_secret_key_lets_nobody_in(greta: User, settings: Settings) -> None:
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(greta, secret)
    settings.SECRET_KEY = "another-key"
    client = Client()
    sign_in(client)

    refused = client.post("/account/two-factor/authenticate/", {"code": code_for(secret)})

    assert refused.status_code == 200
    assert "_auth_user_id" not in client.session


def test_codes_of_two_factor_are_throttled(greta: User) -> None:
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(greta, secret)
    client = Client()
    sign_in(client)

    for guess in range(11):
        client.post("/account/two-factor/authenticate/", {"code": f"{guess:06}"}, REMOTE_ADDR=f"192.0.2.{guess}")
    client.post("/account/two-factor/authenticate/", {"code": code_for(secret)}, REMOTE_ADDR="192.0.2.50")

    assert "_auth_user_id" not in client.session


def test_admin_asks_for_the_second_factor_too(greta: User) -> None:
    User.objects.update(is_staff=True, is_superuser=True)
    TOTP.activate(greta, "JBSWY3DPEHPK3PXP")
    client = Client()

    sign_in(client)

    assert client.get("/admin/").status_code == 302
    assert Authenticator.objects.filter(user=greta).exists()


def test_site_admin_takes_a_lost_second_factor_away_and_never_sees_it(greta: User, admin: User) -> None:
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(greta, secret)
    client, row = Client(), Authenticator.objects.get()
    client.force_login(admin)

    pages = [client.get(f"/admin/mfa/authenticator/{at}") for at in ("", f"{row.pk}/change/")]
    client.post(f"/admin/mfa/authenticator/{row.pk}/delete/", {"post": "yes"})

    assert [page.status_code for page in pages] == [200, 200]
    assert not any(secret in page.content.decode() for page in pages)
    assert not Authenticator.objects.exists()
    assert AuditEntry.objects.get(act="authenticator.remove").by == admin


def test_account_page_recommends_two_factor_to_staff_alone(greta: User, admin: User) -> None:
    said = {}
    for user in (greta, admin):
        client = Client()
        client.force_login(user)
        said[user.username] = "please turn it on" in client.get("/account/").content.decode()

    assert said == {"greta": False, "admin": True}


def test_log_holds_no_name_and_no_address(greta: User) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger().addHandler(handler)
    try:
        sign_in(Client(), "wrong")
        sign_in(Client())
        Client().post("/account/password/reset/", {"email": "greta@example.org"})
        Client().get("/campaigns/nowhere/members/", REMOTE_ADDR="192.0.2.1")
    finally:
        logging.getLogger().removeHandler(handler)

    assert not re.search(r"greta|example\.org|192\.0\.2\.", stream.getvalue())


@pytest.mark.parametrize(
    ("variable", "value"),
    [("NOTARIUS_EMAIL_URL", "carrier-pigeon://loft"), ("NOTARIUS_TRUSTED_PROXIES", "-1")],
)
def test_wrong_setting_stops_the_start(tmp_path: Path, variable: str, value: str) -> None:
    environ = {"PATH": "/usr/bin", "NOTARIUS_DATA_DIR": str(tmp_path), variable: value}

    done = subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )

    assert done.returncode != 0
    assert variable in done.stderr.splitlines()[-1]
