"""Answers that cannot be used: each kind of fault seen with real models, by an input of ours."""

from __future__ import annotations

import pytest

from extraction.codes import Code
from extraction.errors import InvalidCompletion
from extraction.llm.boundary import Usage
from extraction.llm.profiles import OutputMode
from tests.extraction.llm.support import GOOD, request
from tests.extraction.llm.wire import GOOD_TEXT, ends_in, wire
from tests.loopback import Reply, answer, chat

REPEATED = {"keepers": GOOD["keepers"] * 6}
CUT = GOOD_TEXT[:40]
PROSE = "The canary keeper is Wickern, I believe."


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(chat(PROSE), Code.LLM_NOT_JSON, id="prose"),
        pytest.param(chat(f"```json\n{GOOD_TEXT}\n```"), Code.LLM_NOT_JSON, id="fence-in-strict-mode"),
        pytest.param(chat(CUT), Code.LLM_NOT_JSON, id="cut-but-said-to-be-whole"),
        pytest.param(chat(CUT, finish_reason="length"), Code.LLM_TRUNCATED, id="cut"),
        pytest.param(chat(GOOD_TEXT, finish_reason="length"), Code.LLM_TRUNCATED, id="whole-but-said-to-be-cut"),
        pytest.param(chat('{"keepers": [' + "\n" * 400, finish_reason="length"), Code.LLM_TRUNCATED, id="white-space"),
        pytest.param(
            chat('{"keepers": 1' + "1" * 500, finish_reason="length"), Code.LLM_TRUNCATED, id="runaway-integer"
        ),
        pytest.param(chat(GOOD_TEXT.replace("7", "1" * 600)), Code.LLM_NOT_JSON, id="runaway-integer-closed"),
        pytest.param(chat(GOOD_TEXT.replace("7", "1" * 30)), Code.LLM_SCHEMA_MISMATCH, id="integer-beyond-64-bits"),
        pytest.param(chat(GOOD_TEXT.replace("7", "1e400")), Code.LLM_NOT_JSON, id="infinite"),
        pytest.param(chat(""), Code.LLM_EMPTY, id="empty"),
        pytest.param(chat(" \n\t"), Code.LLM_EMPTY, id="blank"),
        pytest.param(chat(None), Code.LLM_EMPTY, id="null"),
        pytest.param(chat(None, finish_reason="length"), Code.LLM_TRUNCATED, id="null-cut"),
        pytest.param(chat(None, tool_calls=[{"id": "c"}], finish_reason="tool_calls"), Code.LLM_EMPTY, id="tool-call"),
        pytest.param(chat(None, refusal="I will not, canary."), Code.LLM_REFUSAL, id="refusal"),
        pytest.param(chat(GOOD_TEXT, finish_reason="content_filter"), Code.LLM_REFUSAL, id="content-filter"),
        pytest.param(Reply(body=b'{"choices": []}'), Code.LLM_EMPTY, id="no-choice"),
        pytest.param(Reply(body=b'{"choices": [{"finish_reason": "stop"}]}'), Code.LLM_EMPTY, id="no-message"),
        pytest.param(Reply(body=b'{"choices": ["canary"]}'), Code.LLM_EMPTY, id="choice-is-text"),
        pytest.param(answer({"keepers": [{"canary": 1}]}), Code.LLM_SCHEMA_MISMATCH, id="other-fields"),
        pytest.param(answer({**GOOD, "canary": []}), Code.LLM_SCHEMA_MISMATCH, id="extra-field"),
        pytest.param(chat(GOOD_TEXT.replace(": 7", ': "u007"')), Code.LLM_SCHEMA_MISMATCH, id="id-as-text"),
        pytest.param(answer([GOOD]), Code.LLM_SCHEMA_MISMATCH, id="list-at-root"),
    ],
)
def test_complete_unusable_answer_is_invalid_completion(reply: Reply, code: Code) -> None:
    w = ends_in(InvalidCompletion, code, reply)

    assert w.server.calls == 1
    assert w.record.exchanges[0].reply == reply.body


def test_complete_id_outside_the_enum_is_invalid_completion() -> None:
    with wire(answer(GOOD)) as w, pytest.raises(InvalidCompletion) as caught:
        w.ask(request(unit_ids=[3, 40]))

    assert caught.value.code is Code.LLM_SCHEMA_MISMATCH


def test_complete_more_records_than_allowed_is_invalid_completion() -> None:
    with wire(answer(REPEATED)) as w, pytest.raises(InvalidCompletion) as caught:
        w.ask(request(max_records=5))

    assert caught.value.code is Code.LLM_SCHEMA_MISMATCH


def test_complete_record_repeated_up_to_the_bound_passes_unchanged() -> None:
    """Repetition is valid by the schema; the lane's merge makes one record of it."""
    with wire(answer(REPEATED)) as w:
        done = w.ask(request(max_records=6))

    assert done.data == REPEATED


def test_complete_usage_of_an_unusable_answer_is_kept() -> None:
    w = ends_in(InvalidCompletion, Code.LLM_TRUNCATED, chat(CUT, finish_reason="length"))

    assert w.record.exchanges[0].usage == Usage(120, None, 9)


def test_complete_fence_in_weaker_mode_is_read() -> None:
    fenced = f"Here you are:\n```json\n{GOOD_TEXT}\n```\n" + "\n" * 50
    with wire(chat(fenced), structured_output=OutputMode.PROMPT) as w:
        done = w.ask()

    assert (done.data, done.text) == (GOOD, fenced)


def test_complete_endless_body_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extraction.llm.openai_client.MAX_BODY_BYTES", 1000)
    w = ends_in(InvalidCompletion, Code.LLM_TOO_LARGE, chat(" " * 5000))

    assert len(w.record.exchanges[0].reply) <= 1000
