"""From a profile to the client that serves it."""

from __future__ import annotations

import threading
from pathlib import Path

from extraction.llm.boundary import StructuredClient
from extraction.llm.openai_client import OpenAIClient
from extraction.llm.profiles import Profile, ProviderKind
from extraction.llm.replay import ReplayClient

_shared: dict[Profile, OpenAIClient] = {}
_lock = threading.Lock()


def client_for(profile: Profile) -> StructuredClient:
    """Return the profile's client.

    Equal openai profiles share one client, its connections and what it learnt of the provider's limit; a closed one is
    replaced. Raises RequestRefused where the profile cannot be served.
    """
    match profile.provider:
        case ProviderKind.OPENAI:
            return _shared_client(profile)
        case ProviderKind.REPLAY:
            # A replay profile without recordings does not validate.
            return ReplayClient(Path(profile.recordings or ""), mode=profile.structured_output)
        case ProviderKind.RULES:
            from extraction.llm.rules import RulesClient

            return RulesClient()


def close_clients() -> None:
    """Close the shared clients of this process: every wait ends at once."""
    with _lock:
        clients = list(_shared.values())
        _shared.clear()
    for client in clients:
        client.close()


def _shared_client(profile: Profile) -> OpenAIClient:
    with _lock:
        client = _shared.get(profile)
        if client is None or client.closed:
            client = _shared[profile] = OpenAIClient(profile)
        return client
