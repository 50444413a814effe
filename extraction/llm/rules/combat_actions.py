"""What one participant did in a stretch of a fight: declarations, whom they are aimed at, what came of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from extraction.llm.rules.combat_facts import facts_of
from extraction.llm.rules.combat_lines import Line
from extraction.llm.rules.combat_people import People
from extraction.llm.rules.combat_words import (
    ABILITIES,
    AGREEMENT,
    ATTACK_NOUNS,
    AUXILIARIES,
    CARRIERS,
    CATEGORY,
    NEGATIONS,
    PARTICIPLE,
    REFUSAL,
    RETRACTION,
    SKILLS,
    THIRD_PERSON,
    word_set,
)
from extraction.llm.rules.spell_words import EVERYDAY, spoken_forms
from extraction.llm.rules.spoken_numbers import NUMBER

_TOKEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+")
_CLAUSE_END = re.compile(
    r",? (?:because|which|but|so that|so i|so he|so she|if|since|as soon as|while|who)\b|, (?:and |i )|\.\.\.|--|:"
)
_CALLED_FOR = re.compile(
    rf"\b(?:{ABILITIES}) (?:sav(?:e|es|ing throws?)|check)\b|\b(?:{SKILLS}) check\b|\bdeath saving throw\b"
)
_FORMS = sorted((form for form, _ in spoken_forms()), key=lambda form: (-len(form), form))
_TELLING_FORMS = "|".join(re.escape(form) for form in _FORMS if form not in EVERYDAY)
_EVERYDAY_FORMS = "|".join(re.escape(form) for form in sorted(EVERYDAY))
_USED_SPELL = re.compile(rf"\b(?:use|uses|do|try) (?:my |a |the |another )?(?:{_TELLING_FORMS})\b")
_BARE_SPELL = re.compile(
    r"^(?:(?:and|then|so|okay|yeah|bonus action|a|now)[, ]+)*"
    rf"(?:(?:{_TELLING_FORMS})\b|(?:{_EVERYDAY_FORMS})(?=[,.!]| (?:on|at|for)\b))"
)
_TOLD = (
    ("attack", re.compile(r"\battacks?\b|\bswings?\b|\bstrikes?\b|\bsmash\b")),
    ("spell", re.compile(r"\bcounterspell\b|\bshield\b|\bcasts?\b|\brebuke\b")),
    ("saving_throw", re.compile(r"\bsav(?:e|es|ing)\b|\bresistances?\b|\bevasion\b|\bdodge\b")),
    ("movement", re.compile(r"\bmove(?:s|ment)?\b|\bsteps?\b|\bmoving\b")),
)
_ROLL = re.compile(rf"\b{NUMBER}\b")
_LONGEST = 110
_TELLING_WORDS = 5
_MOST_ACTIONS = 6
# How many words after a verb a second one may follow.
_REACH = 30
_WHERE = word_set(
    """up down in into out over back behind to towards toward around across through past off under closer next
    between away forward near by after right straight"""
)
_GOING = frozenset({"go", "get", "come", "goes", "make"})
_NO_OBJECTS = frozenset({"is", "what", "that", "so", "and", "it"})
_SUBJECTS = word_set("he she it they")
_SOME_VERB = re.compile(r"[a-z]{3,}s")
_NO_DEED = word_set(
    """says thinks knows wants means was has does this its yes hits looks seems gets needs fails makes misses takes"""
)


@dataclass(slots=True)
class Action:
    """`facts` are what came of it, in the order it was said. `positions` are the units that speak of it."""

    category: str
    declaration: str
    targets: list[str]
    position: int
    facts: list[str] = field(default_factory=list)
    positions: set[int] = field(default_factory=set)

    @property
    def resolution(self) -> str | None:
        return "; ".join(dict.fromkeys(self.facts)) or None


def actions_of(lines: Sequence[Line], actor: str, people: People) -> list[Action]:
    """Return what the actor did in these lines, without what was taken back or refused."""
    played = people.is_character(actor)
    actions: list[Action] = []
    asked: list[Action] = []
    said = ""
    for at, line in enumerate(lines):
        by_actor = line.character == actor if played else line.gm
        if not by_actor and not line.gm:
            continue
        if played and line.gm and asked and line.first:
            if AGREEMENT.match(line.low) and not REFUSAL.search(line.low):
                actions += asked
            asked = []
        _take_back(line, actions, by_actor=by_actor, played=played)
        if by_actor:
            said_here = list(declared(line, actor, people, played=played))
            if said_here and line.asks and played:
                asked = said_here
            elif not line.asks or not played:
                actions += said_here
                asked = [] if said_here else asked
        facts = facts_of(line, lines[at - 1] if at else None, played=played)
        if facts and not actions and played and (roll := _unsaid_attack(line, facts, said, by_actor=by_actor)):
            actions.append(Action("attack", f"attack: {_clipped(roll)}", [], line.position))
        if facts and actions:
            actions[-1].facts += facts
            actions[-1].positions.add(line.position)
            _aim(actions[-1], line, actor, people)
        said = line.text if by_actor and any(char.isalnum() for char in line.text) else said
    return _distinct(actions) or (_called_for(lines, actor) if played else _narrated(lines, actor, people))


def _unsaid_attack(line: Line, facts: Sequence[str], said: str, *, by_actor: bool) -> str | None:
    """Return the player's words that roll an attack which nobody declared, None where they do not."""
    if by_actor:
        return line.text
    answered = {"hits", "misses", "falls"} & set(facts) and _ROLL.search(said.lower())
    return said if answered else None


def _take_back(line: Line, actions: list[Action], *, by_actor: bool, played: bool) -> None:
    """Drop the last declaration where it is withdrawn, or refused by the GM, before anything came of it."""
    withdrawn = by_actor and played and RETRACTION.search(line.low)
    refused = played and line.gm and REFUSAL.search(line.low)
    if (withdrawn or refused) and actions and not actions[-1].facts and actions[-1].category != "movement":
        actions.pop()


def declared(line: Line, actor: str, people: People, *, played: bool = True) -> Iterator[Action]:
    """Yield what the sentence says that the actor does: in its player's words if `played`, else in the GM's."""
    tokens = list(_TOKEN.finditer(line.text))
    keys = [token.group().lower() for token in tokens]
    found = _player_verbs(keys, actor) if played else _narrated_verbs(keys, actor)
    starts = list(found)
    if played and not starts and tokens and _BARE_SPELL.match(line.low):
        starts = [(0, "spell")]
    for place, (at, category) in enumerate(starts):
        end = tokens[starts[place + 1][0]].start() if place + 1 < len(starts) else len(line.text)
        text = _clipped(_clause(line.text[tokens[at].start() : end]))
        action = Action(category, text, [], line.position, positions={line.position})
        _aim(action, line, actor, people, within=text)
        yield action


def _player_verbs(keys: Sequence[str], actor: str) -> Iterator[tuple[int, str]]:
    """Yield where "I" or the character does something, and of which kind it is."""
    names = {part.lower() for part in actor.split()}
    last = -1
    for at, key in enumerate(keys):
        third = key in names
        if at <= last or not (third or key in {"i", "i'm", "i'll", "i'd", "let's"}):
            continue
        verb = _after_auxiliaries(keys, at + 1)
        if verb is None or NEGATIONS & set(keys[max(0, at - 3) : verb + 1]):
            continue
        category = _category(keys, verb, third=third)
        if category is None:
            continue
        yield verb, category
        last = verb
        for more in range(verb + 2, min(len(keys), verb + _REACH)):
            joined = keys[more - 1] in {"and", "then"} or (keys[more - 1] == "to" and "going" in keys[more - 3 : more])
            if joined and (follows := CATEGORY.get(keys[more]) or (PARTICIPLE.get(keys[more]) if third else None)):
                yield more, follows
                last = more


def _after_auxiliaries(keys: Sequence[str], at: int) -> int | None:
    while at < len(keys) and (keys[at] in AUXILIARIES or keys[at].endswith("ly")):
        at += 1
    return at if at < len(keys) else None


def _category(keys: Sequence[str], at: int, *, third: bool) -> str | None:
    key = keys[at]
    known = CATEGORY.get(key) or PARTICIPLE.get(key) or (THIRD_PERSON.get(key) if third else None)
    if known and key not in CARRIERS:
        return known
    if key not in CARRIERS and known is None:
        return None
    following = keys[at + 1 : at + 9]
    if _USED_SPELL.match(" ".join(keys[at:])):
        return "spell"
    if key in _GOING and following[:1] and following[0] in _WHERE:
        return "movement"
    if key == "do" and following[:1] and following[0] in _NO_OBJECTS:
        return None
    for word in following:
        if word in ATTACK_NOUNS:
            return "attack"
        if (category := CATEGORY.get(word)) is not None and word != "back":
            return category
    if "action" in following and key in {"use", "uses", "take", "takes"}:
        return "other"
    return "item" if key in {"use", "uses"} and {"my", "the", "a", "his", "her"} & set(following) else None


def _narrated_verbs(keys: Sequence[str], actor: str) -> Iterator[tuple[int, str]]:
    """Yield where the GM says what somebody does: "she stabs", "he's going to swing", "leaping out of the smoke"."""
    names = {part.lower().removesuffix("'s") for part in actor.split()} - {"the"}
    subject = False
    for at, key in enumerate(keys):
        bare = key.removesuffix("'s")
        if bare in _SUBJECTS or bare in names or (at == 0 and key in PARTICIPLE):
            subject = True
        elif (
            key in {"you", "your", "i", "that", "this", "you're"}
            and at
            and keys[at - 1] not in {"at", "on", "to", "behind"}
        ):
            subject = subject and key in {"your", "that", "this"}
        if key in THIRD_PERSON and key != "hits":
            category: str | None = THIRD_PERSON[key]
        elif key in CATEGORY and keys[max(0, at - 2) : at][-1:] == ["to"] and "going" in keys[max(0, at - 4) : at]:
            category = CATEGORY[key]
        elif at == 0 and key in PARTICIPLE:
            category = PARTICIPLE[key]
        elif key in {"goes", "makes", "takes"} and ATTACK_NOUNS & set(keys[at + 1 : at + 6]):
            category = "attack"
        else:
            continue
        if subject and category is not None:
            yield at, category


def _aim(action: Action, line: Line, actor: str, people: People, within: str | None = None) -> None:
    """Add the known names of the text as targets, unless the action has some already."""
    if action.targets or (within is None and action.category not in {"attack", "spell"}):
        return
    for known in line.named if within is None else people.named_in(within):
        if known.name != actor and known.name not in action.targets:
            action.targets.append(known.name)


def told_as(lines: Sequence[Line], line: Line, actor: str, people: People) -> Action:
    """Return what an interruption is, where its own sentence, or the next longer one, is all that says it."""
    if len(line.text.split()) < _TELLING_WORDS:
        longer = (later for later in lines if later.gm and len(later.text.split()) >= _TELLING_WORDS)
        line = next((later for later in longer if later.position >= line.position), line)
    category = next((name for name, words in _TOLD if words.search(line.low)), "other")
    action = Action(category, _clipped(line.text), [], line.position, positions={line.position})
    action.targets = [known.name for known in line.named if known.name != actor]
    return action


def _narrated(lines: Sequence[Line], actor: str, people: People) -> list[Action]:
    """Return the first thing that the GM tells of somebody, whatever verb it has."""
    names = {part.lower() for part in actor.split()} - {"the"}
    for line in lines:
        tokens = list(_TOKEN.finditer(line.text)) if line.gm and not line.asks else []
        for subject, verb in pairwise(tokens):
            tells = subject.group().lower() in _SUBJECTS | names and _SOME_VERB.fullmatch(verb.group())
            if tells and verb.group() not in _NO_DEED:
                action = Action("other", _clipped(_clause(line.text[verb.start() :])), [], line.position)
                action.positions = {line.position}
                _aim(action, line, actor, people, within=action.declaration)
                return [action]
    return []


def _called_for(lines: Sequence[Line], actor: str) -> list[Action]:
    """Return the roll that the GM asks the actor's player for, where that is all the turn has."""
    for at, line in enumerate(lines):
        if line.gm and (found := _CALLED_FOR.search(line.low)) is not None:
            save = "sav" in found.group()
            action = Action("saving_throw" if save else "ability_check", found.group(), [], line.position)
            action.positions = {line.position}
            for later in lines[at + 1 : at + 5]:
                if later.gm or later.character == actor:
                    action.facts += facts_of(later, None, played=True)
                    action.positions.add(later.position)
            return [action]
    return []


def _distinct(actions: Sequence[Action]) -> list[Action]:
    seen: dict[tuple[str, str], Action] = {}
    for action in actions:
        first = seen.setdefault((action.category, action.declaration.lower()), action)
        if first is not action:
            first.facts += action.facts
            first.positions |= action.positions
    return list(seen.values())[:_MOST_ACTIONS]


def _clause(text: str) -> str:
    found = _CLAUSE_END.search(text.lower())
    cut = text[: found.start()] if found and found.start() > 3 else text
    return re.sub(r"[\s,]+(?:and|then|and then)$", "", cut.strip(" ,.!?;\u2014-"))


def _clipped(text: str) -> str:
    tidy = " ".join(text.split()).strip(" ,.!?;\u2014-")
    if len(tidy) <= _LONGEST:
        return tidy or text.strip()
    return tidy[:_LONGEST].rsplit(" ", 1)[0].rstrip(" ,;-") + "\u2026"
