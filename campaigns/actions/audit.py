"""The audit row that every act leaves behind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.db import models

from campaigns.models import AuditEntry, Campaign
from extraction.errors import InternalError

if TYPE_CHECKING:
    from django.contrib.auth.models import User

# Ids, codes, digests and lane keys pass; a sentence, a name with a space or a quote does not.
FACT = re.compile(r"[A-Za-z0-9._:/+-]{0,120}")


def record(
    *, by: User | None, act: str, subject: models.Model, campaign: Campaign | None, **facts: int | str | bool
) -> AuditEntry:
    """Write who did what to what, inside the caller's transaction; `by` is None for the command line and workers.

    Facts are ids, codes and counts. Raises InternalError for one that could be content.
    """
    for name, fact in facts.items():
        if isinstance(fact, str) and not FACT.fullmatch(fact):
            raise InternalError(f"the audit fact {name} is no id, code or count")
    return AuditEntry.objects.create(
        by=by, campaign=campaign, act=act, subject=f"{subject._meta.model_name}:{subject.pk}", facts=facts
    )
