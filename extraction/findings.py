"""What a check found, and what follows from it. Checks only collect; `decide` alone judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from extraction.canonical import JsonValue
from extraction.codes import Code

NO_COUNTS: Mapping[str, int] = MappingProxyType({})
MAX_FINDINGS = 200


class Severity(StrEnum):
    WARNING = "warning"
    REJECT = "reject"


class Decision(StrEnum):
    ACCEPT = "accept"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Finding:
    """A bounded, content-safe report: codes, positions and counts, never text, names, paths or model output.

    `where` names a place by structure, such as `record[3].source_refs[0]` or `chunk[2]`.
    """

    code: Code
    severity: Severity
    where: str = ""
    counts: Mapping[str, int] = field(default_factory=lambda: NO_COUNTS)

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "code": self.code.value,
            "severity": self.severity.value,
            "where": self.where,
            "counts": dict(self.counts),
        }


def warning(code: Code, where: str = "", **counts: int) -> Finding:
    return Finding(code, Severity.WARNING, where, counts)


def rejection(code: Code, where: str = "", **counts: int) -> Finding:
    return Finding(code, Severity.REJECT, where, counts)


def decide(findings: Iterable[Finding]) -> Decision:
    """Return REJECT if any finding rejects, else ACCEPT."""
    return Decision.REJECT if any(f.severity is Severity.REJECT for f in findings) else Decision.ACCEPT


def bounded(findings: Iterable[Finding], limit: int = MAX_FINDINGS) -> tuple[Finding, ...]:
    """Return at most `limit` findings, rejections first; where some are left out, the last one says how many."""
    ordered = sorted(findings, key=lambda f: f.severity is not Severity.REJECT)
    if len(ordered) <= limit:
        return tuple(ordered)
    kept = ordered[: limit - 1]
    rest = ordered[limit - 1 :]
    return (*kept, Finding(rest[0].code, rest[0].severity, "more", {"left_out": len(rest)}))
