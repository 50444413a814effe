"""Verbs of having and handing over: what happens to a thing where one of them is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from extraction.llm.rules.verbs import participle, past, third_person

_ACTIVE = {
    "acquired": "take find grab get buy steal pocket loot collect receive claim pick win accept catch",
    "transferred": "give hand pass return lend offer throw toss chuck sell slide",
    "used": "use drink wear wield swing open read light blow ring draw raise play activate put wave",
    "lost": "lose drop leave",
    "destroyed": "destroy break smash shatter burn snap crush melt tear",
    "identified": "identify appraise recognise recognize",
}
# Of the thing itself: "the lamp falls", "the lamp breaks".
_PASSIVE = {
    "lost": "fall sink vanish disappear slip",
    "destroyed": "break shatter crumble burn dissolve melt explode snap",
}
_OWN_PAST = {
    "take": "took taken", "find": "found", "get": "got", "buy": "bought", "steal": "stole stolen", "pick": "picked",
    "win": "won", "catch": "caught", "give": "gave given", "lend": "lent", "throw": "threw thrown", "sell": "sold",
    "slide": "slid", "drink": "drank drunk", "wear": "wore worn", "swing": "swung", "light": "lit", "blow": "blew",
    "ring": "rang", "draw": "drew drawn", "put": "put", "read": "read", "lose": "lost", "leave": "left",
    "break": "broke broken", "tear": "tore torn", "fall": "fell fallen", "sink": "sank sunk", "burn": "burnt burned",
}  # fmt: skip


def _forms(kinds: Mapping[str, str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for kind, verbs in kinds.items():
        for verb in verbs.split():
            pasts = _OWN_PAST.get(verb, past(verb)).split()
            for form in (verb, third_person(verb), participle(verb), *pasts):
                found.setdefault(form, kind)
    return MappingProxyType(found)


ACTIVE = _forms(_ACTIVE)
"""Form of a verb to what it makes of the thing that is its object."""
PASSIVE = _forms(_PASSIVE)
"""Form of a verb to what it makes of the thing that is its subject."""
PAST = frozenset(
    form
    for kinds in (_ACTIVE, _PASSIVE)
    for verbs in kinds.values()
    for verb in verbs.split()
    for form in _OWN_PAST.get(verb, past(verb)).split()
    if form != verb
)
"""Forms by which a player tells what was, rather than says what happens."""
# These make something of a thing only with their particle: "pick up", "put on", "leave behind".
_PARTICLES = {"pick": "up", "put": "on", "leave": "behind"}
NEEDS_PARTICLE: Mapping[str, str] = MappingProxyType(
    {
        form: particle
        for verb, particle in _PARTICLES.items()
        for form in (verb, third_person(verb), participle(verb), *_OWN_PAST[verb].split())
    }
)
"""Form of a verb to the word it needs beside it."""
