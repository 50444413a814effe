"""Words of a unit's text, each with what its place in the sentence says about its capital letter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from extraction.identity import comparison_key
from extraction.llm.rules.words import ABBREVIATIONS

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc`\u00b4\u2032\uff07", "'"))
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_CLITICS = ("'s", "'ll", "'d", "'ve", "'re", "'m")
# What may stand between two words of one sentence.
_INSIDE_SENTENCE = frozenset(" \t\n\u00a0,'&/")
_OPENING_QUOTES, _CLOSING_QUOTES = "\u201c\u00ab", "\u201d\u00bb"


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is without its clitic ("Oswin's" -> "Oswin" and "'s"), `key` its lower case, `gap` what stood before it.

    `opens` says that a sentence, quotation or bracket starts here, so that a capital proves nothing. `quoted` says
    that the word stands inside quotation marks; `after` is the first mark that follows it, "" at the text's end.
    """

    text: str
    key: str
    clitic: str
    gap: str
    opens: bool
    quoted: bool
    after: str

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()

    @property
    def shouted(self) -> bool:
        """All capitals and longer than one letter: an abbreviation or a lost speaker label."""
        return len(self.text) > 1 and self.text.isupper()


def words(text: str) -> tuple[Word, ...]:
    """Return the words of `text` in order."""
    plain = text.translate(_APOSTROPHES)
    found: list[Word] = []
    end, quoted = 0, False
    for match in _WORD.finditer(plain):
        gap = plain[end : match.start()]
        quoted = _quoted_after(gap, quoted)
        stem, clitic = _split_clitic(match.group())
        end = match.end()
        opens = _opens(gap, found[-1] if found else None)
        found.append(Word(stem, _word_key(stem), clitic, gap, opens, quoted, plain[end : end + 1]))
    return tuple(found)


@lru_cache(maxsize=16_384)
def _word_key(word: str) -> str:
    return comparison_key(word)


def _split_clitic(token: str) -> tuple[str, str]:
    for clitic in _CLITICS:
        if len(token) > len(clitic) and token[-len(clitic) :].lower() == clitic:
            return token[: -len(clitic)], token[-len(clitic) :]
    return token, ""


def _quoted_after(gap: str, quoted: bool) -> bool:
    for char in gap:
        if char == '"':
            quoted = not quoted
        elif char in _OPENING_QUOTES:
            quoted = True
        elif char in _CLOSING_QUOTES:
            quoted = False
    return quoted


def _opens(gap: str, before: Word | None) -> bool:
    if before is None:
        return True
    if all(char in _INSIDE_SENTENCE for char in gap):
        return False
    if gap.startswith(".") and before.key in ABBREVIATIONS and not gap[1:].strip():
        return False
    # `"Very well," Oswin says`: after a comma and a closing quotation mark the sentence goes on.
    closes = gap.rstrip()
    return not (len(closes) == 2 and closes[0] == "," and closes[1] in '"' + _CLOSING_QUOTES)
