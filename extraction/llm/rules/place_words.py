"""Words about places: general English, none of a setting."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A settlement or a land: what other places lie in.
SETTLEMENTS = _words(
    """city town village hamlet port harbor harbour island isle isles empire kingdom republic duchy barony realm plane
    continent region country province weir"""
)
# A single building, spot or way: there may be one of the name in every town.
SITES = _words(
    """inn tavern pub alehouse house hall keep castle tower fort fortress temple shrine cathedral abbey monastery
    academy university school chapel church manor lodge citadel palace prison library archive archives museum theater
    theatre hospital lighthouse well fountain bridge gate square market plaza bazaar emporium arena pit dock docks
    wharf quay pier landing crossing ford mill farm mine mines cave caves cavern caverns ruins crypt tomb vault
    catacombs sewers cemetery graveyard garden gardens grove glade street lane alley avenue road row terrace quarter
    district ward spire sanctum"""
)
WILDS = _words(
    """river lake sea ocean bay gulf strait coast cape mountain mountains hill hills valley forest wood woods swamp
    marsh moor heath desert wastes canyon gorge pass peak peaks field fields falls creek spring springs cliffs pond
    plains reef cay"""
)
HEADS = SETTLEMENTS | SITES | WILDS
# "Castle X", "Port X".
FRONT_HEADS = _words("castle port fort lake mount cape camp point")

TOWARDS = _words("to towards toward into unto")
WITHIN = _words("in into within inside across throughout")
NEARBY = _words("near outside around beyond past through along over")
MOTION = _words(
    """go goes going went gone get gets got come comes came coming travel travels traveled travelled head heads headed
    heading walk walks walked ride rides rode sail sails sailed sailing back return returns returned returning way road
    march fly flew teleport journey trip run ran lead leads led make made move moved arrive arrived brought bring taken
    take ferry over days welcome"""
)
REACHING = _words(
    """reach reached reaches enter entered enters entering visit visited leave leaves left leaving approach approaching
    pass passed explore"""
)
STAYING = _words("stay stayed staying sleep slept sleeping meet met live lives lived arrive arrived arrives work works")
SIGNS = _words("sign signs board plaque placard banner")
READS = _words("reads says read said")

# The players' own world.
REAL_PLACES = _words(
    """america american california texas england london paris france germany europe canada australia japan china mexico
    york hollywood vegas seattle portland chicago boston florida ireland scotland spain italy russia africa asia brazil
    burbank angeles francisco internet earth los san new twitch youtube"""
)
# "There are two of them", "the other one".
PAIRS = _words("two both second another other different original")
OTHERS = PAIRS - {"two", "both", "original"}
ONES = _words("good other old new first second original real better right wrong")
