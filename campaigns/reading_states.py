"""What each lane made of the units of a transcript that it does not cite."""

from __future__ import annotations

from collections.abc import Sequence

from campaigns.coverage import State
from campaigns.models import LaneRun, Transcript
from campaigns.presentation import SCENES
from campaigns.wording import LANE_NAMES

SCENE_LANE = f"dnd/{SCENES}"


def states_of(transcript: Transcript, made: Sequence[str]) -> dict[str, State]:
    """Return the state of each lane but the scenes; `made` are those that gave a version, which have read it."""
    rows = LaneRun.objects.filter(run__transcript=transcript).order_by("pk").values_list("key", "state")
    newest: dict[str, str] = {}
    read = set(made)
    for key, state in rows:
        newest[key] = state
        if state == LaneRun.State.SUCCEEDED:
            read.add(key)
    keys = dict.fromkeys((*LANE_NAMES, *made, *sorted(newest)))
    return {key: _state(key in read, newest.get(key)) for key in keys if key != SCENE_LANE}


def _state(read: bool, newest: str | None) -> State:
    if read:
        return State.READ
    return State.FAILED if newest == LaneRun.State.FAILED else State.UNSENT
