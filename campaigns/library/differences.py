"""What became of the entries of a registry from one state to the next: created, renamed, merged, split, retired."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from campaigns.joining import Entry
from campaigns.models import Change
from campaigns.spelling import name_key

What = Change.What


@dataclass(frozen=True, slots=True)
class Known:
    """One entry of a state: its ids, its name, and the session it is first met in."""

    entity_id: str
    name: str
    other_ids: frozenset[str] = frozenset()
    session: int | None = None

    @classmethod
    def of(cls, entry: Entry) -> Known:
        first = entry.sessions[0] if entry.sessions else None
        return cls(entry.entity_id, entry.name, frozenset(entry.other_ids), first)


@dataclass(frozen=True, slots=True)
class Difference:
    """One change. `session` is what one must know to know of it."""

    change: str
    entity_id: str
    name: str
    was: str = ""
    superseded_by: tuple[str, ...] = ()
    session: int | None = None

    @property
    def ids(self) -> frozenset[str]:
        return frozenset({self.entity_id, *self.superseded_by})

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, self.was) if self.was else (self.name,)

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(map(name_key, self.names))


def differences(
    before: Sequence[Known],
    after: Sequence[Known],
    *,
    session: int | None = None,
    untold: Callable[[Difference], bool] = lambda _: False,
) -> list[Difference]:
    """Return the changes from one state to the next, by id. `session` is the one whose approval made them, if any.

    What must stay `untold` is left out, and what is new by it is told as created.
    """
    found = [each for each in _gone_or_other(before, after) if not untold(each)]
    old = {known.entity_id for known in before}
    told = {entity_id for each in found for entity_id in each.superseded_by}
    found += [
        Difference(What.CREATED, known.entity_id, known.name, session=known.session)
        for known in after
        if known.entity_id not in old and known.entity_id not in told
    ]
    found = [each for each in found if not untold(each)]
    return sorted((_since(each, session) for each in found), key=lambda each: (each.entity_id, each.change))


def _since(each: Difference, session: int | None) -> Difference:
    if session is None or each.change == What.CREATED:
        return each
    since = max(session, each.session or 0)
    return Difference(each.change, each.entity_id, each.name, each.was, each.superseded_by, since)


def _gone_or_other(before: Sequence[Known], after: Sequence[Known]) -> Iterator[Difference]:
    own = {known.entity_id: known for known in after}
    leads = {entity_id: known for known in after for entity_id in known.other_ids} | own
    old = {known.entity_id for known in before}
    heirs: dict[str, list[Known]] = {}
    for known in before:
        if known.entity_id not in own and known.entity_id in leads:
            heirs.setdefault(leads[known.entity_id].entity_id, []).append(known)
    for known in before:
        yield from _became(known, own, leads, old, heirs)


def _became(
    known: Known,
    own: Mapping[str, Known],
    leads: Mapping[str, Known],
    old: set[str],
    heirs: Mapping[str, list[Known]],
) -> Iterator[Difference]:
    """Yield what became of one entry. Parts are those of its other ids that are entries of their own now."""
    now = own.get(known.entity_id)
    parts = sorted(entity_id for entity_id in known.other_ids if entity_id in own and entity_id not in old)
    if now is not None:
        if now.name != known.name:
            yield Difference(What.RENAMED, now.entity_id, now.name, known.name, session=now.session)
        if parts:
            yield Difference(What.SPLIT, now.entity_id, now.name, "", (now.entity_id, *parts), now.session)
        return
    heir = leads.get(known.entity_id)
    if heir is None:
        change = What.SPLIT if parts else What.RETIRED
        yield Difference(change, known.entity_id, known.name, "", tuple(parts), known.session)
        return
    alone = heir.entity_id not in old and len(heirs[heir.entity_id]) == 1
    was = known.name if known.name != heir.name else ""
    change = What.RENAMED if alone else What.MERGED
    yield Difference(change, known.entity_id, heir.name, was, (heir.entity_id,), heir.session)
