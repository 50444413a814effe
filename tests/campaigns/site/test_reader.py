"""The transcript to read, part by part."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from campaigns.models import Campaign
from campaigns.views.site.reader import PART
from extraction.source.documents import SourceUnit
from tests import factories
from tests.campaigns.site import story

HERE = "/campaigns/salt-ferry/sessions/34/"
LONG = 3_308
SAID = "The ferry noses into the fog and somebody ashore begins to count, slowly and as if it were a prayer for us."


@pytest.fixture
def long_session(campaign: Campaign) -> Campaign:
    # Numbers fall within each pair, as unit ids may.
    units = [SourceUnit(at ^ 1, "Ottilie" if at % 3 else "Bram", f"{SAID} {at}") for at in range(2, LONG + 2)]
    factories.make_transcript(factories.make_session(campaign, 34, "The seventh night"), units)
    return campaign


def units_on(page: str) -> list[int]:
    return [int(unit) for unit in re.findall(r'id="u(\d+)"', page)]


def test_links_lead_through_every_unit_once_without_a_script(long_session: Campaign, player: User) -> None:
    client, path, read = story.client_of(player), HERE, list[int]()
    for _ in range(LONG // PART + 1):
        page = client.get(path).content.decode()
        read += units_on(page)
        more = re.search(r'<li class="more"[^>]*><a href="([^"]+)#transcript"', page)
        if more is None:
            break
        path = more[1]

    assert read == [at ^ 1 for at in range(2, LONG + 2)]


def test_script_gets_the_same_parts(long_session: Campaign, player: User) -> None:
    client = story.client_of(player)
    part = client.get(f"{HERE}part?from={PART}")

    assert units_on(part.content.decode()) == units_on(client.get(f"{HERE}?from={PART}").content.decode())
    assert client.get(f"{HERE}part?from={PART}", headers={"If-None-Match": part["ETag"]}).status_code == 304


def test_unit_asked_for_is_on_the_page(long_session: Campaign, player: User) -> None:
    client = story.client_of(player)
    for unit in (2, 151, 1_540, LONG + 1):
        page = client.get(f"{HERE}?unit={unit}").content.decode()

        assert f'<li class="said sought" id="u{unit}">' in page
        assert len(units_on(page)) <= PART


def test_what_there_is_not_gives_the_beginning(long_session: Campaign, player: User) -> None:
    client = story.client_of(player)
    for query in ("unit=999999", "unit=x", "from=99999999", "from=-1", "unit=", "unit=²"):
        page = client.get(f"{HERE}?{query}").content.decode()

        assert units_on(page)[0] == 3, query
        assert ("There is no such unit" in page) == (query == "unit=999999")


def test_whole_transcript_can_be_printed(long_session: Campaign, player: User) -> None:
    assert len(units_on(story.client_of(player).get(f"{HERE}?all=1").content.decode())) == LONG


def test_first_page_of_a_long_session_is_light(long_session: Campaign, player: User) -> None:
    """300 KB with everything that it loads, before compression."""
    page = story.client_of(player).get(HERE).content
    loaded = re.findall(rb'(?:src|href)="/static/([^"]+\.(?:css|js|svg))"', page)
    static = [settings.ASSETS_DIR / "static" / name.decode() for name in loaded if not name.startswith(b"admin/")]

    assert len(loaded) >= 4
    assert len(page) + sum(path.stat().st_size for path in static) < 290_000


def test_part_is_for_those_who_may_read(long_session: Campaign, outsider: User) -> None:
    long_session.public = True
    long_session.save(update_fields=["public"])

    assert [story.client_of(user).get(f"{HERE}part").status_code for user in (None, outsider)] == [404, 404]
