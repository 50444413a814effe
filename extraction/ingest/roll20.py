"""A Roll20 chat archive, saved as HTML: `div.message` with `span.by` for the speaker.

Roll20 leaves the name out where somebody goes on speaking; the name above holds on there, until a description, an
emote or anything else that is not said. Its times are those of a wall clock, so units have none. What Roll20 itself
says, and messages it hides, are skipped and counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extraction.ingest.limits import Limits
from extraction.ingest.markup import BLOCKS, Closed, Opened, Words, events
from extraction.ingest.transcript import Format, ReadTranscript, TranscriptBuilder
from extraction.ingest.wording import one_line

_UNSAID = frozenset({"avatar", "tstamp", "spacer", "flyout"})
_LEFT_OUT = frozenset({"system", "hidden-message", "error"})
_NAMELESS = frozenset({"desc", "emote"})


@dataclass(slots=True)
class _Message:
    line: int
    classes: frozenset[str]
    name: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def read_roll20(text: str, encoding: str, limits: Limits) -> ReadTranscript:
    """Return the transcript; IngestError for HTML that cannot be bounded or has no message with words."""
    builder = TranscriptBuilder(Format.ROLL20_HTML, limits, place="line")
    speaker: str | None = None
    for message in _messages(text):
        name = one_line("".join(message.name)).removesuffix(":").rstrip()
        if message.classes & _LEFT_OUT:
            builder.skip(message.line)
            speaker = None
            continue
        speaker = name or (None if message.classes & _NAMELESS else speaker)
        builder.add(message.line, speaker, one_line("".join(message.texts)))
    return builder.finish(encoding)


def _messages(text: str) -> Iterator[_Message]:
    """Yield the messages; an element inside one counts as unsaid, as the name, or as words."""
    message: _Message | None = None
    inside: list[str] = []
    for event in events(text):
        if message is None:
            if isinstance(event, Opened) and event.name == "div" and "message" in event.classes:
                message, inside = _Message(event.line, event.classes), ["words"]
        elif isinstance(event, Opened):
            inside.append(_part(event, inside[-1]))
            _space(message, event.name, inside[-1])
        elif isinstance(event, Closed):
            _space(message, event.name, inside.pop())
            if not inside:
                yield message
                message = None
        else:
            _say(message, event, inside[-1])


def _part(element: Opened, around: str) -> str:
    if around != "words":
        return around
    if element.classes & _UNSAID:
        return "unsaid"
    return "name" if "by" in element.classes else "words"


def _space(message: _Message, element: str, part: str) -> None:
    """Part the words at the border of a block, and around what is not said."""
    if element in BLOCKS or part != "words":
        message.texts.append(" ")


def _say(message: _Message, words: Words, part: str) -> None:
    if part == "name":
        message.name.append(words.text)
    elif part == "words":
        message.texts.append(words.text)
