"""Plain text and Markdown: `Name: text`, `**Name:** text`, `**Name**: text`, with or without `[00:01:18]` stamps.

Lines without a label continue the unit before them, over blank lines too. Text above the first label, or a whole
text without any, becomes one unit a paragraph, or one a line where no blank line parts it, with no speaker.
The first `# heading` above the first unit is the title; other headings and rules are skipped and counted, unless
headings or bold lines are how the file names its speakers (`name_lines.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from extraction.ingest.clocks import RANGE, clock_ms
from extraction.ingest.limits import MAX_INTEGER, Limits
from extraction.ingest.name_lines import NameLine, marked_name_lines
from extraction.ingest.speakers import MAX_LABEL_CHARS, habitual_labels, is_speaker_label, normalise_label, split_label
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line, split_lines

_BRACKETED = re.compile(rf"\s{{0,8}}(?:[-*+>]\s)?[\[(]{RANGE}[\])]")
_SHORT_BARE = re.compile(r"\s{0,8}[0-9]{1,2}:[0-9]{2}\s+[^\s\u2013-]")
_BARE = re.compile(rf"\s{{0,8}}{RANGE}\s+(?:[-\u2013]\s+)?(?=\S)")
_NAME = rf"(?P<label>[^:\[\](){{}}]{{1,{MAX_LABEL_CHARS + 6}}}?)"
_MARK = r"(?:\*\*|__)?"
_LABEL_THEN_STAMP = re.compile(rf"\s{{0,8}}{_NAME}\s?[\[(]{RANGE}[\])]{_MARK}\s?:{_MARK}(?=\s|$)")
_HEADING = re.compile(r"\s{0,3}(?P<level>#{1,6})[ \t]+(?P<title>\S.*)")
_RULE = re.compile(r"\s{0,3}(?:-[ \t]*+){3,}$|\s{0,3}(?:\*[ \t]*+){3,}$|\s{0,3}(?:_[ \t]*+){3,}$|\s{0,3}={3,}\s*$")
_LONGEST_RULE = 200


@dataclass(slots=True)
class _Turn:
    line: int
    speaker: str | None
    texts: list[str]
    start_ms: int | None = None
    end_ms: int | None = None

    @property
    def anonymous(self) -> bool:
        """Neither a label nor a stamp says where this turn began."""
        return self.speaker is None and self.start_ms is None

    @property
    def wordless(self) -> bool:
        return not any(text.strip() for text in self.texts)


def read_text(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError only for a text without words or beyond the limits."""
    builder = TranscriptBuilder(Format.TEXT, limits, place="line")
    lines = split_lines(text)
    heads = marked_name_lines(lines)
    _take_headings(lines, heads, builder)
    for turn in _turns(lines, heads):
        spoken = one_line(" ".join(turn.texts))
        start_ms, end_ms = (_possible(time, builder) for time in (turn.start_ms, turn.end_ms))
        builder.add(turn.line, turn.speaker, spoken, start_ms=start_ms, end_ms=end_ms)
    return builder.finish(encoding)


def has_speakers(text: str) -> bool:
    """Tell whether any line of the text carries a speaker label."""
    return any(turn.speaker for turn in map(_opened_by, split_lines(text)) if turn is not None)


def _possible(time: int | None, builder: TranscriptBuilder) -> int | None:
    if time is not None and time > MAX_INTEGER:
        builder.doubt_time()
        return None
    return time


def _take_headings(lines: list[str], heads: Mapping[int, NameLine], builder: TranscriptBuilder) -> None:
    """Empty the lines of headings and rules; they part paragraphs and are nobody's words."""
    words_seen = False
    for at, line in enumerate(lines):
        if not line or at in heads:
            words_seen = words_seen or at in heads
            continue
        heading = _HEADING.fullmatch(line)
        if heading is not None and builder.title is None and not words_seen:
            builder.title = heading["title"].rstrip("# ")
        elif heading is not None or (len(line) < _LONGEST_RULE and _RULE.match(line)):
            builder.skip(at + 1)
        else:
            words_seen = words_seen or bool(line.strip())
            continue
        lines[at] = ""


def _turns(lines: list[str], heads: Mapping[int, NameLine]) -> Iterator[_Turn]:
    turn: _Turn | None = None
    parted, after_blank = _parted_by_blanks(lines), False
    clocks = _begin_with_clocks(lines)
    known = habitual_labels(lines)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            after_blank = True
            continue
        head = heads.get(number - 1)
        opened = (
            _opened_by(line, known, clocks=clocks)
            if head is None
            else _Turn(0, head.speaker, [], head.start_ms, head.end_ms)
        )
        if opened is None and turn is not None and not (turn.anonymous and (after_blank or not parted)):
            turn.texts.append(line)
            after_blank = False
            continue
        following = opened or _Turn(number, None, [line])
        following.line = number
        if turn is not None and turn.speaker is None and turn.wordless and following.start_ms is None:
            # A stamp on a line of its own is the time of what follows.
            following.start_ms, following.end_ms = turn.start_ms, turn.end_ms
        elif turn is not None:
            yield turn
        turn, after_blank = following, False
    if turn is not None:
        yield turn


def _parted_by_blanks(lines: list[str]) -> bool:
    """Tell whether a blank line stands between two lines with words."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return bool(filled) and filled[-1] - filled[0] + 1 > len(filled)


def _begin_with_clocks(lines: list[str]) -> bool:
    """Tell whether `1:18 Name: text` is how this file writes times; a single one may be a time of day somebody said."""
    short = (match for line in lines if _SHORT_BARE.match(line) and (match := _BARE.match(line)) is not None)
    return sum(split_label(match.string[match.end() :]) is not None for match in short) > 1


def _opened_by(line: str, known: frozenset[str] = frozenset(), *, clocks: bool = True) -> _Turn | None:
    """Return the turn a line begins by its stamp or label, or None for a line that goes on.

    `clocks`: a short time without brackets before a label is a stamp.
    """
    stamp = _BRACKETED.match(line)
    if stamp is not None:
        rest = line[stamp.end() :].lstrip()
        speaker, text = split_label(rest, known) or (None, rest)
        return _Turn(0, speaker, [text], clock_ms(stamp["start"]), clock_ms(stamp["end"]))
    bare = _BARE.match(line) if clocks or _SHORT_BARE.match(line) is None else None
    labelled = split_label(line[bare.end() :], known) if bare is not None else None
    if bare is not None and labelled is not None:
        return _Turn(0, labelled[0], [labelled[1]], clock_ms(bare["start"]), clock_ms(bare["end"]))
    late = _LABEL_THEN_STAMP.match(line)
    if late is not None and is_speaker_label(label := late["label"].strip("*_ ")):
        text = line[late.end() :]
        return _Turn(0, normalise_label(label), [text], clock_ms(late["start"]), clock_ms(late["end"]))
    labelled = split_label(line, known)
    return None if labelled is None else _Turn(0, labelled[0], [labelled[1]])
