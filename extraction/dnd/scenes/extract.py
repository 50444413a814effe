"""What the model sees of a window of the transcript, and where it lets scenes begin."""

from __future__ import annotations

from extraction.dnd.artifacts.scenes import Mode, Scene
from extraction.dnd.shared.reply import Reply
from extraction.framework import Code, Finding, Scope, warning

MAPPING_POLICY = "scenes.mapping.v1"
FALLBACK_TITLE = "Untitled stretch"
FALLBACK_MODE: Mode = "other"


class SceneStartReply(Reply):
    start_unit_id: int
    title: str
    primary_mode: Mode


class ScenesReply(Reply):
    scenes: list[SceneStartReply]


def read(reply: ScenesReply, scope: Scope) -> list[Scene]:
    """Return the scene starts of a window: a start ends at itself until the document is stitched together.

    A plan is no evidence: nothing of it is put in order or mended.
    """
    return [
        Scene(" ".join(given.title.split()), given.primary_mode, given.start_unit_id, given.start_unit_id)
        for given in reply.scenes
    ]


def unplanned(scope: Scope) -> tuple[list[Scene], Finding]:
    """Return the deterministic plan of a window without a usable one: a single stretch, with a warning."""
    first = scope.index.unit_at(scope.chunk_positions.start).unit_id
    return [Scene(FALLBACK_TITLE, FALLBACK_MODE, first, first)], warning(Code.SCENES_FALLBACK)
