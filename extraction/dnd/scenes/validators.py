"""What makes a scene plan usable. A plan that is no partition is refused, never mended."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from extraction.dnd.artifacts.scenes import Scene
from extraction.dnd.shared.scene_chunks import is_partition
from extraction.framework import Code, Finding, Scope, rejection

MAX_TITLE = 200


def validate_titles(records: Sequence[Scene], scope: Scope) -> list[Finding]:
    """Return a rejection for each scene without a title, or with a passage in place of one."""
    return [
        rejection(Code.RECORD_SHAPE, f"record[{number}].title", characters=len(record.title))
        for number, record in enumerate(records)
        if not 0 < len(record.title) <= MAX_TITLE
    ]


def validate_starts(records: Sequence[Scene], scope: Scope) -> list[Finding]:
    """Return rejections where the starts are not the window's units in rising order, the document's head among them."""
    places = [scope.index.find(record.start_unit_id) for record in records]
    findings = [
        rejection(Code.EVIDENCE_OUTSIDE_CHUNK, f"record[{number}]")
        for number, place in enumerate(places)
        if place is None or place not in scope.chunk_positions
    ]
    known = [place for place in places if place is not None]
    if any(later <= before for before, later in pairwise(known)):
        findings.append(rejection(Code.SCENES_NOT_A_PARTITION, scenes=len(records)))
    if scope.chunk_positions.start == 0 and (not known or known[0] != 0):
        findings.append(rejection(Code.SCENES_NOT_A_PARTITION, "record[0]"))
    return findings


def validate_partition(records: Sequence[Scene], scope: Scope) -> list[Finding]:
    """Return a rejection where the scenes do not cover every unit exactly once, in order."""
    if is_partition(scope.index, [(record.start_unit_id, record.end_unit_id) for record in records]):
        return []
    return [rejection(Code.SCENES_NOT_A_PARTITION, scenes=len(records))]
