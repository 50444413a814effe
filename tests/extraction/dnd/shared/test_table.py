"""Who sits at the table, and whether a cited passage says a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from extraction.dnd.shared.relatedness import mentions
from extraction.dnd.shared.roster import party_keys
from extraction.source.index import DocumentIndex
from extraction.source.references import SourceRef
from tests.extraction import story
from tests.extraction.story import ref


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param({}, set(), id="nobody"),
        pytest.param({"gm": {"player": "Ottilie", "speaker_labels": ["GM"]}}, {"ottilie", "gm"}, id="gm"),
        pytest.param(
            {
                "party": [
                    {"character": "Sister  Corwen", "player": "Bram", "speaker_labels": [], "other_names": ["Cor"]}
                ]
            },
            {"sister corwen", "bram", "cor"},
            id="every-name-of-a-member",
        ),
        pytest.param({"gm": {"player": None, "speaker_labels": []}, "party": []}, set(), id="gm-unknown"),
        pytest.param({"party": [{"character": "", "player": " "}]}, set(), id="empty-names"),
        pytest.param({"gm": "Ottilie", "party": {"a": 1}}, set(), id="other-shapes"),
    ],
)
def test_party_keys(table: Mapping[str, Any], expected: set[str]) -> None:
    assert party_keys(table) == expected


def test_party_keys_of_the_standard_table() -> None:
    assert party_keys(story.TABLE) == {"ottilie", "corwen", "bram", "pike", "yun"}


@pytest.mark.parametrize(
    ("name", "refs", "expected"),
    [
        pytest.param("Wick", [ref(50, 50)], True, id="said"),
        pytest.param("WICK", [ref(50, 50)], True, id="case"),
        pytest.param("Old Wick the Eel", [ref(50, 50)], True, id="one-word-of-it"),
        pytest.param("Wic", [ref(50, 50)], False, id="part-of-a-word"),
        pytest.param("Wick", [ref(41, 41), ref(49, 50)], True, id="in-a-later-range"),
        pytest.param("Wick", [ref(41, 49)], False, id="not-said"),
        pytest.param("Wick", [ref(999, 999)], False, id="unresolved"),
        pytest.param("Wick", [], False, id="no-evidence"),
        pytest.param("...", [ref(41, 211)], False, id="no-word"),
    ],
)
def test_mentions(index: DocumentIndex, name: str, refs: list[SourceRef], expected: bool) -> None:
    assert mentions(name, refs, index) is expected
