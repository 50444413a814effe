"""The chat log Foundry VTT exports as text: `[date, time] Name`, the message, a line of dashes.

Its times are those of a wall clock, not of a recording, so units have none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from extraction.ingest.limits import Limits
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line, split_lines

_DATE = r"[0-9]{1,4}[./-]\s?[0-9]{1,2}[./-]\s?[0-9]{1,4}\.?"
_TIME = r"[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?:\s?[AaPp]\.?\s?[Mm]\.?)?"
_HEAD = re.compile(rf"\[{_DATE},?\s{{1,3}}{_TIME}\](?P<name>\s?.{{0,200}})")
_RULE = re.compile(r"-{8,200}\s{0,9}")
_LONGEST_HEAD = 300


def is_foundry_text(lines: Sequence[str]) -> bool:
    """Tell whether the first filled line opens a message, and a rule parts messages if there are several."""
    filled = [line for line in lines if line.strip()]
    if not filled or not _is_head(filled[0]):
        return False
    heads = [at for at, line in enumerate(filled) if _is_head(line)]
    return all(_RULE.fullmatch(filled[at - 1]) for at in heads[1:])


def read_foundry_text(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; what stands above the first message has no speaker."""
    builder = TranscriptBuilder(Format.FOUNDRY_TEXT, limits, place="line")
    lines = split_lines(text)
    heads = [at for at, line in enumerate(lines) if _is_head(line)]
    above = one_line(" ".join(_without_rule(lines[: heads[0] if heads else len(lines)])))
    if above:
        builder.add(1, None, above)
    for at, end in zip(heads, [*heads[1:], len(lines)][: len(heads)], strict=True):
        head = _HEAD.fullmatch(lines[at])
        name = one_line(head["name"]) if head is not None else ""
        builder.add(at + 1, name or None, one_line(" ".join(_without_rule(lines[at + 1 : end]))))
    return builder.finish(encoding)


def _is_head(line: str) -> bool:
    return len(line) <= _LONGEST_HEAD and _HEAD.fullmatch(line) is not None


def _without_rule(lines: list[str]) -> list[str]:
    last = max((at for at, line in enumerate(lines) if line.strip()), default=-1)
    return lines[:last] if last >= 0 and _RULE.fullmatch(lines[last]) else lines
