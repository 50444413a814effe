"""Third-person and past forms of the verbs that tell people from things."""

from __future__ import annotations

from collections.abc import Iterable

from extraction.llm.rules.words import ACTION_VERBS, IRREGULAR_PAST, SPEECH_VERBS, WEAK_ACTIONS

_STRESSED_EARLY = frozenset({"whisper", "answer", "murmur", "enter", "wander", "offer", "remember", "vanish"})


def third_person(verb: str) -> str:
    if verb == "go" or verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def past(verb: str) -> str:
    if verb in IRREGULAR_PAST:
        return IRREGULAR_PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + verb[-1] * _doubles(verb) + "ed"


def participle(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe")):
        return verb[:-1] + "ing"
    return verb + verb[-1] * _doubles(verb) + "ing"


def _doubles(verb: str) -> bool:
    """Whether the last consonant is doubled before an ending: "grab", "grabbed"."""
    closed = len(verb) > 2 and verb[-1] in "bdgmnprt" and verb[-2] in "aiou" and verb[-3] not in "aeiou"
    return (closed or verb in {"get", "set", "let"}) and verb not in _STRESSED_EARLY


def _forms(verbs: Iterable[str]) -> frozenset[str]:
    return frozenset(form for verb in verbs for form in (third_person(verb), past(verb)))


SPEECH = _forms(SPEECH_VERBS)
STRONG_ACTIONS = _forms(ACTION_VERBS - WEAK_ACTIONS - SPEECH_VERBS)
WEAK = _forms(WEAK_ACTIONS)
PARTICIPLES = frozenset(participle(verb) for verb in ACTION_VERBS | SPEECH_VERBS)
