"""The small pieces of markup that the review pages repeat hundreds of times."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from campaigns.reading import Chip
from campaigns.review import Choice, Cited

register = template.Library()
# These two are whole and ours: nothing that anybody wrote goes into them.
CURRENT = mark_safe(' aria-current="true"')
CITED = '{}<span class="sr-only"> cited</span>'
WARNED = mark_safe('<span class="sr-only">, with a warning</span>')
LONGEST_CHIP = 40


def query_of(record: int, member: int | None = None, at: int | None = None) -> str:
    """Return the query string that makes this choice on the review page."""
    parts = {"record": record, "member": member, "evidence": at}
    return urlencode({name: value for name, value in parts.items() if value is not None})


@register.simple_tag
def choice_query(choice: Choice | None, at: int | None = None) -> str:
    """Write the query string of the choice, moved to its piece of evidence `at`."""
    return query_of(choice.record, choice.member, choice.at if at is None else at) if choice else ""


@register.simple_tag
def pick(
    cited: Cited, record: int, member: int | None, choice: Choice | None, labels: Sequence[str] = ()
) -> SafeString:
    """Write the link that chooses a record or a member; `data-spans` holds its evidence for the script."""
    chosen = choice is not None and (choice.record, choice.member) == (record, member)
    return format_html(
        '<a class="pick" href="?{}" data-spans="{}"{}><b dir="auto">{}</b>{}<i>{}</i></a>',
        query_of(record, member),
        cited.spans,
        CURRENT if chosen else "",
        cited.name,
        format_html_join("", ' <span class="tag">{}</span>', ((label,) for label in labels)),
        format_html("{} units", cited.units) if cited.is_stretch else format_html(CITED, len(cited.evidence)),
    )


@lru_cache(maxsize=64)
def _address(version_id: int) -> str:
    return reverse("review-version", args=[version_id])


@register.simple_tag
def chip_link(chip: Chip, kind: str = "") -> SafeString:
    """Write the link from a unit to the record that cites it; `kind` sets a scene apart, which begins with the unit."""
    return format_html(
        '<a class="chip{}{}" href="{}?{}"><span>{}</span> {}{}{}</a> ',
        f" chip-{kind}" if kind else "",
        " chip-warned" if chip.warned else "",
        _address(chip.version_id),
        query_of(chip.record, None, chip.at),
        chip.lane,
        Truncator(chip.heading).chars(LONGEST_CHIP),
        format_html(' <span>+{}<span class="sr-only"> more</span></span>', chip.more) if chip.more else "",
        WARNED if chip.warned else "",
    )
