"""Words that say what happens where a listed name stands: people coming in, places reached and left, unreality."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What takes the reality out of a sentence.
UNREAL = _words(
    """not never no don't doesn't didn't won't wouldn't can't couldn't cannot shouldn't could would should might may if
    unless whether can pretend imagine wish wishes maybe perhaps"""
)

# Verbs by which somebody comes into view, said of the person.
ENTERS = _words(
    """enters entered arrives arrived appears appeared emerges emerged approaches approached comes came steps stepped
    waits waited stands stood sits sat"""
)
# Words before the name of somebody who is shown: "this is", "you see", "named".
SHOWN_BY = _words(
    "is was here's there's that's named called see sees notice meet enters comes stands sits waits appears"
)

# Verbs of coming, before "to", "into" and the like.
REACHES = _words(
    """reach reaches reached enter enters entered approach approaches approached arrive arrives arrived come comes came
    return returns returned get gets got walk walks walked ride rides rode travel travels travelled make makes made
    head heads headed back brings brought lead leads led step steps stepped"""
)
TOWARDS = _words("at in into to through inside onto")
# Verbs of coming that take the place itself.
REACHES_IT = _words("reach reaches reached enter enters entered approach approaches approached see")
LEAVES = _words("leave leaves left leaving exit exits exited depart departs departed flee flees fled")
WITHIN = _words("in at inside within on outside")
PRESENT = _words("you here we there now")
POINTED_AT = _words("this that it here")
# What may stand between those words and a name.
BEFORE_PLACES = _words("the a an this that good old your")
BEFORE_PEOPLE = _words("the a an your old")
