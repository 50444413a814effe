"""Words for enemies and what befalls them.

Origin: own selection of general English words. The names of conditions and of kinds of creatures are facts of the
System Reference Document 5.1 by Wizards of the Coast LLC (Creative Commons Attribution 4.0, see `words.py`).
"""

from __future__ import annotations

import re

from extraction.llm.rules.combat_words import CONDITIONS
from extraction.llm.rules.spell_words import word_set
from extraction.llm.rules.spoken_numbers import NUMBER
from extraction.llm.rules.words import ROLES

_KINDS = """
    aboleth angel ankheg ape archer assassin awakened badger bandit banshee basilisk bat bear beast beetle behir
    berserker boar brute bugbear bulette centaur champion chimera chuul cloaker cockatrice construct couatl crab
    creature crocodile crossbowman cultist cube darkmantle demon devil djinni dog doppelganger dragon dragonling
    drake drider dryad duergar eagle efreeti elemental elk ettercap ettin figure fiend fighter frog fungus
    gargoyle ghast ghost ghoul giant gladiator gnoll goat goblin golem gorgon griffon grimlock guardian hag
    harpy hawk hellhound hippogriff hobgoblin homunculus horse horror hound hyena hydra imp insect jackal kobold
    kraken lamia leopard lich lion lizard lizardfolk lycanthrope mage manticore marauder mastiff medusa mephit
    merfolk merrow mimic minion minotaur monster mummy naga nightmare ogre ooze orc otyugh owl owlbear panther
    phoenix pirate pudding rakshasa raptor rat raider remorhaz roc roper sahuagin salamander satyr scorpion
    serpent shadow shambler shark skeleton slime snake specter spectre sphinx spider spirit sprite statue stirge
    swarm swordsman tarrasque thief thing thrall thug tiger toad treant troll undead unicorn vampire vulture
    warg warhorse warrior weasel werebear werewolf wight wolf worg worm wraith wyrm wyvern zombie double
"""
MONSTERS = frozenset(_KINDS.split()) - {
    "awakened",
    "champion",
    "double",
    "eye",
    "figure",
    "thing",
    "minion",
    "statue",
    "shadow",
}
"""Nouns that, in a fight, hardly mean anybody but an enemy."""
_NOUNS = {word for word in (*_KINDS.split(), *ROLES) if word.isalpha()}
_IRREGULAR = {"wolf": "wolves", "thief": "thieves", "man": "men", "woman": "women", "child": "children"}
CREATURES = frozenset(_NOUNS | {noun + "s" for noun in _NOUNS} | set(_IRREGULAR.values()))
"""Nouns that may stand for an enemy in a fight."""

# Other words for an enemy that has a name or a kind.
GENERAL = word_set("creature beast monster brute horror thing figure fiend guardian champion fighter warrior undead")

# "The first one", "the big one": an enemy only while one is being fought.
ONES = frozenset({"one", "ones"})
COUNTING = word_set("first second third fourth last next other only same single right left wrong")

ATTACKS = word_set(
    """attack shoot stab slash hit swing strike punch kick smash bash slice cut cleave bite claw grapple shove tackle
    lunge fire hurl smite loose"""
)
# What is hit in a fight and is no enemy.
THINGS = word_set(
    """door doors wall walls window floor ground table rope chain web net lock ceiling tree rock stone chest box gate
    barrel cart wagon boat bridge lantern torch lamp shield sword way roll dice save turn deck road button brakes
    head face leg legs arm arms back knee side neck eye eyes nail bottle mirror glass same first next rest end top
    bottom other arrow arrows bolt bolts bullet bow crossbow gun"""
)
STRIKING_SPELLS = word_set("bolt ray rays missile missiles blast fireball flame smite lightning thunderwave eldritch")
ATTACKS_YOU = re.compile(
    r"\b(?:attacks?|shoots?|stabs?|slash(?:es)?|swings?|strikes?|bites?|claws?|lunges?|charges?|slams?|goes for"
    r"|comes at|goes straight for|goes at|rushes|swipes?|fires?|hurls?|pounces?|snaps?)\b"
)

DEFEATED = re.compile(
    r"\b(?:dies|drops dead|(?:falls|goes) (?:dead|unconscious|lifeless|limp|to the ground|over dead)|goes down"
    r"|collapses|crumples|comes apart|folds up|crumbles|perishes|expires)\b"
    r"|(?:\b(?:is|are)|'s|'re) (?:now |very |also |quite |definitely )?(?:dead|destroyed|killed|slain|dying|unconscious"
    r"|down|slag|no more)\b"
    r"|\bout cold\b"
)
FLEES = re.compile(
    r"\b(?:flees?|escapes?|runs? (?:away|off)|takes? off running|turns? (?:and|to) (?:run|runs|flee|flees)|retreats?"
    r"|bolts(?! of)|gets? away|runs)[.!,]|\b(?:flees|fleeing|escapes|running away|runs away|runs off|retreats)\b"
    r"|(?:\bis|\bare|'s|'re) (?:running|fleeing|escaping|retreating)\b"
)
SURRENDERS = re.compile(
    r"\b(?:surrenders?|yields|gives (?:up|in)|begs? for (?:mercy|\w+ life)|(?:throws?|lays?) down (?:his|her|their|its)"
    r" (?:weapons?|swords?|axes?|bows?|knife|knives|spears?|blades?|arms))\b"
)
SAYS_SURRENDER = re.compile(
    r"""["'\u201c][^"\u201d]{0,120}?\bi(?:'m)? (?:surrender(?:ing)?|yield|give up)\b""", re.IGNORECASE
)
UNSAID = re.compile(r"\bno,? (?:he|she|they|it) (?:doesn't|does not|don't)\b", re.IGNORECASE)
HEALS = re.compile(rf"\b(?:heals|regenerates|regains|recovers)\b(?=[^.!?]*\b(?:hit points|health|wounds|{NUMBER})\b)")
CONDITION = re.compile(
    rf"(?:\b(?:is|are)|'s|'re) (?:now |also |immediately |currently |completely |still )*(?P<state>{CONDITIONS})\b"
    r"|\b(?:falls|goes|is knocked) (?P<fallen>prone|asleep)\b"
)
# A sentence about a thing or a place: a pronoun after it need not mean the enemy spoken of before.
OTHER_SUBJECT = re.compile(r"(?:and |so |but |now )*(?:the|a|an|there's|your) ")
ROLL = re.compile(rf"\b{NUMBER}\b")
FINISHED = re.compile(r"\bhow (?:do|would) you (?:want|like) to do this\b")
# Where one of these stands in the sentence, nothing of it took place.
NOT_SO = re.compile(
    r"\b(?:if|unless|not|isn't|aren't|doesn't|don't|didn't|never|no|almost|nearly|would|could|might|may|can|can't"
    r"|about to|looks like|seems?|as though|as if|until|before|when|whether|or|want|wants|try|tries|trying|going to"
    r"|probably|last|remember|was|were|had|will)\b"
)
