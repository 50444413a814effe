"""Words of a fight: what is declared, what breaks into a turn, what came of it.

Origin: own selection of general English words. Names of conditions, damage types, abilities and features are facts of
the System Reference Document 5.1 by Wizards of the Coast LLC (Creative Commons Attribution 4.0, see `words.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from extraction.llm.rules.verbs import participle, third_person


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BY_CATEGORY: Mapping[str, str] = {
    "attack": """attack shoot fire stab slash hit swing strike punch kick smash bash slice cut throw hurl smite cleave
        bite claw grapple shove tackle lunge jab shank loose headbutt whip hack slam pummel blast snipe choke throttle
        skewer impale charge smack whack clobber""",
    "spell": """cast counterspell bless heal hex conjure summon polymorph banish blind silence charm stun paralyze
        dispel""",
    "movement": """move run walk step dash disengage fly climb jump leap retreat back dart rush swim crawl duck sprint
        head float teleport flee circle advance shift land roll slip skid descend ascend dive hop book""",
    "item": "drink quaff draw grab pull light pour drop pick load reload equip unsheathe sheathe snatch catch",
    "ability_check": "hide sneak search intimidate persuade investigate",
    "condition": "rage stand",
    "other": "ready hold dodge help inspire wait delay concentrate command surrender attune yield",
}
CATEGORY: Mapping[str, str] = {verb: category for category, verbs in _BY_CATEGORY.items() for verb in verbs.split()}
THIRD_PERSON: Mapping[str, str] = {third_person(verb): category for verb, category in CATEGORY.items()}
PARTICIPLE: Mapping[str, str] = {participle(verb): category for verb, category in CATEGORY.items()}

# "I use", "I take": what is done is said by the words after them.
CARRIERS = frozenset({"use", "take", "make", "get", "go", "come", "put", "do", "try", "uses", "takes", "makes", "goes"})

ABILITIES = "strength|dexterity|constitution|intelligence|wisdom|charisma|str|dex|con|int|wis|cha"
SKILLS = (
    "acrobatics|arcana|athletics|deception|history|insight|intimidation|investigation|medicine|nature|perception"
    "|performance|persuasion|religion|sleight of hand|stealth|survival"
)
DAMAGE_TYPES = "acid|bludgeoning|cold|fire|force|lightning|necrotic|piercing|poison|psychic|radiant|slashing|thunder"
CONDITIONS = (
    "blinded|charmed|deafened|frightened|grappled|incapacitated|paralyzed|paralysed|petrified|poisoned|prone"
    "|restrained|stunned|unconscious"
)

AUXILIARIES = word_set(
    """am 'm 'll 'd will would like love to going gonna want wanted wanna try trying just then also still now can
    could start begin begins starting immediately first again instead too basically actually probably gotta"""
)
ATTACK_NOUNS = word_set(
    "attack attacks shot shots swing swings slash slashes strike strikes stab stabs hit hits slice slices"
)
NEGATIONS = word_set(
    """can't cannot don't didn't won't wouldn't couldn't not never if whether isn't unless hypothetically should
    shouldn't was were"""
)

AGREEMENT = re.compile(
    r"^(?:(?:oh|okay|well|all right|so)[, ]+)*(?:yes|yeah|yep|yup|sure|you can|you may|you could|okay"
    r"|all right|go ahead"
    r"|go for it|of course|absolutely|correct|i'll allow|i'd say|definitely|totally|make|roll|you know what, make)\b"
)
REFUSAL = re.compile(
    r"\b(?:you can't|you cannot|you wouldn't be able|not able to|out of (?:your )?range|outside of your range|too far"
    r"|you don't have|(?:isn't|not) enough (?:movement|time)|not your (?:go|turn)|have to get within range)\b"
)
RETRACTION = re.compile(
    r"\b(?:take (?:that|it|the \w+) back|scratch that|never ?mind|forget (?:that|it)|undo|no,? wait|wait,? no"
    r"|no,? hang on|hang on,? wait|change my mind|rather not|instead|on second thought)\b|^actually\b|^wait\b"
    r"|^no[,.]? actually\b"
)
