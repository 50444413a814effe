"""Why an artifact is out of date, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterable

from campaigns import carried
from campaigns.actions import staleness
from campaigns.actions.staleness import Reason
from campaigns.models import ArtifactVersion
from campaigns.wording import lane_name


def sentences(version: ArtifactVersion, reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Return the reasons, and for another transcript what became of the version's evidence in it."""
    told = tuple(reasons)
    of_transcript = any(reason.kind == staleness.TRANSCRIPT for reason in told)
    return (*map(why, told), *(carried.told(version) if of_transcript else ()))


def why(reason: Reason) -> str:
    """Return the reason for people who have never seen a prompt."""
    match reason.kind:
        case staleness.REGISTRY:
            approved = f"{lane_name(reason.lane)} are approved in version {reason.now}"
            return f"{approved}; this was made with version {reason.was}."
        case staleness.TRANSCRIPT:
            return f"The transcript is at revision {reason.now}; this was made from revision {reason.was}."
        case staleness.PROMPT:
            return "What the model is asked (the prompt) has changed."
        case staleness.SCHEMA:
            return "The form of the model's answers (the schema) has changed."
    return "The lane's own rules have changed."
