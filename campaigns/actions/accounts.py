"""Accounts: the one that a fresh installation needs, and what people change in their own."""

from __future__ import annotations

import secrets

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction

from campaigns.actions import audit

FIRST_ADMIN = "admin"


@transaction.atomic
def make_first_admin() -> User | None:
    """Create a site admin with whom nobody can sign in yet, or return None where there is one already."""
    users = get_user_model().objects
    if users.filter(is_superuser=True).exists():
        return None
    name = FIRST_ADMIN if not users.filter(username=FIRST_ADMIN).exists() else f"{FIRST_ADMIN}-{secrets.token_hex(2)}"
    user = users.create_superuser(username=name, email="", password=None)
    audit.record(by=None, act="user.first_admin", subject=user, campaign=None)
    return user


@transaction.atomic
def give_first_password() -> tuple[str, str] | None:
    """Give the only site admin a generated password and return name and password; None where that one had one before.

    It is stored hashed only: whoever calls this shows it, once. A start that was broken off leaves the admin without
    one, and the next start gives it.
    """
    admins = list(get_user_model().objects.filter(is_superuser=True)[:2])
    if len(admins) != 1 or admins[0].has_usable_password() or admins[0].last_login is not None:
        return None
    password = secrets.token_urlsafe(12)
    admins[0].set_password(password)
    admins[0].save(update_fields=("password",))
    audit.record(by=None, act="user.first_password", subject=admins[0], campaign=None)
    return admins[0].get_username(), password


@transaction.atomic
def change_email(*, user: User, email: str) -> User:
    """Give the account this address, or none; a reset of the password goes to no other from now on."""
    # allauth keeps the addresses that it has seen in rows of its own, and writes to all of them.
    EmailAddress.objects.filter(user=user).delete()
    user.email = email.lower()
    user.save(update_fields=("email",))
    audit.record(by=user, act="user.email", subject=user, campaign=None, given=bool(email))
    return user
