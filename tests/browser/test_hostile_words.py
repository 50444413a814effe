"""Every text that a table, a person or a model can write, hostile: no page runs it, and none fetches for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.utils.http import urlencode

from campaigns.actions import reviews, secrets, versions
from campaigns.models import (
    ArtifactVersion,
    Campaign,
    Decision,
    GameSession,
    GlossaryTerm,
    Membership,
    RegistryEntry,
    RosterEntry,
    Transcript,
)
from extraction.canonical import JsonValue
from extraction.identity import comparison_key, npc_id
from extraction.source.documents import SourceUnit
from tests import factories
from tests.browser.conftest import Window
from tests.browser.payloads import PAYLOADS
from tests.campaigns.review import families
from tests.campaigns.reviews.acting import on
from tests.standard import PAGE_1, PAGE_2

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HERE = "/campaigns/salt-ferry/"
NPC = npc_id(comparison_key(PAYLOADS[3]))


def hostile() -> Callable[[str], str]:
    """Return what gives each text one payload after another, and the same text always the same."""
    rest = itertools.cycle(PAYLOADS)
    given: dict[str, str] = {}

    def said(text: str) -> str:
        return given.setdefault(text, next(rest))

    return said


@pytest.fixture
def told(transactional_db: None) -> Campaign:
    """A campaign of nothing but payloads: each of them is said, is a speaker, a person and a line of a record."""
    said = hostile()
    campaign = factories.make_campaign("salt-ferry", public=True)
    Campaign.objects.filter(pk=campaign.pk).update(name=PAYLOADS[0])
    gm = factories.make_user("greta", staff=True, superuser=True)
    User.objects.filter(pk=gm.pk).update(first_name=PAYLOADS[4][:150], email="a@example.org")
    factories.make_membership(campaign, gm, Membership.Role.GM)
    GlossaryTerm.objects.create(campaign=campaign, position=0, term=PAYLOADS[5], heard_as=[PAYLOADS[6]])
    RosterEntry.objects.create(
        campaign=campaign, kind=RosterEntry.Kind.PARTY, player=PAYLOADS[7], character=PAYLOADS[8], speaker_labels=["x"]
    )
    ids = [unit_id for unit_id, _, _ in (*PAGE_1, *PAGE_2)] + [202, 204, 205, 206, 207, 209, 211]
    lines = list(itertools.islice(itertools.cycle(PAYLOADS), max(len(ids), len(PAYLOADS))))
    fresh = (at for at in range(1_000, 2_000))
    units = [
        SourceUnit(ids[at] if at < len(ids) else next(fresh), line[:200], f"{line} {at}")
        for at, line in enumerate(lines)
    ]
    transcript = factories.make_transcript(factories.make_session(campaign, 1, PAYLOADS[1][:200]), units)
    made = families.one_of_each(transcript, said)
    made["npcs"] = [person(transcript, name) for name in PAYLOADS]
    made["npc-occurrences"] = [met(transcript, name) for name in PAYLOADS]
    for family, records in made.items():
        version = families.make_version(transcript, family, records)
        versions.approve(version_id=version.pk, note=PAYLOADS[9], by=gm)
    waiting = families.make_version(transcript, "npcs", made["npcs"])
    reviews.rename(**on(waiting), record=0, name=f"{PAYLOADS[10]} again", reason=PAYLOADS[11], by=gm)
    families.make_version(transcript, "combat-turns", made["combat-turns"])
    secrets.hide_range(session=transcript.session, start_unit=41, end_unit=42, note=PAYLOADS[12], by=gm)
    return campaign


def person(transcript: Transcript, name: str) -> dict[str, JsonValue]:
    proof = families.refs(transcript, ((44, 50),))
    return {"id": npc_id(comparison_key(name)), "name": name, "source_refs": proof}


def met(transcript: Transcript, name: str) -> dict[str, JsonValue]:
    proof = families.refs(transcript, ((44, 46),))
    return {"npc_id": npc_id(comparison_key(name)), "name": name, "kind": "dialogue", "source_refs": proof}


def watched(window: Window) -> list[int]:
    """Return the list that fills with the numbers of the payloads that run."""
    ran: list[int] = []

    def note(number: int) -> None:
        ran.append(number)

    window.page.expose_function("ran", note)
    return ran


def pages() -> list[str]:
    session = GameSession.objects.get()
    waiting = {version.artifact.lane: version.pk for version in ArtifactVersion.objects.filter(state="pending")}
    npcs, turns = waiting["dnd/npcs"], waiting["dnd/combat-turns"]
    approved = ArtifactVersion.objects.filter(state="approved").values_list("pk", flat=True)
    entry = RegistryEntry.objects.filter(kind="npc").values_list("pk", flat=True)[0]
    questions = [urlencode({"q": payload}) for payload in (PAYLOADS[0], PAYLOADS[3], PAYLOADS[43])]
    return [
        "/",
        HERE,
        f"{HERE}sessions/1/",
        f"{HERE}sessions/1/fights/1/",
        *(f"{HERE}{kind}/" for kind in ("npcs", "items", "places")),
        f"{HERE}npcs/{NPC}/",
        f"{HERE}changes/",
        f"{HERE}changes.atom",
        *(f"{HERE}search/?{question}" for question in (*questions, "q=ran&kind=unit")),
        f"{HERE}npcs/?{questions[0]}",
        *(f"{HERE}{name}/" for name in ("members", "secrets", "webhooks", "exports", "upload", "withdraw", "delete")),
        f"{HERE}sessions/1/transcript/",
        f"{HERE}sessions/1/transcript/units/44/",
        "/review/",
        f"/review/sessions/{session.pk}/",
        f"/review/sessions/{session.pk}/units",
        f"/review/sessions/{session.pk}/run/",
        *(f"/review/versions/{pk}/" for pk in (npcs, turns, *approved)),
        f"/review/versions/{npcs}/acts/rename/?record=0",
        f"/review/versions/{npcs}/decisions/",
        f"/review/versions/{npcs}/compare/",
        *(f"/admin/campaigns/{model}/" for model in ("campaign", "gamesession", "registryentry", "decision")),
        f"/admin/campaigns/campaign/{session.campaign_id}/change/",
        f"/admin/campaigns/artifactversion/{npcs}/change/",
        f"/admin/campaigns/decision/{Decision.objects.all()[0].pk}/change/",
        f"/admin/campaigns/registryentry/{entry}/change/",
        "/admin/numbers/",
        f"/api/v1{HERE}npcs",
        f"/api/v1{HERE}sessions/1/transcript",
        f"/api/v1{HERE}search?{questions[0]}",
    ]


def test_no_page_runs_a_script_or_fetches_anything_for_sixty_payloads(window: Window, told: Campaign) -> None:
    ran, missing = watched(window), []
    window.page.on("response", lambda answer: missing.append(answer.url) if answer.status >= 400 else None)
    window.enter("greta", "/review/")
    shown, away, failed = set(), [], []
    for path in pages():
        answer = window.page.goto(window.base + path, wait_until="load")
        if answer is None or answer.status != 200:
            failed.append((path, answer and answer.status))
        window.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        window.page.evaluate(
            "document.querySelectorAll('[onmouseover],[onfocus],[onclick],[onerror],[onload]').length"
            " && document.querySelector('[onclick],[onmouseover]')?.dispatchEvent(new Event('mouseover'))"
        )
        text = window.page.evaluate("document.documentElement.textContent")
        shown |= {payload for payload in PAYLOADS if payload in text}
        if not window.page.url.startswith(window.base):
            away.append(path)

    assert failed == []
    assert (ran, away, missing) == ([], [], [])
    # A page that is no HTML makes Chromium look for an icon by itself; whatever a page asks for is in `missing`.
    assert [fault for fault in window.faults if "404 (Not Found)" not in fault] == []
    assert len(PAYLOADS) == len(set(PAYLOADS)) == 60
    # Each of them stands there in full, as text: a page that dropped them would prove nothing.
    assert set(PAYLOADS) - shown == set()


def test_a_payload_that_is_not_escaped_would_be_noticed(window: Window, transactional_db: None) -> None:
    """What the test above looks for does happen in a page that takes such text for markup."""
    ran = watched(window)
    with window.page.expect_request("http://192.0.2.66/x"):
        window.page.set_content(f"<p>{PAYLOADS[6]}</p>", wait_until="commit")
    window.page.set_content(f"<p>{PAYLOADS[8]}</p>", wait_until="load")
    # Calls are noted in their order: with this one, what the page called before has been noted too.
    window.page.evaluate("ran(-1)")

    assert ran == [8, -1]
    assert any("192.0.2.66" in fault for fault in window.faults)
