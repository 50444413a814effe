"""The lane `dnd/scenes`: a plan of the session, and what the other lanes read along."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.dnd.artifacts.scenes import Scene
from extraction.dnd.scenes.extract import MAPPING_POLICY, ScenesReply, read, unplanned
from extraction.dnd.scenes.normalize import NORMALIZATION_POLICY, stitch
from extraction.dnd.scenes.validators import validate_partition, validate_starts, validate_titles
from extraction.dnd.shared.materials import chunk_materials
from extraction.framework import Chunk, ChunkLimits, Extract, JsonValue, Lane, Scope, by_size, concatenate

WINDOW_FACTOR = 3
"""A scene is longer than what one extraction call gets; a plan needs to see where one ends."""


def in_windows(scope: Scope, limits: ChunkLimits) -> tuple[Chunk, ...]:
    """Return the windows that are asked about: several times what one extraction call gets."""
    return by_size(scope.index, ChunkLimits(limits.units * WINDOW_FACTOR, limits.words * WINDOW_FACTOR))


def publish(records: Sequence[Scene], scope: Scope) -> dict[str, JsonValue]:
    """Return the artifact's records."""
    return {"scenes": [record.as_json() for record in records]}


SCENES: Lane[Scene] = Lane(
    key="dnd/scenes",
    version=1,
    records_key="scenes",
    policies=(MAPPING_POLICY, NORMALIZATION_POLICY),
    chunk=in_windows,
    extract=Extract(
        prompt="dnd/scenes.extract",
        reply=ScenesReply,
        materials=chunk_materials,
        read=read,
        validators=(validate_titles, validate_starts),
        fallback=unplanned,
    ),
    merge=concatenate,
    normalize=stitch,
    proposal=None,
    validators=(validate_titles, validate_partition),
    publish=publish,
    shares_chunks=False,
)
