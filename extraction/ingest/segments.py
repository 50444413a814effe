"""Stretches of speech as a recogniser cut them, and the files whose stretches are single words or pieces of words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from extraction.ingest.transcript import TranscriptBuilder
from extraction.ingest.wording import one_line
from extraction.ingest.words import Word, add_words

_SENTENCE_ENDS = frozenset(".!?\u2026")

WORDWISE_SHARE = 0.9
"""A file is one of words if at least this share of its stretches, of two or more, hold no more than one word."""


def add_segments(builder: TranscriptBuilder, segments: Iterable[Word], *, may_cut_words: bool = False) -> None:
    """Append each stretch as a unit; where they are single words, join them to utterances first.

    Where stretches begin with the space before their first word, one without it goes on with the word before, unless
    a sentence ended there. A recogniser that `may_cut_words` shows that with one space, others with most.
    """
    pieces = list(segments)
    filled = [piece for piece in pieces if piece.text.strip()]
    spaces = sum(piece.text[0].isspace() for piece in filled)
    spaced = spaces > 0 if may_cut_words else 2 * spaces > len(filled)
    if len(filled) > 1 and sum(len(piece.text.split()) == 1 for piece in filled) >= WORDWISE_SHARE * len(filled):
        add_words(builder, _glued(pieces) if spaced else pieces)
        return
    for piece in _mended(pieces) if spaced and may_cut_words else pieces:
        builder.add(piece.at, piece.speaker, one_line(piece.text), start_ms=piece.start_ms, end_ms=piece.end_ms)


def _glued(pieces: list[Word]) -> Iterator[Word]:
    yield from pieces[:1]
    for before, piece in pairwise(pieces):
        new_sentence = before.text[-1:] in _SENTENCE_ENDS and piece.text[:1].isalpha()
        glued = before.speaker == piece.speaker and not piece.text[:1].isspace() and not new_sentence
        yield replace(piece, glued=True) if glued else piece


def _mended(pieces: list[Word]) -> Iterator[Word]:
    open_piece: Word | None = None
    for piece in pieces:
        if open_piece is not None and _goes_on(open_piece, piece):
            open_piece = replace(open_piece, text=open_piece.text + piece.text, end_ms=piece.end_ms)
            continue
        if open_piece is not None:
            yield open_piece
        open_piece = piece
    if open_piece is not None:
        yield open_piece


def _goes_on(before: Word, piece: Word) -> bool:
    return before.speaker == piece.speaker and before.text[-1:].isalnum() and piece.text[:1].isalnum()
