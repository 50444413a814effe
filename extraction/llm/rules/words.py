"""Word lists for the rules provider: general English and the vocabulary of fantasy tabletop play.

Origin: own selection of general English words. The names of classes, races, abilities, skills, conditions, languages
and spells are taken from the System Reference Document 5.1 ("SRD 5.1") by Wizards of the Coast LLC, available at
https://dnd.wizards.com/resources/systems-reference-document and licensed under the Creative Commons Attribution 4.0
International License (https://creativecommons.org/licenses/by/4.0/legalcode). No list names anybody or any place of a
setting or of a published play-through.
"""

from __future__ import annotations


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


FUNCTION_WORDS = _words(
    """a an the this that these those such some any every each either neither both all another other others many much
    few several most more less least own same certain what which who whom whose when where why how whatever
    whichever whoever whenever wherever however i you he she it we they me him her us them my your his its our their
    mine yours hers ours theirs myself yourself himself herself itself ourselves yourselves themselves someone
    somebody something somewhere anyone anybody anything anywhere everyone everybody everything everywhere nobody
    nothing nowhere none one ones there here then now and or but nor so yet for if unless until till while whilst
    because since although though whereas as than whether in on at by to from of off with within without into onto
    upon over under above below between among amongst through throughout across along around about against before
    after behind beside besides beyond near toward towards during despite except per via like unlike not no never
    ever always often sometimes usually seldom again also too very quite rather really just only even still already
    almost nearly maybe perhaps probably possibly certainly definitely obviously apparently essentially basically
    actually honestly seriously literally exactly approximately technically currently recently eventually finally
    suddenly immediately quickly slowly carefully quietly together apart away up down out back forward backward
    forth once twice thrice next last first second third fourth fifth sixth otherwise instead moreover furthermore
    therefore thus hence meanwhile afterward afterwards anyway anyways somehow"""
)

VERB_FORMS = _words(
    """am is are was were be been being do does did done doing have has had having can could will would shall should
    may might must ought cannot cant dont wont isnt let lets get gets got getting go goes going gone went come comes
    coming came make makes making made take takes taking took taken give gives giving gave given see sees seeing saw
    seen look looks looking looked say says saying said tell tells telling told ask asks asking asked know knows
    knowing knew known think thinks thinking thought want wants wanting wanted need needs needing needed try tries
    trying tried use uses using used find finds finding found keep keeps keeping kept put puts putting hold holds
    holding held turn turns turning turned start starts starting started stop stops stopping stopped begin begins
    beginning began feel feels feeling felt hear hears hearing heard wait waits waiting waited watch watches
    watching watched walk walks walking walked run runs running ran move moves moving moved stand stands standing
    stood sit sits sitting sat stay stays staying stayed leave leaves leaving left call calls calling called show
    shows showing play plays playing hit hits hitting miss misses missed roll rolls rolling rolled add adds adding
    cast casts casting attack attacks attacking attacked kill kills killing killed die dies dying died dead save
    saves saving draw draws drawing drew pull pulls pulling push pushes pushing open opens opening opened close
    closes closing closed read reads reading follow follows following followed hide hides hiding hid fight fights
    fighting fought talk talks talking talked speak speaks speaking spoke remember remembers forget forgets forgot
    mean means meant thank thanks please sorry excuse pardon welcome guess suppose hope wish love loves hate believe
    bring brings bringing brought throw throws throwing threw fall falls falling fell grab grabs grabbing check
    checks checking rest rests sleep sleeps eat drink drinks drinking pick picks picking point points step steps
    stepping set sets setting pass passes passing break breaks breaking ready reach reaches reaching search
    searching spend spends bless help helps helping heal heals healing cut cuts seems seem seemed appear appears
    sounds sound smells happened happens including based depending considering assuming speaking coming knowing
    hoping judging fucking freaking leaning stepping peering glancing gazing staring crouching kneeling turning
    climbing flying riding carrying wearing touching whispering shouting laughing clapping cheering singing applause
    laughter imagine describe continue choose decide agree listen enter enters follow gather meet meets send sends"""
)

INTERJECTIONS = _words(
    """oh ah aw aww ooh oooh uh um uhm er erm hm hmm hmmm mhm mm huh eh ha hah haha hey hi hello hullo yo whoa woah wow
    yay yeah yea yep yup yes nah nope no ok okay alright right sure fine good great nice cool awesome amazing
    perfect fantastic excellent wonderful beautiful brilliant lovely sweet fair correct indeed well welcome goodbye
    bye cheers damn dammit goddamn goddammit hell shit crap fuck fucked fucker bullshit jeez gee gosh ugh ew eww
    yikes oops phew boo bam boom bang pow ouch ow god gods jesus christ lord heavens heaven lordy amen motherfucker
    bitch ass asshole bastard dude man guys guy folks people buddy bro boys girls boy girl ladies gentlemen lady sir
    madam ma'am mom mum dad mama papa mommy daddy darling dear honey sweetheart baby sweetie shithead dick natch
    voila bravo hooray hurrah shush shh psst tada absolutely totally true false bingo"""
)

# Nouns and adjectives that open sentences or stand with a capital at a table without naming anybody.
TABLE_NOUNS = _words(
    """quest puzzle machine time day night morning evening afternoon noon midnight today tomorrow yesterday tonight
    week month year hour minute moment dawn dusk sun moon star sky sea water fire air earth stone wood metal gold
    silver copper iron steel crystal blood bone bones shadow light dark darkness black white red green blue yellow
    purple grey gray brown big small little large long short high low old young new old bad best better worst worse
    easy hard hot cold warm wet dry deep full empty half whole double single great many natural total plus minus
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand point points damage
    turn round rounds action actions reaction bonus movement move speed feet foot hand hands head face eye eyes arm
    arms leg legs door doors room house home table chair bed wall walls window floor ceiling roof stairs bridge road
    path street gate tower castle city town village forest woods mountain mountains river lake island islands coast
    harbor harbour dock docks port ship boat sails captain crew guard guards soldier soldiers king queen prince
    princess war battle fight combat party group team friend friends enemy enemies monster monsters creature
    creatures beast animal dog cat horse bear wolf bird fish snake dragon dragons demon devil ghost spirit spirits
    soul souls undead zombie skeleton vampire giant giants goblin goblins orc orcs troll ogre witch wizards priest
    temple church shrine market shop store inn tavern bar beer ale wine food dinner lunch breakfast book books page
    map letter note key keys coin coins money box bag chest rope torch sword swords bow arrow arrows shield armor
    armour dagger axe hammer staff wand ring boots cloak glove gloves potion potions scroll magic spell spells slot
    level levels dice die d20 number numbers question questions answer story game games episode campaign chapter
    session recap part show break list name names word words plan idea thing things stuff way place side end top
    bottom middle front rest luck chance trap secret family mother father brother sister son daughter wife husband
    child children kid kids uncle aunt cousin grandma grandpa north south east west northern southern eastern
    western left right inside outside ahead speaker audience everybody critical natural crit nat twenty happy merry
    birthday festival feast harvest holiday news age ages number prime elder ancient holy divine sacred royal grand
    mighty common super extra special real fake true false wild free lost broken hidden golden dawn death life truth
    hope faith fate grace mercy victory justice glory honor honour"""
)

CALENDAR = _words(
    """monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december spring summer autumn winter christmas halloween easter hanukkah thanksgiving"""
)

# Game terms, abilities, skills, conditions, classes, races, languages: SRD 5.1.
GAME_TERMS = _words(
    """initiative advantage disadvantage inspiration proficiency perception insight investigation persuasion deception
    intimidation performance stealth athletics acrobatics survival arcana history nature religion medicine sleight
    strength dexterity constitution intelligence wisdom charisma str dex con int wis cha dc ac hp xp npc npcs pc pcs
    dm gm dnd d&d nat crit critical reflex fortitude blinded charmed deafened exhaustion frightened grappled
    incapacitated invisible paralyzed petrified poisoned prone restrained stunned unconscious concentration
    resistance immunity vulnerability cantrip cantrips ritual rage reckless evasion dodge dash disengage ready help
    hide sneak smite ki sorcery metamagic wildshape inspiration legendary lair barbarian bard cleric druid fighter
    monk paladin ranger rogue sorcerer warlock wizard dragonborn dwarf dwarves elf elves gnome gnomes
    halfling halflings human humans tiefling tieflings kobold kobolds bugbear
    hobgoblin lizardfolk elvish dwarvish gnomish draconic abyssal infernal celestial sylvan undercommon primordial
    giant orcish halfling dwarven elven necromancy evocation illusion enchantment divination abjuration conjuration
    transmutation acid bludgeoning cold fire force lightning necrotic piercing poison psychic radiant slashing
    thunder multiattack longsword shortsword greatsword longbow shortbow crossbow handaxe greataxe warhammer mace
    quarterstaff rapier scimitar whip javelin halberd glaive material astral ethereal feywild shadowfell underdark"""
)

# The single words SRD 5.1 spell names are made of, as far as they are not in the lists above.
SPELL_WORDS = _words(
    """alarm aid awaken bane banishment barkskin beacon befuddlement bestow blight blindness blindsight bless blur
    burning circle clairvoyance clone cloudkill command commune comprehend compulsion confusion conjure contagion
    contingency counterspell cure darkvision daylight demiplane detect disguise disintegrate dispel dominate dream
    druidcraft earthquake eldritch enhance enlarge entangle enthrall etherealness expeditious eyebite fabricate
    faerie feather feeblemind fireball firebolt fly flying foresight forcecage freedom freezing gaseous gate geas
    glibness globe glyph goodberry grease guidance guiding gust hallow hallucinatory haste heroes heroism hex
    hideous hunter's hypnotic identify imprisonment incendiary inflict insect invisibility jump knock levitate
    levitation light locate longstrider mage maelstrom mark mass maze meld mending message meteor mislead misty
    moonbeam nondetection passwall pattern phantasmal planar polymorph prestidigitation prismatic programmed
    projectile protection purify raise ray regenerate reincarnate remove restoration resurrection revivify sanctuary
    scorching scrying seeming sending sequester shapechange shatter shillelagh shocking silence silent simulacrum
    slow spare speak spike spiritual stinking stoneskin storm suggestion sunbeam sunburst symbol telekinesis
    telepathic teleport teleportation thaumaturgy thunderwave tongues transport trueseeing vicious wish wounds zone
    bolt blast missile missiles orb sphere beam wave strike hold person monster weapon touch step hands speed"""
)

NOT_NAMES = FUNCTION_WORDS | VERB_FORMS | INTERJECTIONS | TABLE_NOUNS | CALENDAR | GAME_TERMS | SPELL_WORDS

MALE_TITLES = _words(
    "lord sir king prince duke baron count earl master mister mr brother father uncle emperor abbot grandfather"
)
FEMALE_TITLES = _words(
    """lady dame queen princess duchess baroness countess mistress miss mrs ms madam madame sister mother aunt auntie
    empress abbess grandmother granny"""
)
OTHER_TITLES = _words(
    """captain commander general colonel major lieutenant sergeant corporal marshal admiral commodore doctor dr
    professor prof magister archmage headmaster headmistress judge magistrate mayor governor chancellor minister
    senator chief chieftain warden sheriff constable inspector bishop archbishop cardinal deacon friar reverend
    high-priest elder saint st councillor councilor ambassador baronet viscount steward castellan watchmaster
    harbormaster harbourmaster dockmaster guildmaster quartermaster bosun archivist keeper"""
)
TITLES = MALE_TITLES | FEMALE_TITLES | OTHER_TITLES
ABBREVIATIONS = _words("dr mr mrs ms st prof capt lt sgt")
NAME_PARTICLES = _words("de del della di da du la le van von der den ter ten al el ap ab bin ibn ben of")

# Roles and kin: "your friend X", "the smith, X", "X, the smith".
ROLES = _words(
    """man woman boy girl lad lass fellow friend ally companion partner lover husband wife widow widower bride groom
    fiance son daughter child twin brother sister mother father uncle aunt cousin nephew niece grandfather
    grandmother guard soldier knight squire captain sailor bosun cook smith blacksmith baker miller farmer fisher
    fisherman fisherwoman merchant trader innkeeper barkeep bartender tavernkeeper brewer butcher tailor weaver
    carpenter mason potter cobbler healer herbalist midwife doctor apothecary alchemist priest priestess acolyte
    cleric monk nun friar prophet oracle scholar scribe clerk archivist librarian teacher tutor student apprentice
    servant maid butler steward courier messenger scout hunter ranger tracker thief smuggler pirate spy assassin
    mercenary bandit beggar bard singer minstrel dancer wizard witch sorcerer sorceress warlock mage druid
    necromancer king queen prince princess lord lady duke duchess baron baroness mayor magistrate judge sheriff
    constable warden elder chief leader boss master mistress captain commander general ghost spirit vampire ferryman
    ferrywoman gardener groundskeeper gatekeeper lighthouse-keeper keeper owner patron contact rival employer
    assistant colleague compatriot foreman porter driver pilot navigator cartographer elf dwarf gnome halfling
    tiefling human orc half-orc dragonborn goblin giant prisoner stranger visitor guest"""
)

PERSON_POSSESSIONS = _words(
    """eyes eye face voice hand hands head hair mouth lips smile grin arm arms shoulder shoulders back chest throat
    neck heart breath fingers finger body expression gaze brow brows jaw cheek cheeks beard skin ears nose feet foot
    leg legs knees mind soul blood corpse ghost father mother brother sister son daughter wife husband uncle aunt
    family friend friends house room home office shop turn coat cloak robe robes armor sword dagger blade staff
    boots attention side life death plan men crew ship"""
)

# What people do and things do not. Third person, past and participles are made in `verbs.py`.
SPEECH_VERBS = _words(
    """say ask reply answer whisper mutter murmur shout yell scream call speak respond explain continue add agree admit
    announce declare exclaim insist warn beg plead growl hiss snap grumble sigh chuckle laugh giggle snort scoff
    repeat offer suggest demand confess promise greet introduce interrupt tell"""
)
ACTION_VERBS = _words(
    """look step nod smile grin glance stare gaze walk turn shrug frown blink kneel crouch lean sit stand bow wave
    point gesture gasp grunt wince flinch hesitate pause stop wait watch listen run rush charge stride stroll wander
    follow lead approach arrive enter leave return flee climb jump leap duck dodge roll stumble stagger limp grab
    reach snatch draw sheathe swing stab slash punch kick bite raise lower lift drop throw toss hand pour drink eat
    sip swallow wipe scratch rub pat clap fold cross shake tilt cock squint glare scowl smirk sneer beam weep cry
    sob cough sneeze yawn wake sleep dream die collapse faint rise tremble shiver know think believe remember forget
    want need try decide refuse wish hope love hate fear trust thank hug kiss push pull carry bring take give get go
    come keep hold put open close unroll unfold read write study examine inspect consider ponder recognize recognise
    notice see hear smell feel cast attack fire aim parry block retreat advance circle slip sneak hide appear vanish
    disappear emerge begin start seem help teach send live meet wink tap drum tug nudge clear set sweep drift pace
    curse spit show move make hurry join lie"""
)
# Of these, what things do as well ("the bridge falls", "the spell hits"): a weak cue.
WEAK_ACTIONS = _words(
    """take give get go come keep hold put open close begin start seem appear move make drop roll rise lower cross fire
    circle clear set sweep drift show beam cast lie stop die need see feel lead draw collapse vanish disappear bring
    carry help join return turn stand live emerge"""
)
IRREGULAR_PAST = {
    "say": "said", "speak": "spoke", "tell": "told", "stand": "stood", "sit": "sat", "run": "ran", "stride": "strode",
    "lead": "led", "leave": "left", "flee": "fled", "leap": "leapt", "draw": "drew", "swing": "swung", "bite": "bit",
    "throw": "threw", "drink": "drank", "eat": "ate", "shake": "shook", "weep": "wept", "wake": "woke",
    "sleep": "slept", "rise": "rose", "know": "knew", "think": "thought", "forget": "forgot", "bring": "brought",
    "take": "took", "give": "gave", "get": "got", "go": "went", "come": "came", "keep": "kept", "hold": "held",
    "put": "put", "see": "saw", "hear": "heard", "feel": "felt", "begin": "began", "hide": "hid", "send": "sent",
    "teach": "taught", "meet": "met", "write": "wrote", "read": "read", "spit": "spat", "show": "showed",
    "make": "made", "cast": "cast", "kneel": "knelt", "set": "set", "sweep": "swept", "lie": "lay",
}  # fmt: skip

# "ask X", "talk to X", "look at X": what is done to or with people.
SOCIAL_VERBS = _words(
    """ask tell thank hug kiss greet meet met thanked asked told trust follow help save saved kill killed find marry
    married betray betrayed know knew warn warned convince pay remember miss love hate attack hit stab shoot grapple
    heal revive visit owe owes send see call called wake watch asking telling thanking meeting"""
)
SOCIAL_LINKS = {
    "to": _words(
        """talk talking talked speak speaking spoke says said say listen listening turn turns turned lie lied nod nods
        whisper whispers gesture point points walk walks run runs over go introduce next belongs belonged married"""
    ),
    "at": _words(
        """look looks looking looked stare stares glance glances smile smiles shoot shouts yell wave nods grin angry
        mad"""
    ),
    "with": _words(
        """talk speak talking speaking fight work working works worked travel stay met meet agree argue deal come go"""
    ),
    "on": _words("hex bless cast heal use"),
    "about": _words("ask asked know heard worried talk tell"),
}

# Without "that" and "no", which stand before names as well ("I know that Bo left", "oh no Bo").
ARTICLES = _words("the a an this these those our your every each any some another")
PLACE_PREPOSITIONS = _words("in into inside within across throughout outside via")
LOOSE_PREPOSITIONS = _words("of near around towards toward beneath above through")
PLACE_HEADS = _words(
    """city town village hamlet port harbor harbour island isle isles river lake sea ocean bay coast mountain mountains
    hill hills valley forest wood woods swamp desert road street lane bridge gate district quarter ward market
    square hall keep castle tower fort fortress temple shrine cathedral abbey monastery academy university school
    inn tavern pub house shop guild company order empire kingdom dynasty republic nation duchy barony realm plane
    continent region country world land lands mine mines cave caves cavern ruins crypt tomb pit arena reef cay pass
    peak peaks field fields farm mill dock docks ship boat galley sloop library archive archives museum bank prison
    court council assembly senate army navy guard watch people folk language spell sword blade dagger bow armor
    shield cloak boots gauntlet gauntlets ring amulet staff wand orb gem crown book tome scroll potion ale beer wine
    festival day night feast war battle treaty accord calamity age era plan club soul lodge manor estate hospital
    theater theatre arms head horse lion boar goose lantern anchor barrel well spring falls creek ford crossing
    landing weir wharf quay manor point head stone rock tree grove garden gardens cemetery graveyard"""
)
USE_VERBS = _words(
    """cast casting casts use using uses roll rolling rolls drink drinking wear wearing wield ride playing play watch"""
)

GM_PHRASES = (
    "you see", "you can see", "make a", "roll a", "roll for", "go ahead and", "what do you", "what are you", "as you",
    "you hear", "you feel", "you find", "you guys", "does that hit", "give me a", "that hits", "in front of you",
    "before you", "you notice", "saving throw",
)  # fmt: skip

PUBLIC_CULTURE_CUES = _words(
    """movie film films tv show episode season twitch youtube twitter podcast sponsor merch actor actress cosplay
    netflix amazon disney meme website app song album band comic comics instagram facebook reddit discord patreon
    kickstarter subscribe hashtag internet livestream stream"""
)
HE_WORDS = _words("he him his himself")
SHE_WORDS = _words("she her hers herself")
