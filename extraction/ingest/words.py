"""From single words to utterances, for the formats that write one word at a time.

An utterance ends where the speaker changes, at the end of a sentence, at a pause of `PAUSE_MS`, where times run back,
and, in speech without punctuation or pause, at the first word beyond `LONGEST_CHARS`. Words are never dropped,
repeated or moved; only the white space between them is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from extraction.ingest.transcript import TranscriptBuilder
from extraction.ingest.wording import one_line

PAUSE_MS = 1_000
"""A silence between two words from which on they are two utterances."""
LONGEST_CHARS = 800
"""From this length on an utterance ends at the next word, though nothing in the speech says so."""

_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f][\"'\u201d\u2019\u00bb)\]\u300d\u300f]*\Z")
_NO_END = re.compile(r"(?:dr|mrs?|ms|mx|st|prof|sgt|capt|lt|gen|col|vs|[a-hj-z])\.", re.IGNORECASE)
# Scripts that write words without spaces between them: Han, kana, Thai, Lao.
_SPACELESS = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u0e00-\u0eff]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a sign as the recogniser wrote it. `glued`: it belongs to the word before, without a space between."""

    at: int
    text: str
    speaker: str | None = None
    start_ms: int | None = None
    end_ms: int | None = None
    glued: bool = False


@dataclass(slots=True)
class Utterance:
    """Words of one speaker in a row. `at` is the place of the first in the file."""

    at: int
    speaker: str | None
    start_ms: int | None
    end_ms: int | None
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    last: str = ""

    @property
    def text(self) -> str:
        return one_line("".join(self.pieces))


def join_words(words: Iterable[Word]) -> Iterator[Utterance]:
    """Yield the utterances of the words in their order; words without text leave no trace."""
    current: Utterance | None = None
    latest: int | None = None
    for word in words:
        if not word.text.strip():
            continue
        if current is None or (not word.glued and _parts(current, latest, word)):
            if current is not None:
                yield current
            current, latest = Utterance(word.at, word.speaker, None, None), None
        _append(current, word)
        latest = word.start_ms if word.start_ms is not None else latest
    if current is not None:
        yield current


def add_words(builder: TranscriptBuilder, words: Iterable[Word]) -> None:
    """Append the words as utterances; a word without text is skipped and counted."""
    for utterance in join_words(_counted(builder, words)):
        add_utterance(builder, utterance)


def add_utterance(builder: TranscriptBuilder, utterance: Utterance) -> None:
    builder.add(
        utterance.at,
        utterance.speaker,
        utterance.text,
        start_ms=utterance.start_ms,
        end_ms=utterance.end_ms,
    )


def words_of_text(at: int, text: str, speaker: str | None = None) -> list[Word]:
    """Return the words of a running text, which then has no times of its own."""
    return [Word(at, word, speaker) for word in text.split()]


def same_letters(text: str, words: Sequence[Word]) -> bool:
    """Tell whether the words spell the text, white space apart: then they may stand for it, and none is lost."""
    return "".join(text.split()) == "".join("".join(word.text.split()) for word in words)


def _counted(builder: TranscriptBuilder, words: Iterable[Word]) -> Iterator[Word]:
    for word in words:
        if word.text.strip():
            yield word
        else:
            builder.skip(word.at)


def _parts(current: Utterance, latest: int | None, word: Word) -> bool:
    """Tell whether an utterance ends before the word."""
    if word.speaker != current.speaker or current.length > LONGEST_CHARS:
        return True
    if _SENTENCE_END.search(current.last) and not _NO_END.fullmatch(current.last):
        return True
    if word.start_ms is None:
        return False
    if latest is not None and word.start_ms < latest:
        return True
    silent_from = current.end_ms if current.end_ms is not None else latest
    return silent_from is not None and word.start_ms - silent_from >= PAUSE_MS


def _append(current: Utterance, word: Word) -> None:
    text = word.text.strip()
    spaced = bool(current.pieces) and not word.glued and not _is_spaceless_border(current.last, text)
    current.pieces.append(f" {text}" if spaced else text)
    current.length += len(text) + spaced
    current.last = (current.last + text)[-64:] if word.glued else text[-64:]
    if current.start_ms is None:
        current.start_ms = word.start_ms
    if word.end_ms is not None:
        current.end_ms = word.end_ms


def _is_spaceless_border(before: str, after: str) -> bool:
    return bool(_SPACELESS.match(before[-1:])) and bool(_SPACELESS.match(after))
