from __future__ import annotations

import orjson
import pytest

from extraction.checkpoints.codec import FORMAT, StoredReply, decode, encode

REPLY = StoredReply({"npcs": [{"name": "Ysolde “Mär”", "n": None}]}, attempts=2, budget=3, settled=False)
STORED = {"format": FORMAT, "data": {}, "attempts": 1, "budget": 1, "settled": True}


@pytest.mark.parametrize("reply", [REPLY, StoredReply(None, 1, 1, False), StoredReply({"npcs": []}, 1, 1, True)])
def test_decode_gives_back_what_was_encoded(reply: StoredReply) -> None:
    assert decode(encode(reply)) == reply


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="none"),
        pytest.param(b"", id="empty"),
        pytest.param(b"\x00\xff", id="bytes"),
        pytest.param(b"[]", id="list"),
        pytest.param(b'"format"', id="text"),
        pytest.param(orjson.dumps({**STORED, "format": FORMAT + 1}), id="later-format"),
        pytest.param(orjson.dumps({"format": FORMAT}), id="fields-missing"),
        *(
            pytest.param(orjson.dumps({k: v for k, v in STORED.items() if k != name}), id=f"without-{name}")
            for name in STORED
        ),
        pytest.param(orjson.dumps({**STORED, "budget": "1"}), id="budget-text"),
        pytest.param(orjson.dumps({**STORED, "settled": 1}), id="settled-number"),
        pytest.param(encode(REPLY)[:-5], id="cut"),
    ],
)
def test_decode_takes_what_it_cannot_read_as_absent(value: bytes | None) -> None:
    assert decode(value) is None


@pytest.mark.parametrize(
    ("settled", "stored", "configured", "expected"),
    [
        pytest.param(False, 2, 1, True, id="fallback-smaller"),
        pytest.param(False, 2, 2, True, id="fallback-equal"),
        pytest.param(False, 2, 3, False, id="fallback-larger"),
        pytest.param(True, 1, 9, True, id="settled"),
    ],
)
def test_holds_for_budget(settled: bool, stored: int, configured: int, expected: bool) -> None:
    assert StoredReply({}, 1, stored, settled).holds_for(configured) is expected
