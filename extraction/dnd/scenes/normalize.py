"""From scene starts to scenes that partition the document, none longer than a person wants to scroll."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from extraction.dnd.artifacts.scenes import Scene
from extraction.dnd.shared.scene_chunks import cut
from extraction.framework import ChunkLimits, Code, Finding, Scope, StageOutcome, warning

NORMALIZATION_POLICY = "scenes.stitch.split-150-3000.v1"
LONGEST = ChunkLimits(units=150, words=3_000)


def stitch(records: Sequence[Scene], scope: Scope) -> StageOutcome[tuple[Scene, ...]]:
    """Return scenes from each start to the unit before the next one.

    A scene over the limits is split at a change of speaker; its parts keep title and mode, and one warning counts them.
    """
    index = scope.index
    starts = [index.position(record.start_unit_id) for record in records]
    scenes: list[Scene] = []
    findings: list[Finding] = []
    for record, (start, following) in zip(records, pairwise([*starts, len(index)]), strict=True):
        parts = list(cut(index, start, following - 1, LONGEST))
        if len(parts) > 1:
            findings.append(warning(Code.SCENES_SPLIT, f"record[{len(scenes)}]", parts=len(parts)))
        for first, last in parts:
            ends = index.unit_at(first).unit_id, index.unit_at(last).unit_id
            scenes.append(Scene(record.title, record.primary_mode, *ends))
    return StageOutcome(tuple(scenes), tuple(findings))
