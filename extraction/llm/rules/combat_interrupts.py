"""What breaks into somebody's turn: reactions, held actions, legendary and lair actions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extraction.llm.rules.combat_lines import Line
from extraction.llm.rules.combat_people import People


@dataclass(frozen=True, slots=True)
class Interrupt:
    """`actor` is None where it is for the course of the fight to say: who spoke last, or who was named last."""

    kind: str
    actor: str | None
    by_player: bool


_PLAYER_REACTION = re.compile(
    r"\buncanny dodge\b|^(?:yeah,? |okay,? |no,? )?(?:i )?counterspell\b|\bcast counterspell\b|\bhellish rebuke\b"
    r"|\b(?:opportunity attack|attack of opportunity)\b|\b(?:as|for|with) (?:a|my) reaction\b"
    r"|\buse my reaction\b|^reaction\b"
    r"|\bmy reaction to\b|\bcutting words\b|\bi (?:cast|use) (?:the )?shield\b|\briposte\b"
    r"|\b(?:my|the) (?:held|readied) action\b|\b(?:that|my) (?:held |readied )?turn now\b"
)
_NOT_NOW = re.compile(
    r"\b(?:used|spent|burned|already|don't|do not|doesn't|does|did|no|not|can't|won't|without|avoid|provok\w+"
    r"|would \w+ get"
    r"|could|if|lost|gave|had|was|any|next)\b"
)
_GRANTED = re.compile(
    r"\bas your reaction\b|\buse your reaction\b|\byou held your (?:action|turn|attack)\b"
    r"|\bmake an? (?:opportunity attack|attack of opportunity)\b"
)
_LEGENDARY = re.compile(r"\blegendary actions?\b")
_RESISTANCE = re.compile(r"\blegendary resistances?\b")
_DOES = re.compile(r"\b(?:uses?|using|takes?|taking|spends?|spending|going to|gonna)\b")
_NPC_REACTION = re.compile(
    r"\b(?:opportunity attack|attack of opportunity)\b|\b(?:his|her|its|their) reaction\b|\bas a reaction\b"
    r"|\bcasts? (?:shield|counterspell)\b|\b(?:her|his|its) opportunity\b"
)
_IN_GENERAL = re.compile(r"\b(?:when|whenever|any|if|you can use your reaction to|each|every)\b")
_NO_REACTION = re.compile(
    r"\b(?:doesn't|don't|didn't|no|not|back|used|already|can't|would|could|if|avoid|until|normally|only|each"
    r"|per|once)\b"
)
_THIRD = re.compile(r"\b(?:he|she|it|they)(?:'s|'re|'ll)?\b|\bgoing to\b")
_LAIR = re.compile(
    r"\blair actions?\b|^(?:and |so |now |then )*(?:it's )?the lair\b|^lair[.!]*$|\blair's (?:last "
    r"|next )?(?:action|turn)\b|\binitiative (?:count )?(?:of )?(?:20|twenty)\b"
)
_LAIR_TALK = re.compile(r"\b(?:don't worry|no lair|can|could|have|has|would)\b")


def interrupt_in(line: Line, people: People, acting: str | None) -> Interrupt | None:
    """Return what the sentence breaks in with while `acting` has the turn, None where it does not."""
    if line.gm:
        return _by_gm(line, people, acting)
    if line.character is None or line.character == acting or line.asks:
        return None
    found = _PLAYER_REACTION.search(line.low)
    if found is None or _NOT_NOW.search(line.low[: found.end()]):
        return None
    return Interrupt("reaction", line.character, by_player=True)


def non_player_in(line: Line, people: People) -> str | None:
    """Return the first known non-player the sentence names, else a role such as "the Warden"."""
    known = next((known.name for known in line.named if not known.is_character), None)
    return known or people.role_in(line.text)


def is_lair(line: Line) -> bool:
    return line.gm and _LAIR.search(line.low) is not None and _LAIR_TALK.search(line.low) is None and not line.asks


def _by_gm(line: Line, people: People, acting: str | None) -> Interrupt | None:
    low = line.low
    if line.asks:
        return None
    npc = non_player_in(line, people)
    if _LEGENDARY.search(low) and _DOES.search(low):
        return Interrupt("legendary_action", npc, by_player=False)
    if _RESISTANCE.search(low) and _DOES.search(low):
        return Interrupt("other", npc, by_player=False)
    if _GRANTED.search(low) and not _IN_GENERAL.search(low):
        return Interrupt("reaction", None, by_player=True)
    found = _NPC_REACTION.search(low)
    if found is not None and not _NO_REACTION.search(low[: found.end()]) and (npc or _THIRD.search(low)):
        return None if npc is not None and npc == acting else Interrupt("reaction", npc, by_player=False)
    return None
