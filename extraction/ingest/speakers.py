"""Speaker labels: how they are spelled, and when the words before a colon are one.

The rule is shared by plain text, Markdown, WebVTT and SRT. It looks at one line at a time and prefers to miss a label
rather than to turn a sentence into a speaker: a label is at most five words, each capitalised or a number,
connectives aside, without the punctuation of a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

MAX_LABEL_CHARS = 60
MAX_LABEL_WORDS = 5

_CONNECTIVE = re.compile(
    r"[&+/\u2013\u2014-]|and|of|the|with|as|von|van|der|den|de|du|da|di|del|della|dos|la|le|el|al|bin|ibn|ben|y|e|und|et",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(r"(?:dr|mrs?|ms|mx|st|prof|sir|jr|sr|capt|sgt|lt|col|gen|rev|fr)\.|(?:\w\.)+", re.IGNORECASE)
# Words that open a sentence: "So Ilse: what now" is somebody speaking to Ilse.
_OPENER = re.compile(
    "so|and|but|then|well|okay|ok|if|when|because|now|oh|hey|yes|i|we|you|he|she|it|they|what|why|how|where|"
    "(?:here|that|it|what|there|let|he|she|who|where)'s"
)
# Words people put before a colon above or between the lines of a transcript.
_NEVER_ALONE = re.compile(
    "notes?|warning|example|remember|no|wait|look|listen|first|second|third|finally|also|this|that|these|those|here|there|"
    "who|ps|update|edit|todo|date|time|location|episode|title|session|campaign|players|cast|present|https?"
)
_NUMBERED_HEADING = re.compile("chapter|scene|session|part|act|day|episode|round")
_CONTRACTION = re.compile(r"['\u2019](?:m|ll|re|ve|d|t)$", re.IGNORECASE)
_WORD = re.compile(r"[\w'\u2019#&+/\u2013\u2014-]+")
_LOWER_PREFIX = re.compile(r"[a-z\u00e0-\u00ff]{1,3}['\u2019-](?=\S)")
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_BULLET = re.compile(r"\s*+(?:[-\u2013\u2014\u2022+>*]{1,2}[ \t]+|>>[ \t]*)?")
_EMPHASIS = re.compile(r"\*{1,3}|_{1,3}(?=\w)")
_UNDER_A_NAME = re.compile(rf"\s{{0,8}}([^\s:][^:]{{0,{MAX_LABEL_CHARS - 1}}}):\s")
_HABIT = 3
_HABIT_SHARE = 0.8
_LONGEST_HABIT = 3
_WIDE_COLON = "\uff1a"


def normalise_label(label: str) -> str:
    """Return the label in NFC with single spaces and none at its ends; its letters and case stay."""
    return " ".join(unicodedata.normalize("NFC", label).split())


@lru_cache(maxsize=4096)
def is_speaker_label(label: str) -> bool:
    """Tell whether the words, standing before a colon, name who speaks."""
    label = normalise_label(label)
    if not label or len(label) > MAX_LABEL_CHARS:
        return False
    words = _ASIDE.sub(" ", label).split()
    naming = [word for word in words if not _CONNECTIVE.fullmatch(word)]
    if not naming or len(naming) > MAX_LABEL_WORDS or not any(char.isalpha() for word in naming for char in word):
        return False
    if _opens_a_sentence(words):
        return False
    return all(_is_naming_word(word) for word in naming)


def habitual_labels(lines: Iterable[str]) -> frozenset[str]:
    """Return the labels without capitals that a file of labelled lines uses again and again, such as `tom_h`.

    They are names people give themselves. A file in which most lines have no label is not believed.
    """
    found: Counter[str] = Counter()
    total = labelled = 0
    for line in lines:
        total += bool(line.strip())
        labelled += split_label(line) is not None
        match = _UNDER_A_NAME.match(line)
        if match is not None:
            found[normalise_label(match[1])] += 1
    names = frozenset(label for label, count in found.items() if count >= _HABIT and _could_name(label))
    if labelled + sum(found[label] for label in names if not is_speaker_label(label)) < _HABIT_SHARE * total:
        return frozenset()
    return names


def split_label(line: str, known: frozenset[str] = frozenset()) -> tuple[str, str] | None:
    """Return the speaker and the rest of a line like `Name: text` or `**Name:** text`, or None.

    A bullet or chevrons before the label are dropped with it. A label in `known` needs no capitals.
    """
    if ":" not in line and _WIDE_COLON not in line:
        return None
    start = _BULLET.match(line)
    body = line[start.end() if start else 0 :]
    opening = _EMPHASIS.match(body)
    mark = opening.group() if opening else ""
    colon = _colon_at(body[: MAX_LABEL_CHARS + 2 * len(mark) + 2])
    if colon is None:
        return None
    label, rest = body[len(mark) : colon].strip(), body[colon + 1 :]
    if mark and label.endswith(mark):
        label = label[: -len(mark)]
    elif mark and rest.lstrip().startswith(mark):
        rest = " " + rest.lstrip()[len(mark) :]
    elif mark:
        return None
    apart = not rest or rest[0].isspace() or body[colon] == _WIDE_COLON
    label = normalise_label(label)
    return (label, rest.strip()) if apart and (label in known or is_speaker_label(label)) else None


def split_turns(
    lines: list[tuple[int, str]], known: frozenset[str] = frozenset()
) -> list[tuple[int, str | None, list[str]]]:
    """Return (line number, speaker, texts) for each turn of the numbered lines; speaker None before the first label."""
    turns: list[tuple[int, str | None, list[str]]] = []
    for number, line in lines:
        labelled = split_label(line, known)
        if labelled is not None:
            turns.append((number, labelled[0], [labelled[1]]))
        elif turns:
            turns[-1][2].append(line)
        else:
            turns.append((number, None, [line]))
    return turns


def _colon_at(head: str) -> int | None:
    found = [at for at in (head.find(":"), head.find(_WIDE_COLON)) if at > 0]
    return min(found, default=None)


def _could_name(label: str) -> bool:
    words = label.split()
    return (
        len(words) <= _LONGEST_HABIT
        and not _opens_a_sentence(words)
        and all(_WORD.fullmatch(word) or _ASIDE.fullmatch(word) for word in words)
        and any(char.isalpha() for char in label)
    )


def _opens_a_sentence(words: list[str]) -> bool:
    first = words[0].lower().replace("\u2019", "'")
    if _OPENER.fullmatch(first) or (words[0].islower() and _CONNECTIVE.fullmatch(first)):
        return True
    if len(words) == 1:
        return _NEVER_ALONE.fullmatch(first) is not None
    return bool(_NUMBERED_HEADING.fullmatch(first)) and all(word.isdecimal() for word in words[1:])


def _is_naming_word(word: str) -> bool:
    if _ABBREVIATION.fullmatch(word):
        return not word[0].islower()
    if not _WORD.fullmatch(word) or _CONTRACTION.search(word):
        return False
    prefix = _LOWER_PREFIX.match(word)
    letters = [char for char in word[prefix.end() if prefix else 0 :] if char.isalnum()]
    # Scripts without case have no capitals to ask for.
    return bool(letters) and not letters[0].islower()
