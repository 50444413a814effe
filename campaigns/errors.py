"""What an action refuses, with the HTTP status it means.

NotariusError (extraction.errors)
└── ActionError            400  a code and one sentence for the person who asked
    ├── NotFound           404  also for what one may not see
    ├── Forbidden          403
    ├── Conflict           409  the thing is no longer in the state the act needs
    │   └── Overtaken      409  another version was made meanwhile
    └── Invalid            422  what a reviewer wrote breaks the rules of the artifact: a problem a field
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from extraction.codes import Code
from extraction.errors import NotariusError


class ActionError(NotariusError):
    code = Code.REQUEST_INVALID
    status: ClassVar[int] = 400


class NotFound(ActionError):
    code = Code.NOT_FOUND
    status = 404


class Forbidden(ActionError):
    code = Code.AUTH_FORBIDDEN
    status = 403


class Conflict(ActionError):
    status = 409


class Overtaken(Conflict):
    """Somebody else was faster: `newest` is the version that they made, to be compared with what one saw."""

    code = Code.VERSION_STALE

    def __init__(self, newest: int) -> None:
        super().__init__(f"Version {newest} has been made meanwhile: look at what changed and decide again.")
        self.newest = newest


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one field: `record` is the position it would have had, None where it is about the whole."""

    record: int | None
    field: str
    code: str
    sentence: str


class Invalid(ActionError):
    code = Code.REVIEW_INVALID
    status = 422

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("This would break the rules of the artifact; nothing was changed.")
        self.problems = tuple(problems)
