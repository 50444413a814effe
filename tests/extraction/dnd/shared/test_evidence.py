"""The wiring of endpoint order; its case table stands with the tests of `extraction.source`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from extraction.dnd.npcs.extract import NpcsReply, read
from extraction.dnd.shared import evidence
from extraction.dnd.shared.evidence import cited_refs
from extraction.dnd.shared.references import validate_source_refs
from extraction.dnd.shared.reply import RangeReply
from extraction.findings import Decision, decide
from extraction.source.index import DocumentIndex
from tests.extraction import story
from tests.extraction.story import make_scope, ref

DND = Path(inspect.getfile(evidence)).parents[1]


def test_read_puts_reversed_endpoints_forward_and_leaves_the_reply_alone() -> None:
    scope = make_scope()
    reply = NpcsReply.model_validate(story.npcs_reply({"Wick": [(205, 206), (52, 50), (209, 209)]}))
    before = reply.model_copy(deep=True)
    (record,) = read(reply, scope)

    assert record.source_refs == (ref(50, 52), ref(209, 209), ref(206, 205))
    assert decide(validate_source_refs([record], scope)) is Decision.ACCEPT
    assert reply == before


def test_read_leaves_unknown_units_as_they_came_and_validators_reject_them() -> None:
    scope = make_scope()
    reply = NpcsReply.model_validate(story.npcs_reply({"Wick": [(999, 41), (52, -1)]}))
    (record,) = read(reply, scope)

    assert record.source_refs == (ref(999, 41), ref(52, -1))
    assert decide(validate_source_refs([record], scope)) is Decision.REJECT


def test_cited_refs_are_canonical_and_belong_to_the_current_source(index: DocumentIndex) -> None:
    given = [RangeReply(start_unit_id=start, end_unit_id=end) for start, end in [(21, 7), (41, 41), (7, 21), (41, 41)]]

    assert cited_refs(given, index) == (ref(41, 41), ref(7, 21))


def test_one_function_orders_endpoints_for_every_family() -> None:
    """No other module of the families calls the operation or writes one of its own."""
    callers = [
        file.relative_to(DND).as_posix()
        for file in sorted(DND.rglob("*.py"))
        if re.search(r"\border_endpoints\b", file.read_text(encoding="utf-8"))
    ]

    assert callers == ["shared/evidence.py"]
