"""Answer "dnd/spells.extract": the castings that a stretch of transcript declares and does not take back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from extraction.canonical import JsonValue
from extraction.llm.rules import materials as given
from extraction.llm.rules.citing import cite
from extraction.llm.rules.combat_cues import CueKind, cue_in
from extraction.llm.rules.combat_facts import facts_of
from extraction.llm.rules.combat_lines import Lines
from extraction.llm.rules.combat_people import People
from extraction.llm.rules.materials import Materials, Unit
from extraction.llm.rules.speakers import labels
from extraction.llm.rules.spell_casts import (
    Declared,
    Sentence,
    answered_level,
    declared,
    level_of,
    sentences,
)
from extraction.llm.rules.spell_targets import targets_in
from extraction.llm.rules.spoken_numbers import NUMBER
from extraction.llm.rules.words import ROLES

# How many units on: a casting said again, taken back, changed for another, refused, answered, resolved.
_RESTATED = 15
_TAKEN_BACK = 20
_SOON = 4
_CHANGED = 8
_RESOLVED = 7
_LOOK_BACK = 10
_MOST_FACTS = 4

_TAKES_BACK = re.compile(
    r"\b(?:take|taking|took) (?:it|that|this|the (?P<what>[\w' ]{1,24}?)) back\b|\bundo\b|\brescind\b"
    r"|\bscr(?:atch|ap) that\b"
    r"|\bstrike that\b|\b(?:i'm|i am) not (?:going to|gonna) (?:cast|do|use)\b|\bi (?:won't|will not|don't) cast\b"
    r"|\bnot doing that\b|\bchanged? my mind\b"
)
_LETS_GO = re.compile(r"\bnever ?mind\b|\bforget (?:it|that)\b|\bon second thoughts?\b")
_STOPS_SHORT = re.compile(
    r"\b(?:no|oh no|actually),? (?:no,? )*(?:wait|hang on|hold on|no)\b|\bwait,? no\b|\bnever ?mind\b"
)
_CHANGES = re.compile(r"\b(?:instead|actually|rather)\b")
_REFUSED = re.compile(
    r"\b(?:you can't|you cannot|you (?:wouldn't|won't|would not) be able|you're not able|out of range|too far"
    r"|not (?:with)?in range|you don't have (?:a|any|your|enough) (?:\w+[- ])?(?:slots?|reaction|action|range|line))\b"
)
_ACCEPTED = re.compile(
    r"^(?:\W|okay|oh)*(?:you (?:can|could|may)|yes|yeah|yep|sure|absolutely|of course|go ahead|go for it"
    r"|you do|certainly|i'll allow)\b(?!,? but)"
)
_ACTS = re.compile(
    r"\bi(?:'ll| will|'m going to|'m gonna)? (?:attack|shoot|stab|cast|hit|swing|run|move|charge|throw|go)\b"
)
_ROLL = re.compile(rf"^(?:a |natural )?{NUMBER}\b[^a-z]*$")
_ASKS_LEVEL = re.compile(r"\b(?:what|which) level\b")
_HEALED = re.compile(
    rf"\b(?P<n>{NUMBER}) (?:points|hit points|hp)\b(?! of damage)|\bheals?(?: \w+)?(?: for)? (?P<m>{NUMBER})\b"
)
_NOTHING = re.compile(r"\bcountered\b|\bfizzles\b|\bit just stops\b|\bno effect\b")
_HEALING = re.compile(r"Heal|Cure Wounds|Goodberry|Regenerate")
_SAYS_I = re.compile(r"\b(?:i|i'll|i'm)\b")
_WISHES = re.compile(r"\bwant(?:s|ed)?\b|\bwish\b")
_DICE = re.compile(r"^natural |to hit$")
_PRONOUN = re.compile(
    r"\b(?:he|she|they|it)(?:'s| is| then| now| just| immediately| quickly| also)?(?: \w+ing)?(?: to)?\s*$"
)
_NOUN = re.compile(r"\b[Tt]he (?P<noun>(?:[\w'-]+ ){0,2}?(?P<head>[\w'-]+))(?: \w+ly)?\s*$")


@dataclass(slots=True)
class _Cast:
    """A casting that may yet be taken back; `at` is its unit, `number` its sentence."""

    caster: str
    declared: Declared
    number: int
    targets: list[str] = field(default_factory=list)
    level: int | None = None
    facts: list[str] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)

    @property
    def at(self) -> int:
        return self.declared.sentence.line.position


def extract_spells(materials: Materials) -> JsonValue:
    """Return `{"spells": [...]}` for the units of the transcript, in their order."""
    before, after = given.context_sides(materials)
    cited = given.transcript(materials)
    every = (*before, *cited, *after)
    people = People(materials, every)
    castings = _Castings(every, Lines(before, (*cited, *after), people), people)
    own = range(len(before), len(before) + len(cited))
    return {"spells": [_record(cast, every, own) for cast in castings.standing() if cast.at in own]}


def _record(cast: _Cast, every: Sequence[Unit], own: range) -> JsonValue:
    return {
        "caster": cast.caster,
        "spell": cast.declared.spell,
        "level": cast.level,
        "targets": list(cast.targets),
        "outcome": ", ".join(cast.facts) or None,
        "source_refs": cite({at: strength for at, strength in cast.places.items() if at in own}, every),
    }


class _Castings:
    """Reads the sentences once for declarations, and for each one the units around it."""

    def __init__(self, units: Sequence[Unit], lines: Lines, people: People) -> None:
        self._units, self._people = units, people
        self._said = sentences(lines.lines)
        self._first: dict[int, int] = {}
        for number, sentence in enumerate(self._said):
            self._first.setdefault(sentence.line.position, number)

    def standing(self) -> list[_Cast]:
        """Return the castings that nobody took back or refused, with what came of them."""
        found = list(self._declared())
        kept: list[_Cast] = []
        for number, cast in enumerate(found):
            later = found[number + 1 :]
            if self._is_restated(cast, kept) or self._falls(cast, later):
                continue
            kept.append(cast)
        for number, cast in enumerate(kept):
            self._complete(cast, kept[number + 1] if number + 1 < len(kept) else None)
        return kept

    def _declared(self) -> Iterator[_Cast]:
        for number, sentence in enumerate(self._said):
            for one in declared(sentence):
                if not one.form and not self._is_in_place(one):
                    continue
                caster = self._caster(one, number)
                if caster is not None and (not one.asked or self._is_accepted(sentence)):
                    yield _Cast(caster, one, number)

    def _is_in_place(self, one: Declared) -> bool:
        """Return whether a bare name stands where a player declares: after words of one's own, or after the GM."""
        line = one.sentence.line
        if _WISHES.search(one.before.lower()):
            return False
        after_words = not line.first or _SAYS_I.search(one.before.lower()) is not None
        return after_words or line.position == 0 or self._people.is_gm(self._units[line.position - 1].speaker)

    def _caster(self, one: Declared, number: int) -> str | None:
        line = one.sentence.line
        known = self._people.named_in(one.before)
        third = one.form in {"casts", "casting"}
        if not line.gm:
            if one.form == "casts":
                return known[-1].name if known else None
            return line.character or self._label(line.position)
        if not third and not re.search(r"\b(?:to|will|'ll) cast", one.before.lower()):
            return None
        if re.search(r"\byou\b|\bi\b", one.before.lower()):
            return None
        if known:
            return known[-1].name
        head = re.sub(r"(?:begins?|starts?|is|goes|going)? ?(?:to |and )?(?:re)?cast(?:s|ing)?.*$", "", one.before)
        if (noun := _NOUN.search(head)) is not None:
            return f"the {noun['noun']}" if noun["head"].lower() in ROLES else None
        return self._last_named(number) if _PRONOUN.search(head.lower()) else None

    def _label(self, position: int) -> str | None:
        """Return the speaker's own label where no roster says whom the speaker plays."""
        speaker = self._units[position].speaker
        return speaker if speaker and len(labels(speaker)) == 1 else None

    def _last_named(self, number: int) -> str | None:
        """Return whom the GM named last who is nobody's character."""
        here = self._said[number].line.position
        for sentence in reversed(self._said[max(0, number - 60) : number]):
            if here - sentence.line.position > _LOOK_BACK:
                return None
            others = [one.name for one in self._people.named_in(sentence.text) if not one.is_character]
            if others:
                return others[-1]
        return None

    def _is_accepted(self, asked: Sentence) -> bool:
        for sentence in self._after(asked.line.position, 2):
            if sentence.line.gm:
                return _ACCEPTED.search(sentence.low) is not None
        return False

    def _is_restated(self, cast: _Cast, kept: Sequence[_Cast]) -> bool:
        return any(
            one.caster == cast.caster and one.declared.spell == cast.declared.spell and cast.at - one.at <= _RESTATED
            for one in reversed(kept[-6:])
        )

    def _falls(self, cast: _Cast, later: Sequence[_Cast]) -> bool:
        """Return whether the casting is taken back, changed for another one, or refused."""
        speaker = self._units[cast.at].speaker
        others = {
            one.at for one in later[:6] if one.caster == cast.caster and one.declared.spell != cast.declared.spell
        }
        again = {
            one.number for one in later[:6] if one.caster == cast.caster and one.declared.spell == cast.declared.spell
        }
        stopped = False
        for number in range(cast.number + 1, len(self._said)):
            sentence = self._said[number]
            distance = sentence.line.position - cast.at
            if distance > _TAKEN_BACK:
                break
            if stopped and number in again:
                return False
            if sentence.line.gm and not self._people.is_gm(speaker):
                if distance <= _SOON and _REFUSED.search(sentence.low):
                    return True
                continue
            if self._units[sentence.line.position].speaker != speaker:
                continue
            if distance == 0 and _STOPS_SHORT.search(sentence.low):
                stopped = True
            if self._takes_back(sentence, cast, distance):
                return True
            if distance <= _CHANGED and sentence.line.position in others and _CHANGES.search(sentence.low):
                return True
        return stopped

    def _takes_back(self, sentence: Sentence, cast: _Cast, distance: int) -> bool:
        spell = cast.declared.spell
        if re.search(rf"\bno {re.escape(spell.lower())}\b", sentence.low):
            return True
        if distance <= _SOON and _LETS_GO.search(sentence.low):
            return True
        match = _TAKES_BACK.search(sentence.low)
        return match is not None and (
            match["what"] is None or match["what"] in spell.lower() or "spell" in match["what"]
        )

    def _complete(self, cast: _Cast, following: _Cast | None) -> None:
        """Fill in level, targets and outcome, and cite every unit that one of them comes from."""
        cast.places[cast.at] = 10
        beside = {
            side: self._said[cast.number + side]
            for side in (-1, 1)
            if 0 <= cast.number + side < len(self._said) and self._said[cast.number + side].line.position == cast.at
        }
        cast.level = level_of(cast.declared, beside)
        after = beside[1].text if 1 in beside else ""
        cast.targets = targets_in(cast.declared.after, after, cast.caster, self._people)
        if cast.level is None:
            self._answered(cast)
        self._resolve(cast, following)

    def _answered(self, cast: _Cast) -> None:
        asked: int | None = None
        for sentence in self._after(cast.at, _SOON):
            here = sentence.line.position
            if asked is None and _ASKS_LEVEL.search(sentence.low):
                asked = here
            elif asked is not None and self._units[here].speaker == self._units[cast.at].speaker:
                cast.level = answered_level(sentence.low)
                if cast.level is not None:
                    cast.places |= {asked: 5, here: 5}
                return

    def _resolve(self, cast: _Cast, following: _Cast | None) -> None:
        by_gm = self._said[cast.number].line.gm
        heals = _HEALING.search(cast.declared.spell) is not None
        counters = cast.declared.spell == "Counterspell"
        speaker = self._units[cast.at].speaker
        previous = self._said[cast.number]
        for number in range(cast.number + 1, len(self._said)):
            sentence = self._said[number]
            here = sentence.line.position
            ended = here - cast.at > _RESOLVED or (following is not None and number >= following.number)
            if ended or (here > cast.at and self._turns_away(sentence, speaker)):
                break
            if sentence.line.gm or self._units[here].speaker == speaker:
                new = [
                    fact
                    for fact in self._facts(sentence, previous, by_gm=by_gm, heals=heals, counters=counters)
                    if fact not in cast.facts
                ]
                room = _MOST_FACTS - len(cast.facts)
                if new[:room]:
                    cast.facts += new[:room]
                    cast.places.setdefault(here, 5)
            previous = sentence

    def _facts(self, sentence: Sentence, previous: Sentence, *, by_gm: bool, heals: bool, counters: bool) -> list[str]:
        rolled = facts_of(sentence.line, previous.line, played=not by_gm) if not counters else []
        facts = [fact for fact in rolled if not _DICE.search(fact)]
        if heals and not facts:
            facts += [f"{match['n'] or match['m']} points healed" for match in _HEALED.finditer(sentence.low)]
        if (nothing := _NOTHING.search(sentence.low)) is not None:
            facts.append(nothing.group())
        return facts

    def _turns_away(self, sentence: Sentence, speaker: str | None) -> bool:
        """Return whether somebody else begins to act."""
        line = sentence.line
        if not line.gm and self._units[line.position].speaker != speaker:
            rolls = line.character is not None and not line.asks and _ROLL.search(sentence.low) is not None
            return rolls or _ACTS.search(sentence.low) is not None
        cue = cue_in(line, self._people, fighting=True)
        return cue is not None and cue.kind in (CueKind.TURN, CueKind.END)

    def _after(self, position: int, units: int) -> Iterator[Sentence]:
        """Yield the sentences of the next few units."""
        start = next((self._first[at] for at in range(position + 1, position + units + 1) if at in self._first), None)
        for sentence in self._said[start:] if start is not None else ():
            if sentence.line.position > position + units:
                return
            yield sentence
