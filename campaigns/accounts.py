"""How accounts behave: who may sign up and sign in, the forms of allauth in our words, second factors at rest."""

from __future__ import annotations

import base64
import logging
import secrets
from typing import TYPE_CHECKING, Any, ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.forms import LoginForm
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser

logger = logging.getLogger(__name__)
# Neither a TOTP key nor a seed of recovery codes has a colon in it.
ENCRYPTED = "fernet:"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "The user name or the password is wrong.",
        "too_many_login_attempts": "Too many attempts: wait ten minutes, then try again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody signs up by themselves: accounts are made by invitations (`actions.members.sign_up`) and admins."""
        return False


class SignInBackend(AuthenticationBackend):  # type: ignore[misc]
    """Names are compared without their case, unless two accounts differ in it alone: then whoever is spelled so."""

    def _authenticate_by_username(self, username: str, password: str) -> AbstractBaseUser | None:
        exact = User.objects.filter(username=username).first()
        found: AbstractBaseUser | None = (
            super()._authenticate_by_username(username, password)
            if exact is None
            else self._check_password(exact, password)
        )
        return found


class SecondFactors(DefaultMFAAdapter):  # type: ignore[misc]
    """Keeps the secrets of second factors under a key that is made from the site's, and reads older plain ones."""

    def encrypt(self, text: str) -> str:
        return ENCRYPTED + _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret; of one that another key made, something that no code fits: it has to be taken away."""
        if not encrypted_text.startswith(ENCRYPTED):
            return encrypted_text
        try:
            return _cipher().decrypt(encrypted_text.removeprefix(ENCRYPTED)).decode()
        except InvalidToken:
            logger.warning("a second factor was made under another secret key")
            return base64.b32encode(secrets.token_bytes(20)).decode()


def _cipher() -> Fernet:
    key = salted_hmac("campaigns.accounts.second_factors", b"", algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(key))


class SignInForm(LoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "User name"
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
        # The page has its own link to the reset.
        self.fields["password"].help_text = ""
