"""The task cluster as `work` starts it: not for use by hand."""

from __future__ import annotations

import os
from typing import Any

from django_q.management.commands.qcluster import Command as QCluster
from django_q.signals import post_execute, post_spawn

from campaigns import processes, tasks
from campaigns.adapters.providers import catalog, profiles
from campaigns.supervisor import PIPE_VARIABLE
from extraction.errors import InputError
from extraction.llm.openai_client import preload
from extraction.llm.profiles import ProviderKind


class Command(QCluster):  # type: ignore[misc]  # django-q2 ships no types
    help = "The task cluster as `work` starts it; use `work`."

    def handle(self, *args: Any, **options: Any) -> None:
        load_shared()
        pipe = os.environ.get(PIPE_VARIABLE)
        if pipe is not None:
            descriptor = int(pipe)

            def watch(**_: Any) -> None:
                processes.end_group_with(descriptor)

            post_spawn.connect(watch, weak=False)
        # Sent by the process that acknowledges: when it is gone, no canary comes home.
        post_execute.connect(tasks.stamp_cluster)
        super().handle(*args, **options)


def load_shared() -> None:
    """Load before the workers are forked what each of them would load again after every recycling."""
    try:
        catalog()
        kinds = {profile.provider for profile in profiles().values()}
    except InputError:
        return  # a lane that needs what is wrong fails with the sentence that says so
    if ProviderKind.OPENAI in kinds:
        preload()
