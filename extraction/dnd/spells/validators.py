"""Validators of casts. They only collect."""

from __future__ import annotations

from extraction.dnd.artifacts.spells import SpellCast
from extraction.dnd.shared.relatedness import name_said_validator
from extraction.dnd.shared.shape import shape_validator
from extraction.framework import Validator, comparison_key

LEVELS = range(10)


def _faults(record: SpellCast) -> list[str]:
    texts = {"caster": record.caster, "spell": record.spell}
    texts |= {f"targets[{at}]": target for at, target in enumerate(record.targets)}
    if record.outcome is not None:
        texts["outcome"] = record.outcome
    faults = [field for field, text in texts.items() if not comparison_key(text)]
    return faults if record.level is None or record.level in LEVELS else [*faults, "level"]


def _name(record: SpellCast) -> str:
    return record.spell


validate_shape: Validator[SpellCast] = shape_validator(_faults)
"""Rejects each field that is blank, and each level that no slot and no cantrip has."""

validate_relatedness: Validator[SpellCast] = name_said_validator(_name)
"""Warns of each cast whose cited units nowhere say a word of the spell's name."""
