"""Everything on one machine: database, sample campaign, web server and worker, stopped together."""

from __future__ import annotations

import logging
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django import db
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns import processes, sample
from campaigns.actions import accounts, plans, runs
from campaigns.adapters.providers import profiles
from campaigns.management import following
from campaigns.management.arguments import mistakes_in_one_sentence
from campaigns.models import Campaign, Run
from campaigns.supervisor import GRACE_S
from extraction.llm.profiles import DEFAULT, ProviderKind

LOOK_S = 0.5
# The worker stops its own cluster first, which may take the cluster's grace period.
STOP_S = 3 * GRACE_S


class Command(BaseCommand):
    help = "Prepare the database and the sample campaign, then run web server and worker until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        if not 0 < port < 65_536:
            raise CommandError("--port takes a number from 1 to 65535.")
        _refuse_taken_port(host, port)
        stopping = threading.Event()
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            with mistakes_in_one_sentence(), _quiet_log():
                self._prepare()
            # From here on children run: signals only set a flag, so that none is left behind half-started.
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stopping.set())
            self._serve(host, port, stopping)
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")

    def _prepare(self) -> None:
        # The file server wants its folder to exist; without collectstatic it finds files where they are.
        settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
        call_command("migrate", verbosity=0, interactive=False)
        if not Campaign.objects.exists():
            campaign = sample.load_sample()
            self.stdout.write(f"Loaded the sample campaign {campaign.slug}.")
        # Before the sample, whose early evenings somebody has to approve.
        accounts.make_first_admin()
        for session in sample.sessions_never_run():
            run = runs.start(session=session, pipeline=plans.default_pipeline(), lanes=None, by=None)
            self._work_on_sample(run, f"Sample session {session.number}")

    def _work_on_sample(self, run: Run, label: str) -> None:
        """Do the run at once where that takes seconds; a model may take an hour, which is for the worker."""
        if profiles()[DEFAULT].provider is not ProviderKind.RULES:
            self.stdout.write(f"{label}: the worker reads it with your model while you look around.")
            return
        following.work_inline(run, label=label, stream=sys.stderr)
        for line in following.failures(run):
            self.stderr.write(line)
        if approved := sample.approve_evening(run):
            self.stdout.write(f"{label}: approved its {approved} artifacts, so that the website has something to show.")

    def _serve(self, host: str, port: int, stopping: threading.Event) -> None:
        _refuse_taken_port(host, port)
        # Last of all: a password that is made before something fails is shown to nobody.
        with mistakes_in_one_sentence():
            account = accounts.give_first_password()
        db.connections.close_all()
        web, worker = _start_web(host, port), _start_worker()
        self.stdout.write(_welcome(host, port, account))
        self.stdout.flush()
        try:
            while not stopping.is_set():
                if web.poll() is not None:
                    raise CommandError(f"The web server ended with {web.returncode}; everything is stopped.")
                if worker.poll() is not None:
                    self.stderr.write(f"The worker ended with {worker.returncode}; starting it anew.")
                    processes.sleep_until_signal(stopping, LOOK_S)
                    worker = _start_worker()
                processes.sleep_until_signal(stopping, LOOK_S)
        finally:
            _stop_both(web, worker)
        self.stdout.write("Stopped.")


def _welcome(host: str, port: int, account: tuple[str, str] | None) -> str:
    """Return where the website is, and who may sign in where this is the first start."""
    shown = f"[{host}]" if ":" in host else host
    address = f"Notarius is at http://{shown}:{port}/ (Ctrl-C stops it)."
    if account is None:
        return address
    name, password = account
    return f"{address}\nSign in as {name} with the password {password} (shown only this once)."


@contextmanager
def _quiet_log() -> Iterator[None]:
    """Leave out of the log what goes as it should: the preparation says itself how far it is."""
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.setLevel(before)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _refuse_taken_port(host: str, port: int) -> None:
    if not processes.port_is_free(host, port):
        raise CommandError(
            f"Port {port} on {host} is in use or not allowed: choose another one with --port 8001,"
            ' or make run ARGS="--port 8001".'
        )


def _start_web(host: str, port: int) -> subprocess.Popen[bytes]:
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    options = ("--worker-class", "gthread", "--workers", "2", "--threads", "4", "--log-level", "warning")
    # The socket would lie in the home folder, and nobody asks it anything.
    limits = ("--limit-request-line", "8190", "--no-control-socket", "--config", "python:notarius_site.serving")
    command = (sys.executable, "-m", "gunicorn", "notarius_site.wsgi:application", "--bind", bind, *options, *limits)
    return processes.start_child(command, environ=_shared_metrics(), end_with_parent=True)


def _shared_metrics() -> dict[str, str]:
    """Return where the web processes count together; numbers of an earlier start are cleared away."""
    folder = settings.DATA_DIR / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return {"PROMETHEUS_MULTIPROC_DIR": str(folder)}


def _start_worker() -> subprocess.Popen[bytes]:
    return processes.start_child((sys.executable, sys.argv[0], "work"), end_with_parent=True)


def _stop_both(*children: subprocess.Popen[bytes]) -> None:
    for child in children:
        if child.poll() is None:
            child.terminate()
    for child in children:
        processes.stop_child(child, grace_s=STOP_S)
