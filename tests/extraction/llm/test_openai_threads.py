"""One client in many threads, after it was closed, and in a process that forked."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from extraction.errors import LlmError, ProviderUnavailable
from extraction.llm.openai_client import OpenAIClient, preload
from tests.extraction.llm.support import GOOD, Recorder, profile, request
from tests.extraction.llm.wire import wire
from tests.loopback import Reply, RequestJson, ScriptedServer, answer, failure


def test_complete_many_threads_stay_bounded_at_the_providers_limit() -> None:
    """The server takes 8 at once; 16 threads ask. Refusals may not exceed the threads, and nothing is lost."""
    server = ScriptedServer(answer(GOOD), latency=0.05, limit=8, retry_after="0.2")
    with server:
        client, record = OpenAIClient(profile(server.base_url, concurrency=16, tries=5)), Recorder()
        with ThreadPoolExecutor(16) as pool:
            done = list(pool.map(lambda _: client.complete(request(), record).data, range(96)))
        client.close()

    assert done == [GOOD] * 96
    assert server.refused <= 16
    assert server.peak_in_flight == 8
    assert len(record.exchanges) == 96 + server.refused


def test_complete_keeps_as_many_connections_as_the_profile_allows() -> None:
    together = threading.Barrier(12)

    def respond(_: RequestJson) -> Reply:
        together.wait(60)
        return answer(GOOD)

    server = ScriptedServer(responder=respond)
    with server:
        client = OpenAIClient(profile(server.base_url, concurrency=12))
        for _ in range(2):
            with ThreadPoolExecutor(12) as pool:
                list(pool.map(lambda _: client.complete(request(), Recorder()), range(12)))
        client.close()

    assert server.peak_in_flight == server.connections == 12


def test_close_ends_a_wait_at_once() -> None:
    """The provider asks for two minutes; the thread that waits for them must not outlive the client."""
    failures: list[LlmError] = []
    with ScriptedServer(failure(429, headers={"Retry-After": "120"})) as server:
        client, asked = OpenAIClient(profile(server.base_url)), threading.Event()

        def wait_long() -> None:
            try:
                client.complete(request(), lambda exchange: asked.set())
            except LlmError as error:
                failures.append(error)

        thread = threading.Thread(target=wait_long)
        thread.start()
        asked.wait(5)
        client.close()
        thread.join(5)

    assert not thread.is_alive()
    assert [type(error) for error in failures] == [ProviderUnavailable]


def test_complete_stopped_while_it_waits_for_a_seat_makes_no_round_trip() -> None:
    """One seat, which another call holds until the waiting one is stopped."""
    arrived, waits, stopped = threading.Event(), threading.Event(), threading.Event()

    def once_stopped(asked: RequestJson) -> Reply:
        arrived.set()
        assert stopped.wait(20)
        return answer(GOOD)

    def looks() -> bool:
        waits.set()
        return stopped.is_set()

    server = ScriptedServer(responder=once_stopped)
    with wire(server=server, concurrency=1, timeout_s=30.0) as w, ThreadPoolExecutor(2) as pool:
        seated = pool.submit(w.ask)
        assert arrived.wait(20)
        waiting = pool.submit(w.ask, request(stopped=looks))
        assert waits.wait(20)
        stopped.set()
        assert seated.result().data == GOOD
        with pytest.raises(ProviderUnavailable):
            waiting.result()

    assert w.server.calls == len(w.record.exchanges) == 1


def test_complete_after_close_is_unavailable() -> None:
    with wire(answer(GOOD)) as w:
        w.client.close()
        with pytest.raises(ProviderUnavailable):
            w.ask()

    assert w.server.calls == 0


def test_client_used_before_a_fork_has_its_own_connections_after() -> None:
    preload()
    with wire(answer(GOOD)) as w:
        w.ask()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, b"ok" if w.ask().data == GOOD else b"no")
            os._exit(0)
        os.close(writing)
        told = os.read(reading, 2)
        os.close(reading)
        os.waitpid(child, 0)
        w.ask()

    assert told == b"ok"
    assert (w.server.calls, w.server.connections) == (3, 2)
