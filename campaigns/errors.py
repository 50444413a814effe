"""What an action refuses, with the HTTP status it means.

NotariusError (extraction.errors)
└── ActionError            400  a code and one sentence for the person who asked
    ├── NotFound           404  also for what one may not see
    ├── Forbidden          403
    └── Conflict           409  the thing is no longer in the state the act needs
"""

from __future__ import annotations

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
