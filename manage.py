#!/usr/bin/env python
"""Notarius' command line: `python manage.py help`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> None:
    """Run a command. A mistake of whoever gave it, or of the environment, is one line and status 1."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "notarius_site.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import CommandError, CommandParser, execute_from_command_line

    def refuse(parser: CommandParser, message: str) -> NoReturn:
        raise CommandError(message)

    # Django prints the whole usage and ends with 2.
    CommandParser.error = refuse  # type: ignore[method-assign]
    try:
        try:
            execute_from_command_line(sys.argv)
        finally:
            sys.stdout.flush()
    except (CommandError, ImproperlyConfigured) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    except BrokenPipeError:
        # Whoever read what was printed has enough, such as `head`; at its end Python would try to print the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
