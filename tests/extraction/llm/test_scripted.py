from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from extraction.codes import Code
from extraction.errors import InvalidCompletion, LlmError, ProviderUnavailable, RequestRefused
from extraction.llm.boundary import StructuredClient, StructuredRequest
from extraction.llm.profiles import OutputMode
from extraction.llm.scripted import ScriptedClient, ScriptedReply
from tests.extraction.llm.support import GOOD, Recorder, request


def test_scripted_client_answers_each_prompt_from_its_queue_in_order() -> None:
    client, record = ScriptedClient(), Recorder()
    client.enqueue("test/keepers", GOOD, {"keepers": []})
    client.enqueue("test/other", {"keepers": []})
    first, second = (client.complete(request(), record).data for _ in range(2))
    other = client.complete(request(prompt_id="test/other"), record).data

    assert (first, second, other) == (GOOD, {"keepers": []}, {"keepers": []})
    assert [asked.prompt_id for asked in client.requests] == ["test/keepers", "test/keepers", "test/other"]
    assert record.outcomes == ["ok"] * 3


@pytest.mark.parametrize(
    ("reply", "kind", "code"),
    [
        pytest.param("Wickern, I think", InvalidCompletion, Code.LLM_NOT_JSON, id="prose"),
        pytest.param("", InvalidCompletion, Code.LLM_EMPTY, id="empty"),
        pytest.param({"keepers": 1}, InvalidCompletion, Code.LLM_SCHEMA_MISMATCH, id="mismatch"),
        pytest.param(ProviderUnavailable("x"), ProviderUnavailable, Code.LLM_CONNECTION, id="error"),
        pytest.param(
            InvalidCompletion("x", code=Code.LLM_TRUNCATED), InvalidCompletion, Code.LLM_TRUNCATED, id="truncated"
        ),
    ],
)
def test_scripted_client_junk_ends_as_with_a_provider(reply: ScriptedReply, kind: type[LlmError], code: Code) -> None:
    client, record = ScriptedClient(), Recorder()
    client.enqueue("test/keepers", reply)
    with pytest.raises(kind) as caught:
        client.complete(request(), record)

    assert caught.value.code is code
    assert record.outcomes == [code.value]


def test_scripted_client_reads_a_fence_where_the_mode_allows_it() -> None:
    client = ScriptedClient(mode=OutputMode.PROMPT)
    client.enqueue("test/keepers", f"```json\n{json.dumps(GOOD)}\n```")

    assert client.complete(request(), Recorder()).data == GOOD


def test_scripted_client_out_of_script_is_refused() -> None:
    with pytest.raises(RequestRefused) as caught:
        ScriptedClient().complete(request(), Recorder())

    assert caught.value.code is Code.LLM_NOT_RECORDED


def test_scripted_client_callable_answers_what_is_not_enqueued() -> None:
    def nobody(asked: StructuredRequest) -> dict[str, list[str]]:
        return {"keepers": []}

    client: StructuredClient = ScriptedClient(nobody)

    assert client.complete(request(), Recorder()).data == {"keepers": []}
    assert client.identity["provider"] == "scripted"


def test_scripted_client_gives_each_thread_its_own_reply() -> None:
    client, record = ScriptedClient(), Recorder()
    client.enqueue("test/keepers", *[{"keepers": [{**GOOD["keepers"][0], "name": str(n)}]} for n in range(64)])
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda _: client.complete(request(), record).text, range(64)))

    assert len(set(texts)) == len(client.requests) == len(record.exchanges) == 64
