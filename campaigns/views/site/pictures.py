"""Pictures as files: `presence-people.svg`, `relations.png`, `speaking-s3.svg`, `fight-s3-1.png`."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse

from campaigns.errors import NotFound
from campaigns.library.fights import fights
from campaigns.library.registry import entries
from campaigns.library.transcripts import voices
from campaigns.pictures.drawing import Picture
from campaigns.pictures.raster import png
from campaigns.views.site import portraits
from campaigns.views.site.campaign import MOST_LINES
from campaigns.views.site.fight import fight_at
from campaigns.views.site.kinds import WORDINGS, Kind
from campaigns.views.site.visit import Visit, made_once, site_page

SPEAKING = re.compile(r"speaking-s(\d{1,9})")
FIGHT = re.compile(r"fight-s(\d{1,9})-(\d{1,4})")
PRESENCE = {f"presence-{wording.many}": kind for kind, wording in WORDINGS.items()}


@site_page
def picture_file(request: HttpRequest, visit: Visit, name: str, form: str) -> HttpResponse:
    """Return the picture as it is seen by this person, as an SVG or a PNG file."""
    picture = _drawn(visit, name)
    if picture is None:
        raise NotFound("There is no such picture.")
    svg = picture.file()
    filename = f"{visit.campaign.slug}-{name}.{form}"
    drawn = svg.encode()
    if form == "svg":
        return made_once(request, drawn, lambda: drawn, "image/svg+xml; charset=utf-8", filename=filename)
    return made_once(request, drawn, lambda: png(svg), "image/png", filename=filename)


def _drawn(visit: Visit, name: str) -> Picture | None:
    if name in PRESENCE:
        kind = PRESENCE[name]
        return portraits.presence_of(visit, kind, entries(visit.sight, kind, limit=MOST_LINES))
    if name == "relations":
        return portraits.relations_of(visit, entries(visit.sight, Kind.NPC, limit=MOST_LINES))
    if (speaking := SPEAKING.fullmatch(name)) is not None:
        return portraits.speaking_of(voices(visit.sight, int(speaking[1])))
    if (fight := FIGHT.fullmatch(name)) is not None:
        return portraits.fight_of(fight_at(fights(visit.sight, int(fight[1])), int(fight[2])))
    return None
