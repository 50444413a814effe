"""What a sentence of the GM or a player says about whose turn it is."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum

from extraction.llm.rules.combat_lines import Line, Lines
from extraction.llm.rules.combat_people import People
from extraction.llm.rules.combat_words import word_set
from extraction.llm.rules.spoken_numbers import NUMBER, value_of

SILENCE = 40
"""A turn without a sign of a fight for so many units is over, and so is a fight without a cue."""
# How many signs of a fight must be near for a first cue.
_SIGNS = 4


class CueKind(StrEnum):
    INITIATIVE = "initiative"
    TURN = "turn"
    END = "end"


@dataclass(frozen=True, slots=True)
class Cue:
    """`actor` is None where the words do not say whose turn it is; `third` says that they only point at
    somebody ("then it is her").
    """

    kind: CueKind
    actor: str | None = None
    third: bool = False


_INITIATIVE = re.compile(
    r"\broll(?: me)?(?: for)?(?: some| an| your)? initiative\b|\binitiative(?:,| rolls?,?) (?:everyone|everybody)\b"
)
_ROUND = re.compile(
    rf"(?:^|\b(?:top|start|beginning) of (?:the )?|\bonto |\binto |\b(?:now|so|and"
    rf"|that's) (?:it's )?)round (?P<a>{NUMBER})\b"
    r"|\b(?:top|start|beginning) of the (?P<b>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) round\b"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_TOP = re.compile(
    r"\bback (?:to|at|around to|up to) the top\b|\b(?:top|start|beginning) of (?:the |a )?(?:new |next |initiative )?"
    r"(?:round|order|initiative)\b|\b(?:new|next) round\b"
)

_TURN = r"(?:turn|go)\b"
_END = re.compile(
    rf"(?<!the )\b(?:ends?|finish(?:es)?|concludes?|completes?|ending) (?:(?!of )\S+ ){{0,2}}?(?:\S+'s|your"
    rf"|his|her|its|their|that) {_TURN}"
    rf"|\b(?:that's|that is|that'll be|that will be|that's going to be|be) (?:the end of )?(?:your|his|her|its"
    rf"|their) {_TURN}"
    rf"|\bthat's the end of (?:\S+ ){{0,2}}?\S+ {_TURN}|\bfinishes that turn\b|\bwould be (?:his|her|its|their) {_TURN}"
)
# Talk about a turn that hands it to nobody.
_NOT_A_TURN = re.compile(
    rf"\b(?:of|on|during|after|before|until|til|till|at|over|next|last|every|each|whose|not|isn't|for) (?:the )?"
    rf"(?:\S+ ){{0,2}}?(?:\S+'s|\S+s'|your|his|her|its|their) (?:next |last )?{_TURN}"
)
_UP = re.compile(r"\byou(?:'re| are)(?: now| then)? up\b(?! (?:to|there|against|on|in|at|here|for|in))")
_YOUR_TURN = re.compile(rf"(?:^|[,:] |\bnow |\bit's |\bit is )(?:now )?(?:it's |it is )?(?:now )?your {_TURN}")
_THEIR_TURN = re.compile(rf"(?P<who>[^,.]{{1,60}}?)(?:'s|s') {_TURN}(?! (?:was|is over|were|ends|order))")
_BRINGS = re.compile(
    r"\b(?:brings|gets|takes|leads|moves|bringing) us (?:back )?(?:around |up |down |on |over )?to (?P<who>.+)"
)
_NEXT = re.compile(
    r"^(?:and |so |okay,? |all right,? )*(?:up next|next up|next|on deck)(?: (?:is|we have|it's)|,|:)? (?P<who>.+)"
)
_ITS = re.compile(
    r"^(?:(?:and|so|now|okay|right|all right),? )*(?:then|now|so|next) it's (?P<who>.+)|\bso that's (?P<that>\S+)[.!]?$"
)
_ITS_THIRD = re.compile(r"^(?:(?:and|so|now|okay|right|good|all right)[,.]? )*then it's (?:him|her|them|it)\b")
_THE_NAME = re.compile(r"^(?:(?:And|And then|Then|Okay,|Right,) )?(?:the|The) [A-Z][a-z'-]+(?: [A-Z][a-z'-]+)?[.!]$")
_ADDRESSED = re.compile(
    r"^(?P<who>[^,]{2,40}), (?:(?:it's|it is) you\b|go\b[.!]?$|(?:and )?what (?:do you|are you|would you|will you)\b)"
)
_FILLER = re.compile(
    r"^(?:(?:and|so|then|now|okay|ok|right|all right|alright|all righty|next|good|well|cool|finally|great"
    r"|yeah)\b[,. ]*)+"
)
_AFTER_NAME = re.compile(r"[\s,.!?:]*(?:finally|now|next|then|go|go ahead|again)?[\s.!?]*$")
_SELF = re.compile(
    r"^(?:(?:oh|okay|so|and|then|now|no|yes|all right),? )*(?:me|i'm up|i am up|my turn|it's my turn|who's next is me"
    r"|it's me)[.!]*$"
)
_BEFORE_NOUN = frozenset({"the", "a", "an", "this", "that"})
_NOBODY = word_set(
    """you he she it they this that there what who which everyone everybody your his her its their my our me him
    them us next now then so turn one initiative round top order"""
)
_NO_ACTORS = word_set("top start beginning end round order initiative next last first second party group map")


def calls_initiative(line: Line) -> bool:
    """Return whether the GM calls for initiative."""
    return line.gm and _INITIATIVE.search(line.low) is not None


def round_said(line: Line) -> tuple[bool, int | None]:
    """Return whether a new round begins here, and its number where it is said."""
    if not line.gm:
        return False, None
    if (found := _ROUND.search(line.low)) is not None:
        word = found["b"]
        return True, _ORDINALS.index(word) + 1 if word else value_of(found["a"])
    return _TOP.search(line.low) is not None, None


def cue_in(line: Line, people: People, *, fighting: bool, opens_round: bool = False) -> Cue | None:
    """Return what the sentence says about whose turn it is, None where it says nothing.

    A bare name and "me" say it only inside a fight; `opens_round` says that the sentence before began a round.
    """
    if not line.gm:
        says_me = line.character is not None and line.first and fighting and _SELF.match(line.low)
        return Cue(CueKind.TURN, line.character) if says_me else None
    low = line.low
    if calls_initiative(line):
        return Cue(CueKind.INITIATIVE)
    if _UP.search(low) or (_YOUR_TURN.search(low) and not _NOT_A_TURN.search(low) and not _END.search(low)):
        return Cue(CueKind.TURN, _addressed(line, people))
    ends = _END.search(low) is not None
    if (actor := _handed_to(line, people)) is not None:
        return Cue(CueKind.TURN, actor)
    if ends:
        return Cue(CueKind.END)
    if fighting and _ITS_THIRD.search(low) is not None:
        return Cue(CueKind.TURN, third=True)
    if fighting and (actor := _called(line, people) or (_opening(line, people) if opens_round else None)) is not None:
        return Cue(CueKind.TURN, actor)
    return None


def fight_cues(lines: Lines, people: People) -> list[Cue | None]:
    """Return the cue of each sentence, as far as it is one of a fight: signs of it are near, or it has begun."""
    alone = [cue_in(line, people, fighting=False) for line in lines.lines]
    strong = [line.position for line, cue in zip(lines.lines, alone, strict=True) if cue is not None]
    accepted: list[Cue | None] = []
    begun: int | None = None
    opens_round = False
    for line, cue in zip(lines.lines, alone, strict=True):
        if begun is not None and line.position - begun > SILENCE and not lines.is_fighting(line.position, 1):
            begun = None
        fighting = begun is not None or lines.is_fighting(line.position, _SIGNS)
        if cue is None and fighting:
            cue = cue_in(line, people, fighting=True, opens_round=opens_round)
        if cue is not None and cue.kind is not CueKind.INITIATIVE and not fighting:
            near = bisect_right(strong, line.position + SILENCE) - bisect_left(strong, line.position - SILENCE)
            signs = near + lines.heat(line.position - SILENCE, line.position + SILENCE)
            cue = cue if signs >= _SIGNS else None
        accepted.append(cue)
        if cue is not None:
            begun = line.position
        opens_round = fighting and not line.last and round_said(line)[0]
    return accepted


def _handed_to(line: Line, people: People) -> str | None:
    """As in "that brings us to X", "next up is X", "it is now X's turn", "then it's X"."""
    low, text = line.low, line.text
    for pattern in (_BRINGS, _NEXT, _ITS):
        if (found := pattern.search(low)) is not None:
            group = next(name for name, value in found.groupdict().items() if value is not None)
            known = people.named_in(text[found.start(group) :])
            if known and known[0].first <= 1:
                return known[0].name
            if pattern is _BRINGS or (pattern is _ITS and "the " in found[group][:4]):
                return _noun(text[found.start(group) :])
    if _END.search(low) is None and _NOT_A_TURN.search(low) is None and (found := _THEIR_TURN.search(low)) is not None:
        before = text[: found.end()]
        known = people.named_in(before)
        return known[-1].name if known else _noun(text[found.start("who") : found.end("who")])
    return None


def _called(line: Line, people: People) -> str | None:
    """As in "Hob.", "And Orsolo.", "Right, Ullin.", "X, what do you do?", "X, it's you"."""
    if _ADDRESSED.search(_FILLER.sub("", line.low)) is not None:
        known = line.named
        return known[0].name if known and known[0].is_character else None
    return _names_alone(line, people)


def _names_alone(line: Line, people: People) -> str | None:
    """Return the name that, but for words such as "and", is the whole sentence."""
    known = line.named
    if not known and _THE_NAME.match(line.text):
        return _noun(line.text)
    if len(known) != 1 or len(line.text) > 40:
        return None
    rest = re.sub(r"^the ", "", _FILLER.sub("", line.low))
    size = known[0].last - known[0].first + 1
    said = rest.split()
    if len(said) < size or (line.asks and not (line.first or line.last)):
        return None
    head, tail = " ".join(said[:size]), " ".join(said[size:])
    named = people.named_in(line.text[len(line.text) - len(rest) :])
    if not named or named[0].first != 0 or head.rstrip(",.!?:").endswith("'s"):
        return None
    return known[0].name if _AFTER_NAME.fullmatch(tail or "") else None


def _opening(line: Line, people: People) -> str | None:
    """As in "Round two. X, she is on the wall"."""
    known = line.named
    return known[0].name if known and known[0].first <= 1 else None


def _addressed(line: Line, people: People) -> str | None:
    """Return the name nearest before "you're up" or "your turn", else the first one after it."""
    found = _UP.search(line.low) or _YOUR_TURN.search(line.low)
    before = people.named_in(line.text[: found.start()]) if found else []
    after = people.named_in(line.text[found.end() :]) if found else []
    known = before[-1:] or after[:1]
    return known[0].name if known else None


def _noun(text: str) -> str | None:
    """Return "the giant" or a capitalised name at the text's start, None for pronouns and long phrases."""
    text = re.split(r"(?<=\w)(?:'s|s') (?:turn|go)\b", text, maxsplit=1)[0]
    said = [word.strip(",.!?:;\u2014") for word in text.split()]
    while said and _FILLER.fullmatch(said[0].lower()):
        said = said[1:]
    if len(said) >= 2 and said[0].lower() in {"it's", "is", "now"}:
        return _noun(" ".join(said[1:]))
    if not said or said[0].lower() in _NOBODY:
        return None
    if said[0].lower() in _BEFORE_NOUN:
        noun = [word for word in said[1:4] if word]
        if not noun or noun[0].lower() in _NO_ACTORS:
            return None
        size = 1 + next((at for at, word in enumerate(noun) if word.lower() in _STOPS), len(noun))
        return " ".join(("the", *said[1:size])) if 1 < size <= 4 else None
    capital = 0
    while capital < min(3, len(said)) and said[capital][:1].isupper() and said[capital].isalpha():
        capital += 1
    return " ".join(said[:capital]) or None


_STOPS = word_set("who which that is was and with at on in to now then comes goes will are has")
