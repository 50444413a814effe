#!/usr/bin/env python
"""Notarius' command line: `python manage.py help`."""

from __future__ import annotations

import os
import select
import sys
from typing import NoReturn


def main() -> None:
    """Run a command. A mistake of whoever gave it, or of the environment, is one line and status 1."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "notarius_site.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import CommandError, CommandParser, execute_from_command_line
    from django.db import OperationalError, ProgrammingError

    def refuse(parser: CommandParser, message: str) -> NoReturn:
        raise CommandError(message)

    # Django prints the whole usage and ends with 2.
    CommandParser.error = refuse  # type: ignore[method-assign]
    try:
        execute_from_command_line(sys.argv)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (CommandError, ImproperlyConfigured) as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"{type(error).__name__}: {error}")
    except (OperationalError, ProgrammingError) as error:
        if "--traceback" in sys.argv:
            raise
        # What the driver says may name the server and who signs in.
        sys.exit(f"{type(error).__name__}: the database refused; check DATABASE_URL, or see more with --traceback.")
    except BrokenPipeError:
        # Any other pipe that breaks, such as one to a child, is a fault.
        if not _reader_is_gone():
            raise
        sys.exit(1)
    finally:
        if _reader_is_gone():
            # At its end Python would try to print the rest, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reader_is_gone() -> bool:
    """Return whether whoever read what is printed has enough, such as `head`; nobody did where it was closed."""
    if sys.stdout is None:
        return False
    poll = select.poll()
    poll.register(sys.stdout, select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


if __name__ == "__main__":
    main()
