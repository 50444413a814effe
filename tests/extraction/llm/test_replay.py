from __future__ import annotations

import json
from pathlib import Path

import pytest

from extraction.codes import Code
from extraction.errors import InvalidCompletion, RequestRefused
from extraction.llm import replay
from extraction.llm.boundary import Message, Role, StructuredCompletion, StructuredRequest, Usage
from extraction.llm.replay import Recording, ReplayClient, dump, load_recordings, recording_key, recording_of
from tests.extraction.llm.support import GOOD, Recorder, request

TEXT = json.dumps(GOOD)
DONE = StructuredCompletion(GOOD, TEXT, Usage(10, 4, 3), "some-model")


def written(folder: Path, *recordings: Recording) -> Path:
    file = folder / "recordings.jsonl"
    file.write_bytes(dump(recordings))
    return file


def test_replay_client_answers_what_was_recorded(tmp_path: Path) -> None:
    record = Recorder()
    client = ReplayClient(written(tmp_path, recording_of(request(), DONE)))

    assert client.complete(request(), record) == DONE
    assert [(e.outcome, e.reply, e.usage, e.model) for e in record.exchanges] == [
        ("ok", TEXT.encode(), Usage(10, 4, 3), "some-model")
    ]


def test_replay_client_unknown_request_is_refused() -> None:
    record = Recorder()
    with pytest.raises(RequestRefused) as caught:
        ReplayClient({}).complete(request(), record)

    assert caught.value.code is Code.LLM_NOT_RECORDED
    assert record.outcomes == [Code.LLM_NOT_RECORDED.value]


def test_replay_client_validates_like_a_provider() -> None:
    key = recording_key(request())
    client = ReplayClient({key: Recording(key=key, prompt_id="test/keepers", text='{"keepers": 3}')})
    with pytest.raises(InvalidCompletion) as caught:
        client.complete(request(), Recorder())

    assert caught.value.code is Code.LLM_SCHEMA_MISMATCH


def test_replay_client_identity_follows_the_replies() -> None:
    first = recording_of(request(), DONE)
    changed = first.model_copy(update={"text": '{"keepers": []}'})

    assert ReplayClient({"k": first}).identity == ReplayClient({"k": first}).identity
    assert ReplayClient({"k": first}).identity != ReplayClient({"k": changed}).identity


@pytest.mark.parametrize(
    ("other", "same"),
    [
        pytest.param(request(), True, id="equal"),
        pytest.param(request(materials={"units": [1]}), True, id="materials"),
        pytest.param(request(schema_name="other"), True, id="schema-name"),
        pytest.param(request(prompt_id="test/other"), False, id="prompt"),
        pytest.param(request(messages=(Message(Role.USER, "x"),)), False, id="messages"),
        pytest.param(request(max_records=3), False, id="schema"),
    ],
)
def test_recording_key_covers_what_a_model_is_shown(other: StructuredRequest, same: bool) -> None:
    assert (recording_key(other) == recording_key(request())) is same


def test_load_recordings_last_of_one_key_counts(tmp_path: Path) -> None:
    first = recording_of(request(), DONE)
    later = first.model_copy(update={"text": '{"keepers": []}'})
    file = written(tmp_path, first, later)
    file.write_bytes(file.read_bytes() + b"\n\n")

    assert load_recordings(file) == {first.key: later}


@pytest.mark.parametrize("line", [b"canary", b"{}", b'{"key": "k", "prompt_id": "p", "text": "t", "canary": 1}'])
def test_load_recordings_malformed_line_is_named_by_number(tmp_path: Path, line: bytes) -> None:
    file = written(tmp_path, recording_of(request(), DONE))
    file.write_bytes(file.read_bytes() + line + b"\n")
    with pytest.raises(RequestRefused) as caught:
        load_recordings(file)

    assert caught.value.code is Code.LLM_CONFIGURATION
    assert "line 2" in str(caught.value)
    assert "canary" not in str(caught.value)


def test_load_recordings_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestRefused) as caught:
        load_recordings(tmp_path / "none.jsonl")

    assert caught.value.code is Code.LLM_CONFIGURATION


@pytest.mark.parametrize("limit", ["MAX_FILE_BYTES", "MAX_LINE_BYTES"])
def test_load_recordings_size_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    file = written(tmp_path, recording_of(request(), DONE))
    size = len(file.read_bytes())
    monkeypatch.setattr(replay, limit, size)
    at_limit = load_recordings(file)
    monkeypatch.setattr(replay, limit, size - 1)
    with pytest.raises(RequestRefused):
        load_recordings(file)

    assert len(at_limit) == 1
