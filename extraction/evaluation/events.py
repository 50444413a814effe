"""Records of what happened, in order, against their labels: occurrences, spells, combat turns, enemy events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

from extraction.evaluation.found import (
    EventRecord,
    Found,
    FoundArtifact,
    OccurrenceRecord,
    Shape,
    SpellRecord,
    TurnRecord,
)
from extraction.evaluation.gold import Gold, Labelled
from extraction.evaluation.labels import (
    EventLabel,
    ItemOccurrenceLabel,
    Label,
    LaneLabels,
    LocationOccurrenceLabel,
    NpcOccurrenceLabel,
    SpellLabel,
    TurnLabel,
)
from extraction.evaluation.matching import Agreement, Matches, match
from extraction.evaluation.names import name_key
from extraction.evaluation.scores import LaneScore, Number, evidence, mean, order_kept, share

O = TypeVar("O", NpcOccurrenceLabel, ItemOccurrenceLabel, LocationOccurrenceLabel)  # noqa: E741
L = TypeVar("L", bound=Label)
R = TypeVar("R", bound=Shape)

TOUCHING = 0.0
TURN_OVERLAP = 0.25


def score_occurrences(gold: Gold, lane: str, labels: LaneLabels[O], artifact: FoundArtifact) -> LaneScore:
    """Score occurrences: the same identity, an accepted kind, evidence in common.

    Where one stretch was reported in several records, all of them are true; they count as missed merges.
    """
    return _score(
        gold, lane, labels, _occurrences(gold, lane, labels, artifact), "name", repeats_are_true=True, details={}
    )


def score_item_occurrences(
    gold: Gold, lane: str, labels: LaneLabels[ItemOccurrenceLabel], artifact: FoundArtifact
) -> LaneScore:
    """Score item occurrences as the others, and who gets, does or gives the thing, and who receives it."""
    actors = gold.actors()
    made = _occurrences(gold, lane, labels, artifact)
    pairs = [(each.label, found.record) for each, found in made.pairs]
    actor = [
        any(actors.same_or_none(one, record.actor) for one in (label.actor, *label.alternatives.actor))
        for label, record in pairs
    ]
    recipient = [
        any(actors.same_or_none(one, record.recipient) for one in (label.recipient, *label.alternatives.recipient))
        for label, record in pairs
    ]
    details: dict[str, Number] = {
        "actor_accuracy": share(sum(actor), len(actor)),
        "recipient_accuracy": share(sum(recipient), len(recipient)),
    }
    return _score(gold, lane, labels, made, "name", repeats_are_true=True, details=details)


def _occurrences(gold: Gold, lane: str, labels: LaneLabels[O], artifact: FoundArtifact) -> Matches[O, OccurrenceRecord]:
    registry = gold.registry(lane)

    def agree(label: O, record: OccurrenceRecord) -> int | None:
        kinds = (label.kind, *label.alternatives.kind)
        if not registry.same(label.name, record.name) or record.kind not in kinds:
            return None
        people = (getattr(label, "actor", None), getattr(label, "recipient", None))
        return _equal((record.kind, label.kind), (record.name, label.name), ((record.actor, record.recipient), people))

    return _matched(gold, lane, labels, artifact.of(OccurrenceRecord, gold.segment(lane)), agree, TOUCHING)


def score_spells(gold: Gold, lane: str, labels: LaneLabels[SpellLabel], artifact: FoundArtifact) -> LaneScore:
    """Score castings: the same spell by the same caster, evidence in common."""
    actors = gold.actors()

    def agree(label: SpellLabel, record: SpellRecord) -> int | None:
        spells = {name_key(spell) for spell in (label.spell, *label.alternatives.spell)}
        casters = (label.caster, *label.alternatives.caster)
        if name_key(record.spell) not in spells or not any(actors.same(one, record.caster) for one in casters):
            return None
        return _equal(
            (record.spell, label.spell),
            (record.caster, label.caster),
            (record.level, label.level),
            (record.targets, label.targets),
        )

    made = _matched(gold, lane, labels, artifact.of(SpellRecord, gold.segment(lane)), agree, TOUCHING)
    levels = [(found.record.level, (each.label.level, *each.label.alternatives.level)) for each, found in made.pairs]
    targets = [
        any(
            actors.same_all(one, found.record.targets) for one in (each.label.targets, *each.label.alternatives.targets)
        )
        for each, found in made.pairs
    ]
    details: dict[str, Number] = {
        "level_accuracy": share(sum(level in accepted for level, accepted in levels), len(levels)),
        "invented_levels": sum(level is not None and level not in accepted for level, accepted in levels),
        "target_accuracy": share(sum(targets), len(targets)),
    }
    return _score(gold, lane, labels, made, "spell", details=details)


def score_turns(gold: Gold, lane: str, labels: LaneLabels[TurnLabel], artifact: FoundArtifact) -> LaneScore:
    """Score combat turns: the same actor, evidence with an overlap (Jaccard) of at least 0.25."""
    actors = gold.actors()

    def agree(label: TurnLabel, record: TurnRecord) -> int | None:
        if not any(actors.same(one, record.actor) for one in (label.actor, *label.alternatives.actor)):
            return None
        return _equal(
            (record.actor, label.actor),
            (record.turn_kind, label.turn_kind),
            (record.round, label.round),
            ([action.category for action in record.actions], [action.category for action in label.actions]),
        )

    made = _matched(gold, lane, labels, artifact.of(TurnRecord, gold.segment(lane)), agree, TURN_OVERLAP)
    kinds = [
        found.record.turn_kind in (each.label.turn_kind, *each.label.alternatives.turn_kind)
        for each, found in made.pairs
    ]
    rounds = [(found.record.round, (each.label.round, *each.label.alternatives.round)) for each, found in made.pairs]
    details: dict[str, Number] = {
        "kind_accuracy": share(sum(kinds), len(kinds)),
        "invented_rounds": sum(said is not None and said not in accepted for said, accepted in rounds),
        "action_agreement": mean(
            _actions(each.label, found.record) for each, found in made.pairs if each.label.actions
        ),
    }
    return _score(gold, lane, labels, made, "actor", details=details)


def score_enemy_events(gold: Gold, lane: str, labels: LaneLabels[EventLabel], artifact: FoundArtifact) -> LaneScore:
    """Score enemy events: the same enemy, an accepted kind, evidence in common."""
    actors = gold.actors()

    def agree(label: EventLabel, record: EventRecord) -> int | None:
        enemies = (label.enemy, *label.alternatives.enemy)
        if record.kind not in (label.kind, *label.alternatives.kind):
            return None
        if not any(actors.same(one, record.enemy) for one in enemies):
            return None
        return _equal((record.kind, label.kind), (record.enemy, label.enemy), (record.actor, label.actor))

    made = _matched(gold, lane, labels, artifact.of(EventRecord, gold.segment(lane)), agree, TOUCHING)
    right = [
        any(actors.same_or_none(one, found.record.actor) for one in (each.label.actor, *each.label.alternatives.actor))
        for each, found in made.pairs
    ]
    return _score(gold, lane, labels, made, "enemy", details={"actor_accuracy": share(sum(right), len(right))})


def _matched(
    gold: Gold,
    lane: str,
    labels: LaneLabels[L],
    found: tuple[Found[R], ...],
    agree: Agreement[L, R],
    least: float,
) -> Matches[L, R]:
    return match(gold.labelled(lane, labels), found, agree, least)


def _score(
    gold: Gold,
    lane: str,
    labels: LaneLabels[L],
    made: Matches[L, R],
    title: str,
    *,
    repeats_are_true: bool = False,
    details: Mapping[str, Number],
) -> LaneScore:
    """Return the figures that all lanes of records in order have; `title` is the field that a record is called by."""
    found = len(made.pairs) + len(made.extras) + len(made.unexpected)
    required = [each for each, _ in made.pairs if not each.label.optional]
    missed = [each for each in made.missed if not each.label.optional]
    cited = _cited(made, with_extras=repeats_are_true)
    shares = [evidence(units, each.core, each.wider) for each, units in cited]
    barred = {name_key(name) for name in labels.not_entities}
    strangers = [str(getattr(each.record, title)) for each in made.unexpected]
    return LaneScore(
        lane=lane,
        gold=len(required) + len(missed),
        found=found,
        precision=share(len(made.pairs) + len(made.extras) * repeats_are_true, found),
        recall=share(len(required), len(required) + len(missed)),
        evidence_precision=mean(precision for precision, _ in shares),
        evidence_recall=mean(recall for _, recall in shares),
        order=order_kept([(min(each.core), record.at) for each, record in made.pairs]),
        missed_merges=len(made.extras),
        false_merges=made.swallowed,
        details={**details, "not_entities_reported": sum(name_key(name) in barred for name in strangers)},
        missed=tuple(_listed(each.label, title, gold, each.core) for each in missed),
        unexpected=tuple(_listed(each.record, title, gold, each.units) for each in made.unexpected),
    )


def _cited(made: Matches[L, R], *, with_extras: bool) -> list[tuple[Labelled[L], frozenset[int]]]:
    extras: Iterable[tuple[Labelled[L], Found[R]]] = made.extras if with_extras else ()
    more: dict[int, set[int]] = {}
    for each, record in extras:
        more.setdefault(id(each), set()).update(record.units)
    return [(each, record.units | more.get(id(each), set())) for each, record in made.pairs]


def _equal(*fields: tuple[object, object]) -> int:
    """Return how many fields are the label's to the letter; only between equally close records does it decide."""
    return sum(said == wanted for said, wanted in fields)


def _listed(record: Label | Shape, title: str, gold: Gold, units: frozenset[int]) -> str:
    """Return what a person needs to find the record: its name, its kind where it has one, its first unit."""
    kind = getattr(record, "kind", None) or getattr(record, "turn_kind", None)
    words = [
        str(getattr(record, title)),
        *([str(kind)] if kind else []),
        f"at {gold.index.unit_at(min(units)).unit_id}",
    ]
    return " ".join(words)


def _actions(label: TurnLabel, record: TurnRecord) -> float:
    """Return how far the kinds of action agree: shared ones among all, each as often as it stands."""
    wanted: Counter[str] = Counter(action.category for action in label.actions)
    said = Counter(action.category for action in record.actions)
    return (wanted & said).total() / (wanted | said).total()
