"""Words that a table says, names that it uses and keys that it holds, followed through everything: they stand in the
archive, and in no log, error, mail, measurement, task, audit row or message to a webhook."""

from __future__ import annotations

import base64
import io
import json
import logging
import logging.config
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django_q.models import OrmQ, Task
from pytest_django import Settings

from campaigns import tasks
from campaigns.actions import exports, plans, reviews, runs, secrets, tokens, versions, webhooks
from campaigns.models import (
    ArtifactVersion,
    AuditEntry,
    Campaign,
    Delivery,
    Export,
    LaneRun,
    Run,
    Unit,
    Webhook,
)
from tests import factories
from tests.campaigns.reviews.acting import on
from tests.loopback import ScriptedServer, answer, chat, failure

TEXT, SPEAKER, TITLE, FILE, CAMPAIGN = "Zyxtext", "Zyxspeaker", "Zyxtitle", "Zyxfile", "Zyxcampaign"
NAME, NOTE, REPLY, KEY, QUERY, BUG = "Zyxname", "Zyxnote", "Zyxreply", "Zyxkey", "Zyxquery", "Zyxbug"
SPEECH = f"{SPEAKER}: {TEXT} at the weir.\n{SPEAKER}: {TEXT} again.\n".encode()
HERE = "/campaigns/salt-ferry/"
API = f"/api/v1{HERE}"
FORGED = "2026-01-01 ERROR forged"


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """Give what the configured handler of every logger writes, as lines of JSON."""
    given: Any = site.LOGGING
    configured: Any = logging.config.DictConfigurator(dict(given))
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(configured.configure_formatter(dict(given["formatters"]["json"])))
    for name in given["handlers"]["console"]["filters"]:
        handler.addFilter(configured.configure_filter(dict(given["filters"][name])))
    logging.getLogger().addHandler(handler)
    try:
        yield stream
    finally:
        logging.getLogger().removeHandler(handler)


@pytest.fixture
def table(campaign: Campaign, gm: User, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    """The game master's browser, at a site that sends webhooks to this machine and asks a model with a key."""
    settings.DATA_DIR, settings.WEBHOOK_PRIVATE_ADDRESSES = tmp_path, True
    Campaign.objects.filter(pk=campaign.pk).update(name=CAMPAIGN)
    monkeypatch.setenv("NOTARIUS_LLM_MODEL", "test-model")
    monkeypatch.setenv("NOTARIUS_LLM_API_KEY", KEY)
    monkeypatch.setenv("NOTARIUS_LLM_TRIES", "1")
    gm.email = "gm@example.org"
    gm.set_password(KEY)
    gm.save()
    events = ["run.finished", "version.approved", "entity.changed"]
    webhooks.create(campaign=campaign, url="http://127.0.0.1:9/hook", events=events, site="https://n.example/", by=gm)
    client = Client(raise_request_exception=False)
    client.force_login(gm)
    return client


def upload(table: Client) -> list[bytes]:
    """Bring the words in by each door, and send what is refused; return what the refusals say."""
    sent = table.post(f"{HERE}upload/", {"number": 1, "file": SimpleUploadedFile(f"{FILE}\r\n{FORGED}.txt", SPEECH)})
    table.post(sent["Location"], {"act": "store", "title": TITLE})
    bad = SPEECH.replace(b"\n", b"\n\0")
    table.post(f"{API}sessions/2/transcripts", {"file": SimpleUploadedFile(f"{FILE}.txt", SPEECH)})
    refused = [
        table.post(f"{API}sessions/3/transcripts", {"file": SimpleUploadedFile(f"{FILE}.txt", bad)}),
        table.post(f"{API}sessions/3/transcripts", {"file": SimpleUploadedFile(f"{FILE}.zip", b"PK\3\4" + SPEECH)}),
        table.post(
            f"{API}sessions/1/runs", f'{{"pipeline": ["{TEXT}", "{NAME}"]}}'.encode(), content_type="application/json"
        ),
        table.post(f"{API}sessions/1/runs", f'{{"pipeline": "{TEXT}'.encode(), content_type="application/json"),
        table.get(f"{API}npcs?cursor={QUERY}"),
        table.get(f"{API}npcs", headers={"authorization": f"Bearer {KEY}"}),
    ]
    assert all(400 <= each.status_code < 500 for each in refused)
    return [each.content for each in refused]


def ask_a_model(gm: User, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run the people's lane three times: with an answer, with rubbish, and with a bug of ours; return the outcomes."""
    session = Campaign.objects.get().sessions.get(number=1)
    first = Unit.objects.filter(transcript__session=session).values_list("unit_id", flat=True)[0]
    proof = [{"start_unit_id": first, "end_unit_id": first}]
    people = {"npcs": [{"name": f"{NAME} {at}", "source_refs": proof} for at in (1, 2)]}
    outcomes = []
    for reply in (
        answer(people),
        chat(f"{REPLY}: I would say {TEXT}"),
        failure(500, message=f"{REPLY} {TEXT} {KEY}", type="server_error"),
        failure(401, message=f"{REPLY} {KEY}", type="invalid_request_error"),
    ):
        with ScriptedServer(reply) as server:
            monkeypatch.setenv("NOTARIUS_LLM_BASE_URL", server.base_url)
            outcomes.append(one_run(gm))
            assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"

    def broken(*args: object, **kwargs: object) -> None:
        raise ValueError(f"{BUG} {TEXT}\n{FORGED}")

    with monkeypatch.context() as patched:
        patched.setattr("campaigns.actions.work.run_lane", broken)
        outcomes.append(one_run(gm))
    return outcomes


def one_run(gm: User) -> str:
    session = Campaign.objects.get().sessions.get(number=1)
    # Each asks anew: what one run has stored, another must not take.
    session.checkpoints.all().delete()
    run = runs.start(session=session, pipeline=plans.named_pipeline("npcs-only"), lanes=None, by=gm)
    return str(tasks.work_lane(run.lanes.get().pk)["outcome"])


def decide(gm: User, campaign: Campaign) -> None:
    version = ArtifactVersion.objects.get(state="pending")
    made = reviews.rename(**on(version), record=0, name=f"{NAME} the Third", reason=NOTE, by=gm).version
    versions.approve(version_id=made.pk, note=NOTE, by=gm)
    session = campaign.sessions.get(number=1)
    first = Unit.objects.filter(transcript__session=session).values_list("unit_id", flat=True)[0]
    secrets.hide_range(session=session, start_unit=first, end_unit=first, note=NOTE, by=gm)
    tokens.create(user=gm, name=NAME, scope="read")
    for format in ("json", "markdown"):
        export = exports.order(who=gm, slug=campaign.slug, format=format, by=gm)
        assert tasks.work_export(export.pk)["outcome"] == "succeeded"


def look_around(table: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search, open what there is and is not, sign in wrongly, forget the password, and meet a bug of ours."""
    for path in (
        f"{HERE}search/?q={QUERY}+{TEXT}",
        f"{HERE}{QUERY}/",
        f"/{QUERY}%0d%0a{FORGED}",
        f"{HERE}npcs/{NAME}/",
    ):
        table.get(path, headers={"user-agent": f"{QUERY}\r\n{FORGED}", "x-request-id": f"{QUERY}\n{FORGED}"})
    Client().post("/login/", {"login": NAME, "password": KEY})
    Client().post("/account/password/reset/", {"email": "gm@example.org"})
    with pytest.raises(CommandError):
        call_command("run_pipeline", "--campaign", "salt-ferry", "--session", "77")

    def broken(*args: object, **kwargs: object) -> None:
        raise KeyError(f"{BUG} {TEXT}")

    with monkeypatch.context() as patched:
        patched.setattr("campaigns.views.health.MIGRATED", Event())
        patched.setattr("campaigns.views.health._missing_migrations", broken)
        assert table.get("/readyz").status_code == 500


@pytest.fixture
def no_bell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks go into the table as on a site, though nobody commits here."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda act, using=None, robust=False: act())


def test_words_names_and_keys_stand_in_no_log_error_mail_metric_task_audit_or_message(
    table: Client, campaign: Campaign, gm: User, no_bell: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with logged() as log:
        refusals = upload(table)
        outcomes = ask_a_model(gm, monkeypatch)
        decide(gm, campaign)
        for delivery in Delivery.objects.all()[:3]:
            tasks.deliver_message(delivery.pk)
        look_around(table, monkeypatch)
    admin = Client()
    admin.force_login(factories.make_user("boss", staff=True, superuser=True))
    kept = {
        "log": log.getvalue(),
        "errors": b"".join(refusals).decode(),
        "mail": "".join(f"{each.subject} {each.body}" for each in mail.outbox),
        "metrics": admin.get("/metrics").content.decode(),
        "numbers": admin.get("/admin/numbers/").content.decode().replace(CAMPAIGN, ""),
        "tasks": "".join(str(each.task) for each in OrmQ.objects.all()) + str(list(Task.objects.values())),
        "audit": str(list(AuditEntry.objects.values())),
        "messages": str(list(Delivery.objects.values())) + str(list(Webhook.objects.values())),
        "runs": str(list(Run.objects.values())) + str(list(LaneRun.objects.values())),
        "manifests": str(list(ArtifactVersion.objects.values_list("manifest", "findings"))),
        "exports": str(list(Export.objects.values())),
    }

    # They went all the way: into the archive, through every kind of failure, and something was written of each.
    assert Unit.objects.filter(speaker=SPEAKER, text__contains=TEXT).exists()
    assert NAME in ArtifactVersion.objects.approved().get().payload
    assert outcomes == ["succeeded", "extract.invalid", "llm.server_error", "llm.authentication", "run.internal"]
    assert [name for name, text in kept.items() if len(text) < 20] == []
    words = (TEXT, SPEAKER, TITLE, FILE, CAMPAIGN, NAME, NOTE, REPLY, KEY, QUERY, BUG)
    encoded = [base64.b64encode(word.encode()).decode().rstrip("=")[:-1] for word in words]
    assert {(name, word) for name, text in kept.items() for word in (*words, *encoded) if word in text} == set()
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert {line["level"] for line in lines} >= {"ERROR", "WARNING"}
    assert not [line for line in lines if FORGED in str(line)]
