"""The names of the spells, and which of them are everyday words too.

This work includes material taken from the System Reference Document 5.1 ("SRD 5.1") by Wizards of the Coast LLC,
available at https://dnd.wizards.com/resources/systems-reference-document and licensed under the Creative Commons
Attribution 4.0 International License (https://creativecommons.org/licenses/by/4.0/legalcode). The list is complete
for that document; which names count as everyday words, and all cues, are our own selection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


_NAMES = """
Acid Arrow, Acid Splash, Aid, Alarm, Alter Self, Animal Friendship, Animal Messenger, Animal Shapes, Animate Dead,
Animate Objects, Antilife Shell, Antimagic Field, Antipathy/Sympathy, Arcane Eye, Arcane Hand, Arcane Lock,
Arcane Sword, Arcanist's Magic Aura, Astral Projection, Augury, Awaken,
Bane, Banishment, Barkskin, Beacon of Hope, Bestow Curse, Black Tentacles, Blade Barrier, Bless, Blight,
Blindness/Deafness, Blink, Blur, Branding Smite, Burning Hands,
Call Lightning, Calm Emotions, Chain Lightning, Charm Person, Chill Touch, Circle of Death, Clairvoyance, Clone,
Cloudkill, Color Spray, Command, Commune, Commune with Nature, Comprehend Languages, Compulsion, Cone of Cold,
Confusion, Conjure Animals, Conjure Celestial, Conjure Elemental, Conjure Fey, Conjure Minor Elementals,
Conjure Woodland Beings, Contact Other Plane, Contagion, Contingency, Continual Flame, Control Water,
Control Weather, Counterspell, Create Food and Water, Create or Destroy Water, Create Undead, Creation, Cure Wounds,
Dancing Lights, Darkness, Darkvision, Daylight, Death Ward, Delayed Blast Fireball, Demiplane, Detect Evil and Good,
Detect Magic, Detect Poison and Disease, Detect Thoughts, Dimension Door, Disguise Self, Disintegrate,
Dispel Evil and Good, Dispel Magic, Divination, Divine Favor, Divine Word, Dominate Beast, Dominate Monster,
Dominate Person, Dream, Druidcraft,
Earthquake, Eldritch Blast, Enhance Ability, Enlarge/Reduce, Entangle, Enthrall, Etherealness, Expeditious Retreat,
Eyebite,
Fabricate, Faerie Fire, Faithful Hound, False Life, Fear, Feather Fall, Feeblemind, Find Familiar, Find Steed,
Find the Path, Find Traps, Finger of Death, Fireball, Fire Bolt, Fire Shield, Fire Storm, Flame Blade, Flame Strike,
Flaming Sphere, Flesh to Stone, Floating Disk, Fly, Fog Cloud, Forbiddance, Forcecage, Foresight,
Freedom of Movement, Freezing Sphere,
Gaseous Form, Gate, Geas, Gentle Repose, Giant Insect, Glibness, Globe of Invulnerability, Glyph of Warding,
Goodberry, Grease, Greater Invisibility, Greater Restoration, Guardian of Faith, Guards and Wards, Guidance,
Guiding Bolt, Gust of Wind,
Hallow, Hallucinatory Terrain, Harm, Haste, Heal, Healing Word, Heat Metal, Hellish Rebuke, Heroes' Feast, Heroism,
Hideous Laughter, Hold Monster, Hold Person, Holy Aura, Hunter's Mark, Hypnotic Pattern,
Ice Storm, Identify, Illusory Script, Imprisonment, Incendiary Cloud, Inflict Wounds, Insect Plague, Instant Summons,
Invisibility, Irresistible Dance,
Jump, Knock,
Legend Lore, Lesser Restoration, Levitate, Light, Lightning Bolt, Locate Animals or Plants, Locate Creature,
Locate Object, Longstrider,
Mage Armor, Mage Hand, Magic Circle, Magic Jar, Magic Missile, Magic Mouth, Magic Weapon, Magnificent Mansion,
Major Image, Mass Cure Wounds, Mass Heal, Mass Healing Word, Mass Suggestion, Maze, Meld into Stone, Mending, Message,
Meteor Swarm, Mind Blank, Minor Illusion, Mirage Arcane, Mirror Image, Mislead, Misty Step, Modify Memory, Moonbeam,
Move Earth,
Nondetection,
Passwall, Pass without Trace, Phantasmal Killer, Phantom Steed, Planar Ally, Planar Binding, Plane Shift,
Plant Growth, Poison Spray, Polymorph, Power Word Kill, Power Word Stun, Prayer of Healing, Prestidigitation,
Prismatic Spray, Prismatic Wall, Private Sanctum, Produce Flame, Programmed Illusion, Project Image,
Protection from Energy, Protection from Evil and Good, Protection from Poison, Purify Food and Drink,
Raise Dead, Ray of Enfeeblement, Ray of Frost, Regenerate, Reincarnate, Remove Curse, Resilient Sphere, Resistance,
Resurrection, Reverse Gravity, Revivify, Rope Trick,
Sacred Flame, Sanctuary, Scorching Ray, Scrying, Secret Chest, See Invisibility, Seeming, Sending, Sequester,
Shapechange, Shatter, Shield, Shield of Faith, Shillelagh, Shocking Grasp, Silence, Silent Image, Simulacrum, Sleep,
Sleet Storm, Slow, Spare the Dying, Speak with Animals, Speak with Dead, Speak with Plants, Spider Climb,
Spike Growth, Spirit Guardians, Spiritual Weapon, Stinking Cloud, Stone Shape, Stoneskin, Storm of Vengeance,
Suggestion, Sunbeam, Sunburst, Symbol,
Telekinesis, Telepathic Bond, Teleport, Teleportation Circle, Thaumaturgy, Thunderwave, Time Stop, Tiny Hut, Tongues,
Transport via Plants, Tree Stride, True Polymorph, True Resurrection, True Seeing, True Strike,
Unseen Servant,
Vampiric Touch, Vicious Mockery,
Wall of Fire, Wall of Force, Wall of Ice, Wall of Stone, Wall of Thorns, Warding Bond, Water Breathing, Water Walk,
Web, Weird, Wind Walk, Wind Wall, Wish, Word of Recall,
Zone of Truth
"""
SPELL_NAMES = tuple(" ".join(name.split()) for name in _NAMES.split(","))

# What people say at a table without a spell in mind: these are a spell only right after a word of casting.
EVERYDAY = word_set(
    """aid alarm awaken bane banishment blight blink blur clone command commune compulsion confusion contagion
    contingency creation darkness darkvision daylight divination dream earthquake enlarge reduce enthrall fabricate fear
    fly foresight gate glibness grease guidance hallow harm haste heal heroism identify imprisonment invisibility jump
    knock levitate light maze mending message mislead regenerate resistance resurrection sanctuary scrying seeming
    sending sequester shatter shield silence sleep slow suggestion symbol telekinesis teleport tongues web weird wish
    blindness deafness antipathy sympathy passwall bless"""
) | {
    "black tentacles", "find traps", "magic circle", "magic mouth", "magic weapon", "mind blank", "move earth",
    "time stop", "fire shield", "fire storm", "control water", "raise dead", "rope trick", "secret chest",
    "arcane hand", "arcane sword", "giant insect", "mass heal", "death ward", "divine word", "flame blade",
    "floating disk", "ice storm", "true seeing", "stone shape", "remove curse",
}  # fmt: skip

# Words of casting that need no "cast": "I throw a fire bolt", "I use healing word".
USES = word_set(
    """use uses using throw throws throwing launch launches shoot shoots fire fires do doing try
    send sends sending unleash unleashes release hurl hurls pop popping lob lobs blast blasts activate toss"""
)


def spoken_forms() -> Iterator[tuple[str, str]]:
    """Yield each form a spell is spoken in, in lower case, with the spell's name."""
    for name in SPELL_NAMES:
        lowered = name.lower()
        for form in (lowered, *(lowered.split("/") if "/" in lowered else ())):
            yield form.replace("/", " "), name
            if form.endswith("'"):
                yield form.rstrip("'"), name
    yield from _OTHER_SPELLINGS.items()


_OTHER_SPELLINGS: Mapping[str, str] = {
    "colour spray": "Color Spray",
    "mage armour": "Mage Armor",
    "divine favour": "Divine Favor",
    "firebolt": "Fire Bolt",
    "fire ball": "Fireball",
    "counter spell": "Counterspell",
    "counterspells": "Counterspell",
    "pass without a trace": "Pass without Trace",
    "magic missiles": "Magic Missile",
    "scorching rays": "Scorching Ray",
    "thunder wave": "Thunderwave",
    "moon beam": "Moonbeam",
    "sun beam": "Sunbeam",
    "heroes feast": "Heroes' Feast",
    "hunters mark": "Hunter's Mark",
    "power word: kill": "Power Word Kill",
    "power word: stun": "Power Word Stun",
}
