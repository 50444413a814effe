"""What changed in the record, newest first: a page to read, and an Atom feed to follow."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.feedgenerator import Atom1Feed

from campaigns.library.changes import newest
from campaigns.views.site.news import News, news_of
from campaigns.views.site.visit import ID_DIGITS, Visit, made_once, site_page, whole_number

PAGE = 100
FEED = 50


@site_page
def changes_page(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show what changed, by day: `?since=YYYY-MM-DD` ends there, `?before=` goes on to what is older."""
    since = _since(request)
    before = whole_number(request.GET.get("before", ""), ID_DIGITS)
    rows = newest(visit.sight, before=before, since=_start_of(since), limit=PAGE + 1)
    news = news_of(visit.campaign.slug, rows[:PAGE])
    context = {
        "days": [(day, list(of_day)) for day, of_day in groupby(news, key=lambda each: each.at.date())],
        "since": since,
        "before": before,
        "next": rows[PAGE - 1].number if len(rows) > PAGE else None,
    }
    return visit.page("site/changes.html", context, title="What changed")


@site_page
def changes_feed(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Return the newest changes as Atom, `?since=YYYY-MM-DD` those from that day on. It holds names, never words."""
    slug = visit.campaign.slug
    news = news_of(slug, newest(visit.sight, since=_start_of(_since(request)), limit=FEED))
    page = request.build_absolute_uri(reverse("site-changes", args=[slug]))
    feed = Atom1Feed(
        title=visit.campaign.name,
        link=page,
        description="What changed in the record of the campaign.",
        feed_url=request.build_absolute_uri(reverse("site-feed", args=[slug])),
        feed_guid=f"{page}feed",
        language="en-gb",
    )
    for each in news:
        _add(feed, each, request, page)
    # A feed without entries is dated now, so that its bytes are others each time: what it is made of is not.
    basis = repr((page, visit.campaign.name, news)).encode()
    return made_once(request, basis, lambda: feed.writeString("utf-8").encode(), "application/atom+xml; charset=utf-8")


def _add(feed: Atom1Feed, news: News, request: HttpRequest, page: str) -> None:
    where = f" (session {news.session})" if news.session else ""
    feed.add_item(
        title=f"{news.told}{where}",
        link=request.build_absolute_uri(news.address) if news.address else page,
        description="",
        unique_id=f"{page}#c{news.number}",
        unique_id_is_permalink=False,
        pubdate=news.at,
        updateddate=news.at,
        categories=[news.kind],
    )


def _since(request: HttpRequest) -> date | None:
    try:
        return parse_date(request.GET.get("since", ""))
    except ValueError:
        return None


def _start_of(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), tzinfo=UTC)
