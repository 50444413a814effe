"""The small pieces that the site's pages repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from campaigns.library.registry import Line
from campaigns.pictures.drawing import Picture
from campaigns.views.site.naming import own_title, title_of
from campaigns.views.site.visit import Visit

register = template.Library()
register.filter("own_title", own_title)
register.filter("title_of", title_of)


@register.filter
def sessions(numbers: Sequence[int]) -> str:
    """Return session numbers in words, runs of them in short: "sessions 1 to 3, 7"."""
    ordered = sorted(numbers)
    if not ordered:
        return ""
    breaks = [at + 1 for at, (one, other) in enumerate(pairwise(ordered)) if other != one + 1]
    runs = [ordered[start:end] for start, end in pairwise([0, *breaks, len(ordered)])]
    told = [str(run[0]) if len(run) == 1 else f"{run[0]}{' to ' if len(run) > 2 else ', '}{run[-1]}" for run in runs]
    return f"session{'' if len(ordered) == 1 else 's'} {', '.join(told)}"


@register.simple_tag
def unit_link(slug: str, number: int, start: int, end: int | None = None) -> SafeString:
    """Write the link to a unit, or to the first of a stretch, in the session's transcript."""
    label = f"unit {start}" if end in (None, start) else f"units {start} to {end}"
    address = reverse("site-session", args=[slug, number])
    return format_html('<a class="proof" href="{}?unit={}#u{}">{}</a>', address, start, start, label)


@register.inclusion_tag("site/picture.html")
def picture(drawn: Picture | None, slug: str, file: str = "", note: str = "") -> Mapping[str, object]:
    """Write a picture with its table; `file` is its name among the pictures that can be downloaded."""
    # Every text in the drawing was escaped when it was drawn (`pictures.drawing.escaped`).
    svg = "" if drawn is None else mark_safe(drawn.inline())  # noqa: S308 - as said above
    return {"picture": drawn, "svg": svg, "slug": slug, "file": file, "note": note}


@register.filter
def hides(visit: Visit, line: Line) -> bool:
    """Say whether the entry is kept from players and this is somebody who keeps it."""
    return visit.keeps_secrets and visit.marks.entry(line.kind, line.entity_id) is not None


@register.filter
def clock(milliseconds: int | None) -> str:
    """Return a time of the recording as h:mm:ss, empty where there is none."""
    if milliseconds is None:
        return ""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
