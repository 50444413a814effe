"""Words about things: general English, and magic items of SRD 5.1.

The effects and the names of magic items are taken from the System Reference Document 5.1 ("SRD 5.1") by Wizards of
the Coast LLC, licensed under the Creative Commons Attribution 4.0 International License; see `words.py` for the full
notice. No list names a thing of a setting or of a published play-through.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What people carry, keep and hand over.
THINGS = _words(
    """sword blade dagger knife axe hammer mace spear bow crossbow staff rod wand ring signet amulet necklace pendant
    brooch crown circlet tiara helm helmet shield armor armour breastplate cloak robe boots gloves gauntlets bracers
    belt sash mantle scarf bag pouch sack chest box strongbox casket coffer locket mirror lantern lamp candle torch
    bell horn flute lute harp drum fiddle book tome ledger journal diary letter letters note parchment map scroll
    scrolls contract deed manuscript key keys gem gems gemstone jewel ruby emerald sapphire diamond pearl opal crystal
    orb stone shard stud coin medallion medal talisman token idol statuette figurine mask potion potions vial flask
    bottle elixir oil powder cube deck net whip quill pen compass spyglass hourglass watch skull bone tooth claw
    feather egg goblet chalice cup seal badge insignia glass telescope puzzle relic artifact trinket charm bracelet
    earring earrings anklet trident lance scepter sceptre hammer collar muzzle beads jar urn doll painting portrait"""
)
# Of these, what is one's own or part of something, or a word for many other things.
VAGUE = _words(
    """tooth bone skull claw feather stone bag sack glass watch deck bell egg horn cup bottle oil powder hammer armor
    armour belt scarf bow crossbow staff jar beads collar doll painting portrait puzzle torch candle gloves robe charm
    medal shield cube net lamp axe"""
)
# What a table goes on about without a further word: "the ledger".
KEEPSAKES = _words(
    """ledger journal diary book tome letter letters scroll contract deed manuscript key keys locket mirror lantern box
    strongbox casket coffer harp lute flute amulet necklace pendant brooch crown circlet tiara orb crystal gem jewel
    ruby emerald sapphire diamond pearl opal coin medallion talisman token idol statuette figurine mask vial goblet
    chalice compass spyglass hourglass relic artifact trinket signet dagger wand"""
)
# Before these an "of" names what it does.
MAGIC_HEADS = _words(
    """potion potions scroll scrolls elixir philter oil ring rings cloak mantle boots slippers gloves gauntlets bracers
    belt girdle helm hat cap circlet crown headband amulet necklace periapt brooch medallion talisman scarab wand staff
    rod bag horn drum pipes book tome manual deck dust cube orb sphere eyes goggles lens robe sword blade dagger mace
    hammer axe bow shield armor armour arrow broom carpet decanter bottle candle chime figurine gem stone rope mirror
    key mask"""
)
EFFECTS = _words(
    """healing greater superior supreme fire frost cold lightning giant hill stone cloud storm strength invisibility
    flying protection holding feather falling spider climbing elvenkind speed resistance regeneration teleportation
    levitation water breathing heroism growth diminution gaseous form mind reading poison clairvoyance animal friendship
    displacement warmth many things striding springing winterland intellect wishes disappearance dryness mantle
    useful items beguiling tricks dueling defense archery missile snaring attraction sharpness wounding vengeance
    swimming jumping shooting stars evasion free action x-ray vision ram djinni summoning summons spell storing turning
    elemental command paralysis polymorph binding secrets wonder magic missiles detection fear fireballs web woodlands
    thunder withering alertness absorption rulership security proof against adaptation fireball devouring beans sorcery
    stealth shielding night seeing power love slipperiness etherealness longevity vitality invulnerability clarity
    truth hold person monster"""
)
# Spells that sound like magic items.
SPELLS_LIKE_THINGS = frozenset({("shield", "of", "faith")})
# Magic items of two or three words that need no "of" and a capital.
NAMED_KINDS = frozenset(
    tuple(name.split())
    for name in (
        "immovable rod", "vorpal sword", "vorpal blade", "flame tongue", "sun blade", "holy avenger", "frost brand",
        "portable hole", "handy haversack", "dancing sword", "flying carpet", "crystal ball", "animated shield",
        "winged boots", "efreeti bottle", "spellguard shield", "luck blade", "nine lives stealer", "sending stone",
        "sending stones", "ioun stone", "elven chain", "dragon scale mail", "eversmoking bottle", "sovereign glue",
        "universal solvent", "spell scroll", "iron flask", "dwarven thrower", "folding boat", "dwarven plate",
        "berserker axe",
    )
)  # fmt: skip
GIVING = _words(
    """give gives gave given hand hands handed pass passes passed toss tosses tossed throw throws threw offer offers
    present presents presented return returns returned"""
)
FINDING = _words(
    """find finds found discover discovered uncover uncovers unearth retrieve retrieves retrieved recover recovered pull
    pulls pulled produce produces produced reveal reveals draw draws drew pick picks picked pocket pockets grab grabs
    grabbed steal steals stole loot looted identify examine inspect attune attuned unwrap unwraps keep kept got get
    holds held holding carries carrying wears wearing see notice take takes took"""
)
DENYING = _words("not no never need needs want wants without")
DEFINITE = _words("the that this")
ARTICLES = DEFINITE | _words("a an one two three")
CALLED = frozenset({"called", "named"})
# A thing of no account, whatever stands before its kind.
PLAIN = _words(
    """short long great heavy light war battle two-handed one-handed same other last next own small big large huge tiny
    old new nice good bad whole entire single simple basic normal regular random extra spare right left wrong first
    second third front back top bottom natural fucking damn goddamn cool awesome dead different certain particular
    original real fake actual only few free magic magical cross wooden metal pretty very full empty open closed closest
    nearest throwing rolling drinking"""
)
# The players' own things.
TABLE_THINGS = _words(
    """phone computer laptop screen camera microphone battery dice die d20 sheet character mini miniature minis
    battlemap spotlight coffee beer pizza wine soda water snack app page comic card credit birthday christmas video
    game board movie"""
)
