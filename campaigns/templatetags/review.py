"""The two small pieces of markup that the review page repeats hundreds of times."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from campaigns.review import Choice, Cited

register = template.Library()
CURRENT = mark_safe(' aria-current="true"')
CITED = '{}<span class="sr-only"> cited</span>'


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
        '<a class="pick" href="?{}" data-spans="{}"{}><b>{}</b>{}<i>{}</i></a>',
        query_of(record, member),
        cited.spans,
        CURRENT if chosen else "",
        cited.name,
        format_html_join("", ' <span class="tag">{}</span>', ((label,) for label in labels)),
        format_html("{} units", cited.units) if cited.is_stretch else format_html(CITED, len(cited.evidence)),
    )
