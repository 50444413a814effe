"""Strict readers of the environment: a wrong value stops the start with one sentence that names the variable."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from environ import Env

from campaigns.keeping.addresses import FORMS, database_at

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def flag(environ: Mapping[str, str], name: str, default: bool) -> bool:
    """Return the switch's value; ImproperlyConfigured for a word that is neither yes nor no."""
    word = environ.get(name, "1" if default else "0").strip().lower()
    if word in TRUE or word in FALSE:
        return word in TRUE
    raise ImproperlyConfigured(f"{name} must be 1 or 0.")


def number(environ: Mapping[str, str], name: str, default: int, least: int = 1) -> int:
    """Return a whole number of at least `least`; ImproperlyConfigured otherwise."""
    try:
        value = int(environ.get(name, default))
    except ValueError:
        value = least - 1
    if value < least:
        raise ImproperlyConfigured(f"{name} must be a whole number of at least {least}.")
    return value


def choice(environ: Mapping[str, str], name: str, allowed: tuple[str, ...], default: str) -> str:
    """Return one of `allowed`; ImproperlyConfigured otherwise."""
    value = environ.get(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of: {', '.join(allowed)}.")
    return value


def words(environ: Mapping[str, str], name: str, default: list[str]) -> list[str]:
    """Return the comma-separated words, or the default where the variable is unset or empty."""
    given = [word.strip() for word in environ.get(name, "").split(",") if word.strip()]
    return given or default


def secret(environ: Mapping[str, str], name: str) -> str | None:
    """Return the secret from NAME, or from the file that NAME_FILE names, or None."""
    if environ.get(name):
        return environ[name]
    file = environ.get(f"{name}_FILE")
    if not file:
        return None
    try:
        return Path(file).read_text(encoding="utf-8").strip() or None
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE names a file that cannot be read.") from error


def database(url: str, name: str) -> dict[str, Any]:
    """Return Django's settings for the database at the address; ImproperlyConfigured for one of no kind served here."""
    try:
        return database_at(url)
    except ValueError:
        # Without the cause, here and below: a traceback would show its words, which may quote the password.
        raise ImproperlyConfigured(f"{name} must look like {FORMS}.") from None


def folder(environ: Mapping[str, str], name: str, default: Path) -> Path:
    """Return the folder, made for this user alone where there is none; ImproperlyConfigured where it cannot be."""
    place = Path(environ.get(name) or default)
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"{name} names a folder that cannot be made: {error.strerror}.") from error
    if not os.access(place, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"{name} names a folder that this user may not write into.")
    return place


def mail_server(url: str, name: str) -> dict[str, object]:
    """Return Django's settings for the mail server that the address names; ImproperlyConfigured for no such address."""
    try:
        return {key: value for key, value in Env.email_url_config(url).items() if value is not None}
    except (ImproperlyConfigured, ValueError):
        raise ImproperlyConfigured(f"{name} must look like smtp+tls://user:password@host:587.") from None


def generated_secret(file: Path) -> str:
    """Return the secret kept in `file`, made at the first call and readable by its owner alone.

    Written under another name and linked into place, so that two processes starting together agree on one secret.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(secrets.token_urlsafe(50))
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_text(encoding="utf-8").strip()
