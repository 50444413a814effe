"""Where a sentence declares a casting: which spell, how surely, at which level and at whom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from extraction.llm.rules.combat_lines import Line
from extraction.llm.rules.spell_words import EVERYDAY, USES, spoken_forms

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth"
_NUMBERS = "one two three four five six seven eight nine"
_LEVELS: Mapping[str, int] = {
    form: value
    for forms in (
        _ORDINALS.split(),
        _NUMBERS.split(),
        ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th"),
        "123456789",
    )
    for value, form in enumerate(forms, start=1)
}
_ORDINAL = "|".join((*_ORDINALS.split(), "1st", "2nd", "3rd", "[4-9]th"))
_NUMBER = "|".join((*_NUMBERS.split(), "[1-9]"))

_CASTS = re.compile(
    rf"\b(?:re)?(?P<form>cast|casts|casting)(?: (?:a|an|the|my|his|her|their|your|another|that|this|one|up|out"
    rf"|quick|full|spell|of|level|(?:{_ORDINAL}|{_NUMBER})(?:[- ]level)?))*,? $"
)
_CAPITALISED = re.compile(
    r"\b[Cc]ast(?:s|ing)?(?: (?:a|an|the|my|his|her))? ((?:[A-Z][\w']+)(?:(?: of| the| from| and)? [A-Z][\w']+){0,3})"
)
_ITEM = re.compile(
    r"\b(?:use|read|cast|fire|activate|uses|reads|casts|fires)\b.{1,30}\b(?:scroll|wand|staff|ring|rod) of (?:the )?$"
)
_COUNTERS = re.compile(r"\b(?:i|i'll|i'm going to|i'm gonna|i will|reaction to|he|she|they) $")

# Where one of these stands shortly before the name, nothing is cast.
_NOT_BEFORE = re.compile(
    r"\b(?:if|unless|whether|could|should|would(?! like to| love to)|might|may|can|can't|cannot|couldn't|wouldn't"
    r"|shouldn't|won't|don't|doesn't|didn't|isn't|aren't|not|never|no(?!,)|nobody|without|instead of|rather than|ready"
    r"|readied|readies|readying|holding|prepared?|remember|already|earlier|yesterday|last|ago|when|until|after|before"
    r"|once|had|has|have|having|was|were|been|i've|you've|we've|i'd(?! like to| love to)|he'd|she'd|they'd|what|how"
    r"|who|which|why|does|do you|do i|do we|did|unlike|time|able to|think|thinking|maybe|perhaps|supposed|wish"
    r"|wanted|hypothetically|such as|trying to|like a|by casting|start|starting|planning|next)\b"
)
_REACH = 12
_MAY_I = re.compile(r"^(?:\W|and|so|okay|ok|all right|then|well|now)*(?:can|may) i\b")
_NOT_AFTER = re.compile(
    r"^(?:'s\b| (?:is|isn't|was|wasn't|are|has|have|does|doesn't|would|could|can|can't|only|spell(?! on| at)|spells"
    r"|damage|slots?|scroll|potion|back|effect|still)\b)"
    r"|\bif (?:he|she|they|it|you|that happens)\b|\bnext (?:turn|round)\b"
)
_NEW_THOUGHT = re.compile(
    r"^(?:\W|\b(?:and|then|so|okay|ok|all right|well|now|i'm gonna|i'm going to|i'll|just|yeah|oh)\b)*$"
)
_AIMED = re.compile(r"^(?:,| (?:on|at|for|over|upon|into|against|around|round)\b|[\s.!?]*$)")
_ECONOMY = re.compile(r"\b(?:bonus action|reaction|my action)[ ,:]*(?:for |is |i |to |with )?$")
_FIRST_PERSON = re.compile(r"\b(?:i|i'll|i'm|we)\b")

_LEVEL = re.compile(
    rf"\b(?:(?P<ordinal>{_ORDINAL})[- ]level|(?:at|to) (?:a |the )?(?P<at>{_ORDINAL})\b(?! (?:of|one|target|guy))"
    rf"|level (?P<number>{_NUMBER})\b|(?P<slot>{_ORDINAL})[- ](?:level )?slot)"
)
_CANTRIP = re.compile(r"\bcantrip\b")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a part between two breaks in speech; `low` has the length of `text`."""

    line: Line
    text: str
    low: str

    @property
    def asks(self) -> bool:
        return self.text.rstrip().endswith("?")


@dataclass(frozen=True, slots=True)
class Declared:
    """A casting as one sentence declares it.

    `form` is the word of casting before the name, "" where none stands there. `asked` says that it is put to the GM
    as a question.
    """

    spell: str
    sentence: Sentence
    start: int
    end: int
    form: str
    asked: bool

    @property
    def before(self) -> str:
        return self.sentence.text[: self.start]

    @property
    def after(self) -> str:
        return self.sentence.text[self.end :]


def sentences(lines: Sequence[Line]) -> list[Sentence]:
    """Return the sentences, each cut where speech breaks off."""
    return [
        Sentence(line, part, "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in part))
        for line in lines
        for part in line.text.split("--")
        if part.strip()
    ]


def declared(sentence: Sentence) -> Iterator[Declared]:
    """Yield the castings that a sentence declares, in order."""
    named = list(named_spells(sentence))
    for spell, start, end, everyday in named:
        before, after = sentence.low[:start], sentence.low[end:]
        form = _casting_word(spell, before)
        weak = everyday or sentence.line.gm or len(named) > 1
        if not form and (weak or not _declares(before, after)):
            continue
        asked = sentence.asks and _MAY_I.search(before) is not None
        if asked:
            before = _MAY_I.sub("", before)
        elif sentence.asks and not (form and _FIRST_PERSON.search(before)):
            continue
        if _NOT_BEFORE.search(_near(before)) or _NOT_AFTER.search(after):
            continue
        yield Declared(spell, sentence, start, end, form, asked)


def named_spells(sentence: Sentence) -> Iterator[tuple[str, int, int, bool]]:
    """Yield the spells named in a sentence: name, place, and whether the words have an everyday meaning too.

    A name that the list of spells does not have counts right after a word of casting and with capital letters.
    """
    tokens = [(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(sentence.low)]
    at, found = 0, False
    while at < len(tokens):
        form = _form_at([token for token, _, _ in tokens[at : at + _LONGEST]])
        if form:
            found = True
            yield _FORMS[form], tokens[at][1], tokens[at + len(form) - 1][2], " ".join(form) in EVERYDAY
        at += len(form) or 1
    if not found and (match := _CAPITALISED.search(sentence.text)) is not None:
        yield match.group(1), match.start(1), match.end(1), True


def level_of(cast: Declared, beside: Mapping[int, Sentence]) -> int | None:
    """Return the level that the sentence of a casting says, or one beside it that names no other spell.

    `beside` holds the sentence before under -1 and the one after under 1, as far as they are of the same unit.
    """
    for side in (0, 1, -1):
        sentence = cast.sentence if side == 0 else beside.get(side)
        if sentence is None or (side and next(named_spells(sentence), None)):
            continue
        if side >= 0 and (match := _LEVEL.search(sentence.low)) is not None:
            return _LEVELS[next(found for found in match.groups() if found)]
        if side <= 0 and _CANTRIP.search(sentence.low):
            return 0
    return None


def answered_level(text: str) -> int | None:
    """Return the level that an answer to "at what level?" begins with."""
    return next((_LEVELS[token] for token in _TOKEN.findall(text.lower())[:4] if token in _LEVELS), None)


def _casting_word(spell: str, before: str) -> str:
    if (match := _CASTS.search(before)) is not None:
        return match["form"]
    if _ITEM.search(before):
        return "use"
    return "cast" if spell == "Counterspell" and _COUNTERS.search(before) else ""


def _declares(before: str, after: str) -> bool:
    """Return whether a distinctive name stands as a declaration without a word of casting."""
    if not _AIMED.search(after):
        return False
    if _NEW_THOUGHT.search(before) or _ECONOMY.search(before):
        return True
    tokens = _TOKEN.findall(before)
    return bool(_FIRST_PERSON.search(before)) and any(token in USES for token in tokens[-5:])


def _near(before: str) -> str:
    """Return the last words before a name: what stands further off speaks of something else."""
    starts = [match.start() for match in _TOKEN.finditer(before)]
    return before[starts[-_REACH] :] if len(starts) > _REACH else before


def _form_at(tokens: Sequence[str]) -> tuple[str, ...]:
    for form in _STARTS.get(tokens[0].removesuffix("'s"), ()) or _STARTS.get(tokens[0], ()):
        heard = tuple(tokens[: len(form)])
        if heard == form or (*heard[:-1], heard[-1].removesuffix("'s")) == form:
            return form
    return ()


def _by_first_word() -> dict[str, list[tuple[str, ...]]]:
    starts: dict[str, list[tuple[str, ...]]] = {}
    for form in sorted(_FORMS, key=lambda form: (-len(form), form)):
        starts.setdefault(form[0], []).append(form)
    return starts


_FORMS: Mapping[tuple[str, ...], str] = {tuple(_TOKEN.findall(form)): name for form, name in spoken_forms()}
_LONGEST = max(len(form) for form in _FORMS)
_STARTS: Mapping[str, Sequence[tuple[str, ...]]] = _by_first_word()
