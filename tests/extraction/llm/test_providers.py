from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from extraction.codes import Code
from extraction.errors import ProviderUnavailable, RequestRefused
from extraction.llm.openai_client import OpenAIClient
from extraction.llm.profiles import Profile, ProviderKind
from extraction.llm.providers import client_for, close_clients
from extraction.llm.replay import ReplayClient, dump
from tests.extraction.llm.support import Recorder, profile, request

ADDRESS = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def closed_afterwards() -> Iterator[None]:
    yield
    close_clients()


def test_client_for_openai_is_shared_by_equal_profiles() -> None:
    first = client_for(profile(ADDRESS))

    assert isinstance(first, OpenAIClient)
    assert client_for(profile(ADDRESS)) is first
    assert client_for(profile(ADDRESS, model="other")) is not first


def test_client_for_replaces_a_closed_client() -> None:
    first = client_for(profile(ADDRESS))
    assert isinstance(first, OpenAIClient)
    first.close()

    assert client_for(profile(ADDRESS)) is not first


def test_close_clients_closes_the_shared_ones() -> None:
    client = client_for(profile(ADDRESS))
    close_clients()
    with pytest.raises(ProviderUnavailable):
        client.complete(request(), Recorder())


def test_client_for_replay_reads_its_recordings(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(dump([]))

    assert isinstance(client_for(Profile(provider=ProviderKind.REPLAY, recordings=str(file))), ReplayClient)


def test_client_for_replay_without_its_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestRefused) as caught:
        client_for(Profile(provider=ProviderKind.REPLAY, recordings=str(tmp_path / "none")))

    assert caught.value.code is Code.LLM_CONFIGURATION


def test_client_for_rules_is_the_embedded_baseline() -> None:
    assert client_for(Profile()).identity["provider"] == "rules"


@pytest.mark.slow
def test_sdk_is_not_imported_before_it_is_needed() -> None:
    """It takes a second and 50 MB: a process that makes no call must not pay for it."""
    program = (
        "import sys; from extraction.llm import providers, openai_client; from extraction.llm.profiles import Profile;"
        "openai_client.OpenAIClient(Profile(provider='openai', base_url='http://h/v1', model='m'));"
        "before = {'openai', 'httpx2'} & sys.modules.keys(); openai_client.preload();"
        "sys.exit(0 if not before and 'openai' in sys.modules else 1)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, timeout=60)

    assert done.returncode == 0
