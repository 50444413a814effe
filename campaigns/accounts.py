"""How accounts behave: who may sign up, and the forms of allauth in the words of this site."""

from __future__ import annotations

from typing import Any, ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import LoginForm
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "The user name or the password is wrong.",
        "too_many_login_attempts": "Too many attempts: wait ten minutes, then try again.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody signs up by themselves: accounts are made by invitations (`actions.members.sign_up`) and admins."""
        return False


class SignInForm(LoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "User name"
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
        # The page has its own link to the reset.
        self.fields["password"].help_text = ""
