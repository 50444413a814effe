"""Do the cited units speak of the actor and of what is said to have been done? Advisory: it only warns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from extraction.dnd.artifacts.combat_turns import CombatTurn
from extraction.dnd.shared.bound import bound_entities
from extraction.dnd.shared.npc_names import NPCS_SLOT
from extraction.dnd.shared.relatedness import WORD, mentions
from extraction.framework import Code, Finding, JsonValue, Scope, SourceRef, comparison_key, span, warning

RELATEDNESS_POLICY = "combat-turns.relatedness.v1"
# Shorter words ("the", "with") stand in any text and show nothing.
_TELLING = 4


def validate_relatedness(records: Sequence[CombatTurn], scope: Scope) -> list[Finding]:
    """Return a warning for each record whose cited units show nothing of its actor, and for each with such actions.

    An actor is shown by a word of its name or of a name the registry joined to it, or because its player speaks
    there: what a player says is rarely said with the character's name.
    """
    spellings = _spellings(scope)
    labels = _labels(scope.table)
    findings: list[Finding] = []
    for number, record in enumerate(records):
        key = comparison_key(record.actor)
        names = (record.actor, *spellings.get(key, ()))
        shown = any(mentions(name, record.source_refs, scope.index) for name in names)
        if not shown and not labels.get(key, frozenset()) & set(_speakers(record.source_refs, scope)):
            findings.append(warning(Code.EVIDENCE_UNRELATED, f"record[{number}].actor"))
        unshown = sum(not _is_told(action.declaration, record.source_refs, scope) for action in record.actions)
        if unshown:
            findings.append(warning(Code.EVIDENCE_UNRELATED, f"record[{number}].actions", actions=unshown))
    return findings


def _is_told(declaration: str, refs: Sequence[SourceRef], scope: Scope) -> bool:
    """Return whether a telling word of the declaration is said in the cited units; True where it has none."""
    telling = [word for word in WORD.findall(comparison_key(declaration)) if len(word) >= _TELLING]
    return not telling or mentions(" ".join(telling), refs, scope.index)


def _speakers(refs: Sequence[SourceRef], scope: Scope) -> Iterator[str]:
    for ref in refs:
        if (positions := span(ref, scope.index)) is not None:
            yield from (comparison_key(unit.speaker) for unit in scope.index.between(*positions) if unit.speaker)


def _spellings(scope: Scope) -> Mapping[str, tuple[str, ...]]:
    """Return the joined names of each registry entry under the key of its canonical name."""
    found: dict[str, tuple[str, ...]] = {}
    for entity in bound_entities(scope, NPCS_SLOT):
        found[entity.key] = (*found.get(entity.key, ()), *entity.members)
    return found


def _labels(table: Mapping[str, JsonValue]) -> Mapping[str, frozenset[str]]:
    """Return what each player character's player goes by, under the key of each of the character's names."""
    labels: dict[str, frozenset[str]] = {}
    party = table.get("party")
    for person in party if isinstance(party, (list, tuple)) else ():
        if isinstance(person, Mapping):
            said = frozenset(map(comparison_key, _texts(person, "player", "speaker_labels")))
            for name in _texts(person, "character", "other_names"):
                labels[comparison_key(name)] = labels.get(comparison_key(name), frozenset()) | said
    return labels


def _texts(person: Mapping[str, JsonValue], *fields: str) -> Iterator[str]:
    for field in fields:
        value = person.get(field)
        values = value if isinstance(value, (list, tuple)) else (value,)
        yield from (text for text in values if isinstance(text, str) and text.strip())
