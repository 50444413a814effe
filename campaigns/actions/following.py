"""Secrets that keep single records follow a review, which tells those records otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import orjson

from campaigns.actions.nodes import Node, Record
from campaigns.library.editions import records_of
from campaigns.library.kept import SUBJECTS, KeptOccurrence, KeptRecord, kept_in, said_of, subject_of
from campaigns.library.pages import Page
from campaigns.library.ranges import standing_in
from campaigns.library.stretches import Stretch, positions_in
from campaigns.library.veiled import bound_records
from campaigns.models import ArtifactVersion, Decision, Secret


def follow(base: ArtifactVersion, nodes: Sequence[tuple[Node, Record]]) -> None:
    """Have the secrets that keep records of the base keep what became of these; the campaign must be locked.

    `nodes` pairs what a review has with the record that came of it. Besides what takes a kept record's place, that is
    every record which the review had cite lines of a kept one. What was bound before stays bound: the base may go on
    being what is approved.
    """
    family = base.artifact.lane.rpartition("/")[2]
    if family not in SUBJECTS:
        return
    rows = Secret.objects.select_for_update().filter(
        session=base.artifact.session_id, kind=Secret.Kind.OCCURRENCE, revealed_at=None
    )
    secrets = {secret.pk: secret for secret in rows.order_by("pk") if secret.binding["family"] == family}
    if not secrets:
        return
    kept = kept_in(list(secrets.values())).occurrences
    page = _page(base, [record for one in kept for record in one.records])
    before = records_of(orjson.loads(base.payload))
    for one in kept:
        bound = bound_records(one, before, page)
        new = [told for node, record in nodes if (told := _told(base, one, node, record, before, bound, page))]
        fresh = [record.as_json() for record in dict.fromkeys(new) if record not in one.records]
        if bound and fresh:
            secret = secrets[one.pk]
            secret.binding = {**secret.binding, "records": [*secret.binding["records"], *fresh]}
            secret.save(update_fields=["binding"])


def told_by_reviews(version: ArtifactVersion, record: Record) -> list[KeptRecord]:
    """Return how this record is told: in the version, in those that it was reviewed from, and in those made of it.

    Reviews from before the secret are looked through, whether they were approved, wait or were given up.
    """
    family = version.artifact.lane.rpartition("/")[2]
    chosen = KeptRecord.of(version.transcript.source_id, family, record)
    rows = Decision.objects.of(version.artifact.session_id, version.artifact.lane).filter(kind__in=Decision.EDITS)
    edits = [_Edit.of(row, family) for row in rows]
    before, since = [chosen], [chosen]
    for edit in reversed(edits):
        before += [old for old, new in edit.became() if new in before and old not in before]
    for edit in edits:
        given = {record for record in since if record.given}
        since += [replace(new, given=old in given) for old, new in edit.became() if old in since and new not in since]
        since += [replace(new, given=True) for old, new in edit.gave() if old in since and new not in since]
    return list(dict.fromkeys([*since, *before]))


@dataclass(frozen=True, slots=True)
class _Edit:
    """What an edit began from and what it made: as many, or of a turn that was parted or joined more or fewer."""

    before: Sequence[KeptRecord]
    after: Sequence[KeptRecord]

    @classmethod
    def of(cls, row: Decision, family: str) -> _Edit:
        told = (row.data.get("before", ()), row.data.get("after", ()))
        return cls(*([_kept_record(node["record"], family) for node in nodes] for nodes in told))

    def became(self) -> Iterator[tuple[KeptRecord, KeptRecord]]:
        """Yield each record with what has taken its place."""
        alike = len(self.before) == len(self.after)
        yield from zip(self.before, self.after, strict=True) if alike else product(self.before, self.after)

    def gave(self) -> Iterator[tuple[KeptRecord, KeptRecord]]:
        """Yield each record with another that was given evidence of it."""
        if len(self.before) == len(self.after):
            for had, new in zip(self.before, self.after, strict=True):
                yield from ((old, new) for old in self.before if old.refs & (new.refs - had.refs))


def _kept_record(record: Record, family: str) -> KeptRecord:
    return KeptRecord.of(record["source_refs"][0]["source_id"], family, record)


def _page(base: ArtifactVersion, records: Sequence[KeptRecord]) -> Page:
    units = base.transcript.units.order_by("position").values_list("unit_id", "text")
    return Page(lambda: list(units), (), standing_in(records, base.transcript))


def _told(
    base: ArtifactVersion,
    kept: KeptOccurrence,
    node: Node,
    record: Record,
    before: Sequence[Mapping[str, Any]],
    bound: Sequence[Mapping[str, Any]],
    page: Page,
) -> KeptRecord | None:
    """Return how the record is told if it stands for a bound one, or has been given lines of one."""
    source_id, family = base.transcript.source_id, kept.family
    old = [before[at] for at in node.made_of]
    from_bound = [each for each in old if each in bound]
    if from_bound:
        given = all(_is_given(kept, each, page) for each in from_bound)
        return KeptRecord.of(source_id, family, record, given=given)
    lines = [stretch for each in bound for stretch in page.stretches(each)]
    had = _common([stretch for each in old for stretch in page.stretches(each)], lines)
    takes = node.touched and bool(_common(page.stretches(record), lines) - had)
    return KeptRecord.of(source_id, family, record, given=True) if takes else None


def _is_given(kept: KeptOccurrence, record: Mapping[str, Any], page: Page) -> bool:
    """Say whether the record is bound only because it was given lines, as this revision or an earlier one tells it."""
    told = subject_of(kept.family, record), page.stretches(record), said_of(record)
    alike = [one for one in kept.records if (one.subject, page.standing(one), one.said) == told]
    return bool(alike) and all(one.given for one in alike)


def _common(cited: Iterable[Stretch], lines: Sequence[Stretch]) -> set[int]:
    return positions_in(lines) & positions_in(cited)
