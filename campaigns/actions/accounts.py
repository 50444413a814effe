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
def make_first_admin() -> tuple[str, str] | None:
    """Create a site admin with a generated password and return name and password, or None where there is one already.

    The password is stored hashed only: whoever calls this shows it, once.
    """
    users = get_user_model().objects
    if users.filter(is_superuser=True).exists():
        return None
    name = FIRST_ADMIN if not users.filter(username=FIRST_ADMIN).exists() else f"{FIRST_ADMIN}-{secrets.token_hex(2)}"
    password = secrets.token_urlsafe(12)
    user = users.create_superuser(username=name, email="", password=password)
    audit.record(by=None, act="user.first_admin", subject=user, campaign=None)
    return name, password


@transaction.atomic
def change_email(*, user: User, email: str) -> User:
    """Give the account this address, or none; a reset of the password goes to no other from now on."""
    # allauth keeps the addresses that it has seen in rows of its own, and writes to all of them.
    EmailAddress.objects.filter(user=user).delete()
    user.email = email.lower()
    user.save(update_fields=("email",))
    audit.record(by=user, act="user.email", subject=user, campaign=None, given=bool(email))
    return user
