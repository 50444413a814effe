"""Validators of enemy events. They only collect."""

from __future__ import annotations

from typing import get_args

from extraction.dnd.artifacts.enemy_events import EnemyEvent, EventKind
from extraction.dnd.shared.relatedness import name_said_validator
from extraction.dnd.shared.shape import shape_validator
from extraction.framework import Validator, comparison_key

KINDS = frozenset(get_args(EventKind))


def _faults(record: EnemyEvent) -> list[str]:
    texts = {"enemy": record.enemy, "detail": record.detail}
    if record.actor is not None:
        texts["actor"] = record.actor
    faults = [field for field, text in texts.items() if not comparison_key(text)]
    return faults if record.kind in KINDS else [*faults, "kind"]


def _name(record: EnemyEvent) -> str:
    return record.enemy


validate_shape: Validator[EnemyEvent] = shape_validator(_faults)
"""Rejects each field that is blank, and each kind that is none of the artifact's."""

validate_relatedness: Validator[EnemyEvent] = name_said_validator(_name)
"""Warns of each event whose cited units nowhere say a word of the enemy's name."""
