"""The real SDK's client and a server on loopback that answers it as told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from extraction.codes import Code
from extraction.errors import LlmError
from extraction.llm.boundary import StructuredCompletion, StructuredRequest
from extraction.llm.openai_client import OpenAIClient
from tests.extraction.llm.support import GOOD, KEY, SYSTEM_TEXT, USER_TEXT, Pauses, Recorder, profile, request
from tests.loopback import Reply, ScriptedServer

GOOD_TEXT = json.dumps(GOOD)


@dataclass
class Wire:
    server: ScriptedServer
    client: OpenAIClient
    record: Recorder
    pauses: Pauses

    def ask(self, asked: StructuredRequest | None = None) -> StructuredCompletion:
        return self.client.complete(asked or request(), self.record)


@contextmanager
def wire(*replies: Reply, server: ScriptedServer | None = None, **changes: Any) -> Iterator[Wire]:
    with server or ScriptedServer(*replies) as running:
        pauses = Pauses()
        client = OpenAIClient(profile(running.base_url, **changes), pause=pauses)
        try:
            yield Wire(running, client, Recorder(), pauses)
        finally:
            running.release()
            client.close()


def ends_in(kind: type[LlmError], code: Code, *replies: Reply, **changes: Any) -> Wire:
    """Ask once; check the error's type and code, and that neither text, chain nor exchange label leaks anything."""
    with wire(*replies, **changes) as w, pytest.raises(kind) as caught:
        w.ask()
    assert caught.value.code is code
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    text = f"{caught.value}{caught.value!r}"
    assert not any(word in text for word in (KEY, SYSTEM_TEXT, USER_TEXT, "canary", "Canary"))
    assert w.record.outcomes == [code.value] * len(w.record.exchanges)
    return w
