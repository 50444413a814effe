"""Registries against their labels: who was found, who twice, who in one record with somebody else."""

from __future__ import annotations

from collections.abc import Sequence

from extraction.evaluation.found import EntityRecord, Found, FoundArtifact
from extraction.evaluation.gold import Gold, Labelled
from extraction.evaluation.labels import EntityLabel, LaneLabels
from extraction.evaluation.matching import closeness
from extraction.evaluation.names import name_key
from extraction.evaluation.scores import LaneScore, Number, evidence, mean, share

Entity = Labelled[EntityLabel]


def score_registry(gold: Gold, lane: str, labels: LaneLabels[EntityLabel], artifact: FoundArtifact) -> LaneScore:
    """Score a registry by name: a record answers the label that has its name, the closest one if several have.

    A label with several records is a missed merge; a record with the names or the evidence of several labels is a
    false one.
    """
    entities = gold.labelled(lane, labels)
    found = artifact.of(EntityRecord, gold.segment(lane))
    answers: dict[int, list[Found[EntityRecord]]] = {}
    false_merges = 0
    unexpected = []
    for each in found:
        names = {name_key(name) for name in (each.record.name, *artifact.members.get(each.record.id, ()))}
        hits = _called(entities, {name_key(each.record.name)})
        if not hits:
            unexpected.append(each.record.name)
            continue
        best = max(hits, key=lambda number: _preference(entities[number], each, number))
        answers.setdefault(best, []).append(each)
        false_merges += _is_mixed(entities, names, hits, each)
    required = [number for number, each in enumerate(entities) if not each.label.optional]
    shares = [_evidence(entities[number], records) for number, records in sorted(answers.items())]
    answered = sum(len(records) for records in answers.values())
    return LaneScore(
        lane=lane,
        gold=len(required),
        found=len(found),
        precision=share(answered, len(found)),
        recall=share(sum(number in answers for number in required), len(required)),
        evidence_precision=mean(precision for precision, _ in shares),
        evidence_recall=mean(recall for _, recall in shares),
        missed_merges=answered - len(answers),
        false_merges=false_merges,
        details=_reported(gold, labels, unexpected),
        missed=tuple(entities[number].label.name for number in required if number not in answers),
        unexpected=tuple(unexpected),
    )


def _called(entities: Sequence[Entity], names: set[str]) -> list[int]:
    """Return the labels that have one of the names."""
    return [
        number
        for number, each in enumerate(entities)
        if names & {name_key(name) for name in (each.label.name, *each.label.also)}
    ]


def _preference(entity: Entity, each: Found[EntityRecord], number: int) -> tuple[tuple[float, float], bool, int]:
    return closeness(entity, each), entity.label.name == each.record.name, -number


def _is_mixed(entities: Sequence[Entity], names: set[str], hits: Sequence[int], each: Found[EntityRecord]) -> bool:
    """Tell whether no single label has all the record's known names, or the evidence is of several namesakes."""
    known = [called for name in names if (called := set(_called(entities, {name})))]
    if known and not set.intersection(*known):
        return True
    own = [
        entities[number].core.difference(*(entities[other].core for other in hits if other != number))
        for number in hits
    ]
    return len(hits) > 1 and sum(bool(core & each.units) for core in own) > 1


def _evidence(entity: Entity, records: Sequence[Found[EntityRecord]]) -> tuple[float, float]:
    cited = frozenset(at for each in records for at in each.units)
    return evidence(cited, entity.core, entity.wider)


def _reported(gold: Gold, labels: LaneLabels[EntityLabel], unexpected: Sequence[str]) -> dict[str, Number]:
    party = {name_key(name) for person in gold.file.party for name in (person.name, *person.also)}
    barred = {name_key(name) for name in labels.not_entities}
    return {
        "party_reported": sum(name_key(name) in party for name in unexpected),
        "not_entities_reported": sum(name_key(name) in barred for name in unexpected),
    }
