"""Signs that a database cannot hold, wherever a page takes text: an answer, never a failure.

PostgreSQL refuses NUL in any text, also in one that is only compared; a lone surrogate is no character of UTF-8.
"""

from __future__ import annotations

from urllib.parse import quote_from_bytes

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.actions import registry
from campaigns.models import ArtifactVersion, Campaign, Transcript
from campaigns.search.index import index
from tests import factories

SIGNS = [pytest.param(b"a\x00b", id="nul"), pytest.param(b"a\xed\xa0\x80b", id="surrogate")]
CAMPAIGN = "/campaigns/salt-ferry"
READ = (
    f"{CAMPAIGN}/withdraw/?speaker={{}}",
    f"{CAMPAIGN}/search/?q={{}}",
    f"{CAMPAIGN}/search/?q=voss&speaker={{}}",
    f"{CAMPAIGN}/search/?q=voss&kind={{}}",
    f"{CAMPAIGN}/search/?q=voss&session={{}}",
    f"{CAMPAIGN}/search/?q=voss&after={{}}",
    f"{CAMPAIGN}/npcs/?q={{}}",
    f"{CAMPAIGN}/npcs/?session={{}}",
    f"{CAMPAIGN}/npcs/?after={{0}}&after={{0}}",
    f"{CAMPAIGN}/npcs/{{}}/",
    f"{CAMPAIGN}/npcs/npc:{{}}/?from={{}}",
    f"{CAMPAIGN}/changes/?since={{}}&before={{}}",
    f"{CAMPAIGN}/?as_of={{}}&see={{}}",
    f"{CAMPAIGN}/sessions/1/?unit={{}}&from={{}}",
    f"{CAMPAIGN}/sessions/1/upload/{{}}/",
    f"{CAMPAIGN}/sessions/1/transcript/?from={{}}&unit={{}}",
    "/review/sessions/{session}/units?speaker={}&lane={}&q={}&only={}",
    "/review/sessions/{session}/units/stretch?from={}&unit={}&speaker={}",
    "/join/{}/",
    "/login/?next={}",
    "/admin/numbers/?days={}",
)
POSTED = (
    (f"{CAMPAIGN}/withdraw/", "speaker={}&sure=yes"),
    (f"{CAMPAIGN}/secrets/hide", "kind=entry&entry_kind=npc&entity_id={}"),
    (f"{CAMPAIGN}/secrets/hide", "kind=entry&entry_kind={}&entity_id=x"),
    (f"{CAMPAIGN}/secrets/hide", "kind=merge&entry_kind=npc&entity_id={}"),
    (f"{CAMPAIGN}/secrets/hide", "kind=range&session=1&start_unit=10&end_unit=10&note={}"),
    (f"{CAMPAIGN}/secrets/hide", "kind=occurrence&family={}&session=1&record=0"),
    (f"{CAMPAIGN}/secrets/hide", "kind={}&session={}"),
    (f"{CAMPAIGN}/invitations", "role={}&days=7&uses=1"),
    (f"{CAMPAIGN}/members/{{member}}/act", "act=role&role={}"),
    (f"{CAMPAIGN}/members/{{member}}/act", "act={}"),
    (f"{CAMPAIGN}/delete/", "confirmed={}"),
    (f"{CAMPAIGN}/exports/", "format={}&edition={}&as_of={}"),
    (f"{CAMPAIGN}/webhooks/", "url={}&events={}"),
    (f"{CAMPAIGN}/sessions/1/transcript/", "act=rename&old={}&new=Somebody&revision=1"),
    ("/review/sessions/{session}/lanes", "lanes={}"),
    ("/review/sessions/{session}/run/", "pipeline={}&lanes={}&start=1"),
    ("/review/sessions/{session}/renew", "version={}"),
    ("/account/email/", "email={}"),
    ("/login/", "login={}&password={}"),
)


@pytest.fixture
def places(campaign: Campaign, gm: User) -> dict[str, int]:
    transcript: Transcript = factories.make_transcript(factories.make_session(campaign))
    index(transcript)
    factories.make_version(transcript, state=ArtifactVersion.State.APPROVED)
    registry.rebuild(campaign=campaign, kind="npc")
    return {"session": transcript.session_id, "member": campaign.memberships.get(user=gm).pk}


@pytest.mark.parametrize("signs", SIGNS)
def test_no_page_fails_over_a_sign_that_no_database_holds(
    client: Client, gm: User, places: dict[str, int], signs: bytes
) -> None:
    client.force_login(gm)
    client.raise_request_exception = False
    said = quote_from_bytes(signs)
    failed = []
    for address in READ:
        path = address.replace("{}", said).replace("{0}", said).format(**places)
        if client.get(path).status_code >= 500:
            failed.append(address)
    for address, body in POSTED:
        form = "application/x-www-form-urlencoded"
        answer = client.post(address.format(**places), body.replace("{}", said), content_type=form)
        if answer.status_code >= 500:
            failed.append(f"{address} {body}")

    assert failed == []
