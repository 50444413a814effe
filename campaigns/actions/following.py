"""Secrets that keep single records follow a review, which tells those records otherwise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias

import orjson

from campaigns.actions.nodes import Node, Record
from campaigns.library.editions import records_of
from campaigns.library.kept import SUBJECTS, KeptOccurrence, KeptRecord, kept_in, said_of, subject_of
from campaigns.library.pages import Page
from campaigns.library.ranges import standing_in
from campaigns.library.stretches import Stretch, positions_in
from campaigns.library.veiled import bound_records
from campaigns.models import ArtifactVersion, Decision, Secret, Transcript

Units = Sequence[tuple[int, str]]
# What kept records say, by their subject and where their lines stand.
_Tellings: TypeAlias = "Mapping[tuple[tuple[str, ...], frozenset[Stretch]], Collection[str]]"


@dataclass(frozen=True, slots=True)
class _Made:
    """A record of a version, and those of its base that it was made of; `touched` is one that a review changed."""

    record: Record
    old: Sequence[Record]
    touched: bool = True


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
    before = records_of(orjson.loads(base.payload))
    made = [_Made(record, [before[at] for at in node.made_of], node.touched) for node, record in nodes]
    units = _units(base.transcript)
    for one in kept_in(list(secrets.values())).occurrences:
        page = _page(base.transcript, one, units)
        bound = bound_records(one, _whole(before, family), page)
        told = _became(one, bound, made, base.transcript.source_id, page)
        known = [record.as_json() for record in _with(one, told).records]
        secret = secrets[one.pk]
        if known != secret.binding["records"]:
            secret.binding = {**secret.binding, "records": known}
            secret.save(update_fields=["binding"])


def told_by_reviews(version: ArtifactVersion, record: Record) -> list[KeptRecord]:
    """Return how this record is told: in the version, in those that it was reviewed from, and in those made of it.

    Reviews from before the secret are looked through, whether they were approved, wait or were given up. Those of
    later versions are followed as if the secret had been there. Of earlier ones, what the version tells beside the
    record is another.
    """
    family = version.artifact.lane.rpartition("/")[2]
    chosen = KeptRecord.of(version.transcript.source_id, family, record)
    edits = list(_edits(version, family))
    then = [edit for edit in edits if edit.number <= version.number]
    first = since = was = KeptOccurrence(0, version.artifact.session_id, family, (chosen,))
    for edit in reversed(then):
        was = _with(was, edit.made_from(was))
    told = [KeptRecord.of(chosen.source_id, family, one) for one in _records(version.pk, family)]
    beside = replace(first, records=tuple(one for one in told if one != chosen))
    likely = was
    for edit in then:
        since = _with(since, edit.became(since, exactly=True))
        likely = _with(likely, edit.may_have_become(since, was, likely, beside))
    kept = _with(_with(was, since.records), likely.records)
    for edit in edits[len(then) :]:
        kept = _with(kept, edit.became(kept))
    return list(kept.records)


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edit of a review: the records that it began from, and what it made.

    The version before it is its `base`; `read` gives what is in one.
    """

    number: int
    transcript: Transcript
    units: Units
    base: int | None
    read: Callable[[int], Sequence[Record]]
    old: Sequence[Record]
    new: Sequence[Record]

    def became(self, kept: KeptOccurrence, *, exactly: bool = False) -> list[KeptRecord]:
        """Return what the version has of a kept record of its base; `exactly` of one that is told there as it is."""
        before, page = self._before(), self._page(kept)
        bound = _exact(kept, before, page) if exactly else bound_records(kept, before, page)
        left = [_Made(each, [each], touched=False) for each in bound if each not in self.old]
        return _became(kept, bound, [*self._made(), *left], self.transcript.source_id, page)

    def may_have_become(
        self, kept: KeptOccurrence, was: KeptOccurrence, likely: KeptOccurrence, beside: KeptOccurrence
    ) -> list[KeptRecord]:
        """Return what the version made of what may be the kept record, where its base does not tell that as it is.

        That is what is known to have been it or to be `likely` it, else what cites its lines. Of several that were
        made of one it is those that are known too, else those that still cite its lines. What stands `beside` it is
        another.
        """
        before, page = self._before(), self._page(kept)
        if _exact(kept, before, page):
            return []
        bound = _exact(likely, before, self._page(likely)) or bound_records(kept, before, page)
        found = [made.record for made in self._made() if any(old in bound for old in made.old)]
        lines = [stretch for one in kept.records for stretch in page.standing(one)]
        found = (
            _exact(was, found, self._page(was))
            or [record for record in found if _common(page.stretches(record), lines)]
            or found
        )
        others = _exact(beside, found, self._page(beside)) if found else []
        source_id = self.transcript.source_id
        return [KeptRecord.of(source_id, kept.family, one, likely=True) for one in found if one not in others]

    def made_from(self, kept: KeptOccurrence) -> list[KeptRecord]:
        """Return what the version made kept records of."""
        exact = _exact(kept, self.new, self._page(kept))
        found = [old for made in self._made() if made.record in exact for old in made.old]
        return [replace(KeptRecord.of(self.transcript.source_id, kept.family, one), earlier=True) for one in found]

    def _before(self) -> Sequence[Record]:
        return self.old if self.base is None else self.read(self.base)

    def _page(self, kept: KeptOccurrence) -> Page:
        return _page(self.transcript, kept, self.units)

    def _made(self) -> list[_Made]:
        """Return what the edit made: each of one, or of a turn that was parted or joined each of all."""
        if len(self.old) == len(self.new):
            return [_Made(new, [old]) for old, new in zip(self.old, self.new, strict=True)]
        return [_Made(new, self.old) for new in self.new]


def _edits(version: ArtifactVersion, family: str) -> Iterator[_Edit]:
    """Yield the edits of the version's artifact, oldest first. What each began from is read when it is asked for."""
    rows = Decision.objects.of(version.artifact.session_id, version.artifact.lane).filter(kind__in=Decision.EDITS)
    made = ArtifactVersion.objects.filter(pk__in=rows.order_by().values("made"))
    versions = made.select_related("transcript").only("number", "parent", "transcript").in_bulk()
    units: dict[int, Units] = {}
    # An edit is asked more than once in a row what it began from, and each answer is all of a lane.
    read = lru_cache(maxsize=1)(partial(_records, family=family))
    for made_id, data in rows.values_list("made", "data"):
        row = versions.get(made_id)
        if row is not None:
            if row.transcript_id not in units:
                units[row.transcript_id] = _units(row.transcript)
            old, new = (_whole([node["record"] for node in data.get(side, ())], family) for side in ("before", "after"))
            yield _Edit(row.number, row.transcript, units[row.transcript_id], row.parent_id, read, old, new)


def _records(version_id: int, family: str) -> list[Record]:
    payload = ArtifactVersion.objects.values_list("payload", flat=True).get(pk=version_id)
    return _whole(records_of(orjson.loads(payload)), family)


def _whole(records: Iterable[Record], family: str) -> list[Record]:
    """Return the records but for those that lack a field, which no secret is about."""
    return [record for record in records if record.keys() >= {"source_refs", *SUBJECTS[family]}]


def _units(transcript: Transcript) -> Units:
    return list(transcript.units.order_by("position").values_list("unit_id", "text"))


def _page(transcript: Transcript, kept: KeptOccurrence, units: Units) -> Page:
    return Page(lambda: units, (), standing_in(kept.records, transcript))


def _with(kept: KeptOccurrence, told: Iterable[KeptRecord]) -> KeptOccurrence:
    """Return the secret with what is new of these, and with what is surer now: what stands for it, not only may."""
    found = {one: one for one in kept.records}
    for one in told:
        if one not in found or _certainty(one) > _certainty(found[one]):
            found[one] = one
    return replace(kept, records=tuple(found.values()))


def _certainty(told: KeptRecord) -> int:
    return 0 if told.given else 1 if told.likely else 2


def _became(
    kept: KeptOccurrence, bound: Sequence[Record], made: Sequence[_Made], source_id: str, page: Page
) -> list[KeptRecord]:
    """Return how those of the records are told that stand for a bound one, or have been given lines of one.

    Where none of the bound is told for sure as a kept one was, each is bound only because it may be that.
    """
    if not bound:
        return []
    lines = [stretch for each in bound for stretch in page.stretches(each)]
    given, others = (_tellings([one for one in kept.records if one.given is so], page) for so in (True, False))
    sure = tuple(one for one in kept.records if not (one.given or one.likely))
    likely = not _exact(replace(kept, records=sure), bound, page)
    found = []
    for one in made:
        from_bound = [each for each in one.old if each in bound]
        if from_bound:
            # Bound only because they were given lines, as this revision or an earlier one tells them.
            only_given = all(
                _is_told(kept, each, page, given) and not _is_told(kept, each, page, others) for each in from_bound
            )
            found.append(KeptRecord.of(source_id, kept.family, one.record, given=only_given, likely=likely))
            continue
        had = _common([stretch for each in one.old for stretch in page.stretches(each)], lines)
        if one.touched and _common(page.stretches(one.record), lines) - had:
            found.append(KeptRecord.of(source_id, kept.family, one.record, given=True))
    return found


def _exact(kept: KeptOccurrence, records: Sequence[Record], page: Page) -> list[Record]:
    """Return the records that are told as a kept one is, in this revision or another."""
    told = _tellings(kept.records, page)
    return [record for record in records if _is_told(kept, record, page, told)]


def _tellings(records: Iterable[KeptRecord], page: Page) -> _Tellings:
    found: defaultdict[tuple[tuple[str, ...], frozenset[Stretch]], set[str]] = defaultdict(set)
    for one in records:
        found[one.subject, page.standing(one)].add(one.said)
    return found


def _is_told(kept: KeptOccurrence, record: Mapping[str, Any], page: Page, told: _Tellings) -> bool:
    # What a record says is worked out only where its subject and lines are a kept one's: there are thousands.
    says = told.get((subject_of(kept.family, record), page.stretches(record)), ())
    return bool(says) and said_of(record) in says


def _common(cited: Iterable[Stretch], lines: Sequence[Stretch]) -> set[int]:
    return positions_in(lines) & positions_in(cited)
