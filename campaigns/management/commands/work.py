"""Work on queued lanes until stopped."""

from __future__ import annotations

import signal
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from campaigns.supervisor import Supervisor


class Command(BaseCommand):
    help = "Work on queued lanes: starts the task cluster and keeps it alive. Stop with Ctrl-C or SIGTERM."

    def handle(self, *args: Any, **options: Any) -> None:
        supervisor = Supervisor(
            command=(sys.executable, sys.argv[0], "cluster"), workers=settings.WORKERS, canary_s=settings.CANARY_S
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: supervisor.stopping.set())
        supervisor.run()
