"""Lines that hold nothing but a name, and perhaps a time, above the words of who has it.

Otter, Teams and Word write `Name  0:01`; people write Markdown headings or bold. One such line proves nothing, so a
kind of line is believed for a whole file or not at all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from extraction.ingest.clocks import RANGE, clock_ms
from extraction.ingest.speakers import MAX_LABEL_CHARS, MAX_LABEL_WORDS, is_speaker_label, normalise_label, split_label

_NAME = rf"(?P<name>[^\[\](){{}}|:\t*#]{{1,{MAX_LABEL_CHARS}}}?)"
_BOLD = r"(?:\*\*|__)?"
_NAME_THEN_TIME = re.compile(
    rf"\s{{0,8}}{_BOLD}{_NAME}{_BOLD}(?P<gap>\s{{1,20}}|\s?[|\u2022\u00b7-]\s{{0,3}}|(?=[\[(]))[\[(]?{RANGE}[\])]?{_BOLD}\s{{0,9}}"
)
_TIME_THEN_NAME = re.compile(rf"\s{{0,8}}[\[(]?{RANGE}[\])]?(?P<gap>\s{{1,20}}){_BOLD}{_NAME}{_BOLD}\s{{0,9}}")
_HEADING = re.compile(r"\s{0,3}(?P<mark>#{1,6})[ \t]+(?P<rest>\S.{0,120})")
_BOLD_LINE = re.compile(r"\s{0,3}(?P<mark>\*\*|__)(?P<rest>[^*_\s][^*_]{0,120})(?P=mark)(?P<after>\s{0,20}.{0,40})")
_AFTER = re.compile(rf"\s*[-|\u2022\u00b7]?\s*[\[(]?{RANGE}[\])]?\s*:?\s*")
_TRAILING_TIME = re.compile(rf"\s+[\[(]?{RANGE}[\])]?\s*$")
_LONGEST_LINE = 160
_SENTENCE = re.compile(r"[.,;!?\u2026]$")


@dataclass(frozen=True, slots=True)
class NameLine:
    speaker: str
    start_ms: int | None = None
    end_ms: int | None = None


def timed_name_lines(lines: Sequence[str]) -> Mapping[int, NameLine]:
    """Return by line index the lines with a name and a time, if they are how the file names its speakers."""
    found: dict[int, NameLine] = {}
    wide = False
    for at, line in enumerate(lines):
        match = _timed(line)
        if match is None:
            continue
        wide = wide or (not found and not any(each.strip() for each in lines[:at]) and _is_wide(match))
        found[at] = NameLine(normalise_label(match["name"]), clock_ms(match["start"]), clock_ms(match["end"]))
    if len(found) < (1 if wide else 2) or not _stand_above_words(lines, found):
        return {}
    return found if _labelled(lines, found) <= len(found) else {}


def marked_name_lines(lines: Sequence[str]) -> Mapping[int, NameLine]:
    """Return by line index the headings of one level, or the bold lines, that name speakers.

    They do where two or more names take turns, most of them again and again or each with a time, and where fewer
    lines have a label of their own. Headings that are no names stay headings.
    """
    kinds: defaultdict[str, dict[int, NameLine]] = defaultdict(dict)
    others: Counter[str] = Counter()
    for at, line in enumerate(lines):
        match = _marked(line)
        if match is not None:
            name_line = _name_line(match)
            if name_line is not None:
                kinds[match["mark"]][at] = name_line
            else:
                others[match["mark"]] += 1
    believed: dict[int, NameLine] = {}
    for mark, found in kinds.items():
        if (
            _take_turns(found, others[mark])
            and _stand_above_words(lines, found)
            and _labelled(lines, found) < len(found)
        ):
            believed.update(found)
    return dict(sorted(believed.items()))


def _take_turns(found: Mapping[int, NameLine], others: int) -> bool:
    counts = Counter(each.speaker for each in found.values())
    names = [each.speaker for each in found.values()]
    if len(counts) < 2 or 2 * sum(name == then for name, then in pairwise(names)) >= len(names) - 1:
        return False
    again = sum(count for count in counts.values() if count > 1)
    return 2 * again >= len(found) + others or all(each.start_ms is not None for each in found.values())


def _timed(line: str) -> re.Match[str] | None:
    if len(line) > _LONGEST_LINE or ":" not in line:
        return None
    match = _NAME_THEN_TIME.fullmatch(line)
    if match is not None and (_is_wide(match) or is_speaker_label(match["name"])):
        return match
    match = _TIME_THEN_NAME.fullmatch(line)
    return match if match is not None and is_speaker_label(match["name"]) else None


def _is_wide(match: re.Match[str]) -> bool:
    """Tell whether the gap alone shows that the line is no sentence."""
    name = match["name"].strip()
    apart = len(match["gap"]) > 1 or match["gap"] == "\t"
    of_words = len(name.split()) <= MAX_LABEL_WORDS and _SENTENCE.search(name) is None
    return apart and of_words and match.start("name") < match.start("start") and any(char.isalpha() for char in name)


def _marked(line: str) -> re.Match[str] | None:
    if len(line) > _LONGEST_LINE:
        return None
    return _HEADING.fullmatch(line) or _BOLD_LINE.fullmatch(line)


def _name_line(match: re.Match[str]) -> NameLine | None:
    """Return the name in a heading or bold line and the time in or behind it; None if there is more."""
    name, after = match["rest"].strip().rstrip("#").strip("*_ "), (match.groupdict().get("after") or "").strip(" :")
    stamp = _AFTER.fullmatch(after) if after else _TRAILING_TIME.search(name)
    if after and stamp is None:
        return None
    if stamp is not None and not after:
        name = name[: stamp.start()]
    name = normalise_label(name.rstrip(": "))
    if not is_speaker_label(name):
        return None
    return NameLine(name) if stamp is None else NameLine(name, clock_ms(stamp["start"]), clock_ms(stamp["end"]))


def _stand_above_words(lines: Sequence[str], found: Mapping[int, NameLine]) -> bool:
    """Tell whether most of the lines have words of their own before the next of them."""
    ends = [*list(found)[1:], len(lines)]
    with_words = sum(
        any(lines[each].strip() for each in range(at + 1, end)) for at, end in zip(found, ends, strict=True)
    )
    return 2 * with_words > len(found)


def _labelled(lines: Sequence[str], found: Mapping[int, NameLine]) -> int:
    return sum(split_label(line) is not None for at, line in enumerate(lines) if at not in found)
