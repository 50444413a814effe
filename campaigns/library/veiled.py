"""The records of one session as players may see them: what is hidden is left out, what is told apart is named so."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from campaigns.library.kept import Identity, KeptMerge, KeptOccurrence, KeptRecord, ranges_of, said_of, subject_of
from campaigns.library.mentions import Folded, Mentions
from campaigns.library.pages import Page
from campaigns.library.sources import KINDS
from campaigns.library.stretches import Stretch, positions_in
from campaigns.library.veil import Parted, Record, Veil
from campaigns.redaction import free_text, wordless
from campaigns.spelling import name_key
from extraction.identity import comparison_key

SCENES = "scenes"
NEUTRAL = "other"
REGISTRIES = {source.lane.rpartition("/")[2]: kind for kind, source in KINDS.items()}
OCCURRENCES = {source.occurrences: kind for kind, source in KINDS.items()}
# Who a record is about, and whom it may name besides; a spell's own name is one that must be there.
ABOUT = {"spells": ("caster", "spell"), "combat-turns": ("actor",), "enemy-events": ("enemy",)}
_Told = tuple[KeptRecord, frozenset[Stretch]]
BESIDES = {"item-occurrences": ("actor", "recipient"), "enemy-events": ("actor",)}


class Names:
    """Which names players may read, in every session alike. Names come again and again: each is judged once."""

    def __init__(self, veil: Veil) -> None:
        self.hidden = veil.hidden()
        self.secret, self.links = Mentions.of(veil.names), [*map(links_of, veil.kept.merges)]
        self._known, self._unknown = veil.known_keys(), Mentions.of(veil.unknown)
        self._secrets: dict[str, bool] = {}
        self._open: dict[str, bool] = {}

    def is_secret(self, name: str) -> bool:
        """Say whether it says a hidden name."""
        if name not in self._secrets:
            self._secrets[name] = bool(self.secret.named(name))
        return self._secrets[name]

    def is_open(self, name: str) -> bool:
        """Say whether players may read it beside what they know: it says no hidden name, and no two kept apart."""
        if name not in self._open:
            self._open[name] = self._may_be_read(name)
        return self._open[name]

    def _may_be_read(self, name: str) -> bool:
        read = Folded.of(name)
        if self.secret.named(read) or self._unknown.named(read):
            return False
        if self.secret.hinted(read) and name_key(name) not in self._known:
            return False
        return not any(len(links.named(read)) > 1 for links in self.links)


class Players:
    """Shows records of one session to players. Texts that name what is kept are judged by the units they cite.

    `names` are the veil's, where more than one session is shown.
    """

    def __init__(self, veil: Veil, session_id: int, page: Page, names: Names | None = None) -> None:
        self._veil, self._session_id, self._page = veil, session_id, page
        self._names = names or Names(veil)
        self._parted = [one for view in veil.by_kind.values() for one in view.parted.get(session_id, ())]
        self._told_apart = [_mentions(parted.identities) for parted in self._parted]
        self._links = [*self._told_apart, *self._names.links]

    def shown(self, family: str, records: Sequence[Record]) -> list[Record]:
        """Return the records that players see, each as they see it, in the order of the artifact."""
        if family in REGISTRIES:
            found = self._registry(family)
            return sorted(found, key=self._place) if found != list(records) else list(records)
        if family == SCENES:
            return self._scenes(records)
        kept = self._occurrences(family, records)
        found = [seen for record in records if record not in kept and (seen := self._record(family, record))]
        return found if len(found) == len(records) and not self._page.withheld else sorted(found, key=self._first)

    def count(self, family: str, records: Sequence[Record]) -> int:
        """Return how many records `shown` gives, without working out what they say."""
        if family in REGISTRIES:
            return len(self._registry(family))
        if family == SCENES:
            return max(sum(not self._page.hides(record) for record in records), min(len(records), 1))
        kept = self._occurrences(family, records)
        return sum(record not in kept and self._told(family, record) is not None for record in records)

    def _registry(self, family: str) -> Sequence[Record]:
        told = self._veil.by_kind[REGISTRIES[family]].told
        return next((one.records for one in told if one.session_id == self._session_id), [])

    def _place(self, record: Record) -> tuple[tuple[int, int], str, str]:
        return self._first(record), comparison_key(record["name"]), record["id"]

    def _first(self, record: Record) -> tuple[int, int]:
        return self._page.order(record["source_refs"][0])

    def _occurrences(self, family: str, records: Sequence[Record]) -> list[Record]:
        """Return the records that are kept for themselves."""
        bound = [
            one for one in self._veil.kept.occurrences if one.family == family and one.session_id == self._session_id
        ]
        return [record for one in bound for record in bound_records(one, records, self._page)]

    def _scenes(self, records: Sequence[Record]) -> list[Record]:
        """Return the scenes. One that is kept whole belongs to the one before it, the first ones to the one behind."""
        found: list[Record] = []
        start = None
        for record in records:
            if not self._page.hides(record):
                seen = self._scene(record)
                found.append(seen if start is None else {**seen, "start_unit_id": start})
                start = None
            elif found:
                found[-1] = {**found[-1], "end_unit_id": record["end_unit_id"]}
            elif start is None:
                start = record["start_unit_id"]
        if found or not records:
            return found
        whole = {**records[0], "primary_mode": NEUTRAL, "end_unit_id": records[-1]["end_unit_id"]}
        return [wordless(SCENES, whole)]

    def _scene(self, record: Record) -> Record:
        if self._page.keeps(record) and self._may_say([record["title"]], [record], None):
            return record
        return wordless(SCENES, record)

    def _told(self, family: str, record: Record) -> Record | None:
        """Return the record with the lines that players see and whom it is about, if they may know of it."""
        refs = [ref for ref in record["source_refs"] if self._page.keeps(ref)]
        if not refs:
            return None
        seen: Record = {**record, "source_refs": refs}
        if family in OCCURRENCES and not self._led(KINDS[OCCURRENCES[family]].id_field, seen):
            return None
        return seen if all(self._named(name, seen) for name in ABOUT.get(family, ())) else None

    def _record(self, family: str, record: Record) -> Record | None:
        seen = self._told(family, record)
        if seen is None:
            return None
        refs = seen["source_refs"]
        for name in BESIDES.get(family, ()):
            if seen[name] is not None and not self._named(name, seen):
                seen[name] = None
        if "targets" in seen:
            seen["targets"] = self._targets(seen["targets"], refs)
        if "actions" in seen:
            actions = seen["actions"]
            seen["actions"] = [{**one, "targets": self._targets(one["targets"], refs)} for one in actions]
        whole = len(refs) == len(record["source_refs"])
        own = comparison_key(str(seen.get("name") or seen.get("actor") or seen.get("enemy") or ""))
        return seen if whole and self._may_say(free_text(family, seen), refs, own) else wordless(family, seen)

    def _led(self, id_field: str, seen: Record) -> bool:
        """Have the record lead to who the cited lines name; say whether players may know of it."""
        for parted, mentions in zip(self._parted, self._told_apart, strict=True):
            if seen[id_field] in parted.ids:
                one = self._one_of(parted, mentions, seen["source_refs"])
                if one is None:
                    return False
                seen[id_field], seen["name"] = one.entity_id, one.name
                return True
        return seen[id_field] not in self._names.hidden and not self._names.is_secret(seen["name"])

    def _named(self, field: str, seen: Record) -> bool:
        name = self._name(seen[field], seen["source_refs"])
        if name is None:
            return False
        seen[field] = name
        return True

    def _targets(self, names: Sequence[str], refs: Sequence[Mapping[str, Any]]) -> list[str]:
        return [seen for name in names if (seen := self._name(name, refs)) is not None]

    def _name(self, name: str, refs: Sequence[Mapping[str, Any]]) -> str | None:
        """Return what players may read in the name's place: who the cited lines name, the name itself, or nothing."""
        if self._parted:
            key = name_key(name)
            for parted, mentions in zip(self._parted, self._told_apart, strict=True):
                if any(one.key == key for one in parted.identities):
                    found = self._one_of(parted, mentions, refs)
                    return None if found is None else found.name
            if any(len(mentions.named(name)) > 1 for mentions in self._told_apart):
                return None
        return name if self._names.is_open(name) else None

    def _one_of(self, parted: Parted, mentions: Mentions, refs: Sequence[Mapping[str, Any]]) -> Identity | None:
        """Return the one of a group that the cited lines name, if it is one alone and players may know it."""
        named = mentions.named(self._page.said(refs))
        found = [one for one in parted.identities if one.entity_id in named and one.entity_id in parted.shown]
        return found[0] if len(named) == 1 and found and found[0].entity_id not in self._names.hidden else None

    def _may_say(self, texts: Collection[str], refs: Sequence[Mapping[str, Any]], own: str | None) -> bool:
        """Say whether free text may be shown: it hints at no hidden name, and at no two that are kept apart.

        Of several kept apart it may name the one that the record is about, and that the cited lines name too.
        """
        if not any(texts):
            return True
        text = Folded.of("\n".join(texts))
        if self._names.secret.hinted(text):
            return False
        for links in self._links:
            hinted = links.hinted(text)
            if not hinted:
                continue
            if len(hinted) > 1 or not hinted <= links.hinted(self._page.said(refs)):
                return False
            others = links.hinted(own or "")
            if others and not hinted <= others:
                return False
        return True


def bound_records(kept: KeptOccurrence, records: Sequence[Record], page: Page) -> list[Record]:
    """Return the records that the secret is about.

    Where one of them is told as it was hidden, or as a review has told it since, that is all that tell of the same
    subject by the same lines; a telling that only may be one of it decides nothing of that. What says the same by
    others of the lines that were hidden belongs to it too, and whatever cites lines of another of its tellings, as of
    the other half of a parted turn: a later run may have told them otherwise. Where it is only told as it was before a
    review made of it what was hidden, that is whatever cites others of the lines that were hidden. Where nothing is
    told so, it may be any record that cites one of its lines.
    """
    cited = [page.stretches(record) for record in records]
    told = [(one, page.standing(one)) for one in kept.records]
    exact = {
        (one.subject, lines)
        for one, lines in told
        if any(mine == lines and said_of(record) == one.said for record, mine in zip(records, cited, strict=True))
    }
    # The first is how it was hidden; other tellings may be of reviews that were given up.
    own = [(one, lines) for one, lines in told if not one.given]
    found = [(one, lines) for one, lines in own if not one.likely and (one.subject, lines) in exact]
    says = {(one.subject, one.said) for one, _ in own}
    hidden = _positions([own[0][1]]) - _positions(lines for _, lines in found)
    if not found:
        anybodys = _positions(lines for _, lines in own)
    elif all(one.earlier for one, _ in found):
        anybodys = hidden
    else:
        anybodys = hidden & _missed(own, found)

    def is_bound(record: Record, mine: frozenset[Stretch]) -> bool:
        subject = subject_of(kept.family, record)
        if (subject, mine) in exact:
            return True
        lines, unresolved = positions_in(mine), len(mine) < len(ranges_of(record))
        if (anybodys or not found) and (unresolved or not anybodys.isdisjoint(lines)):
            return True
        alike = bool(hidden) and (subject, said_of(record)) in says
        return alike and (unresolved or not hidden.isdisjoint(lines))

    return [record for record, mine in zip(records, cited, strict=True) if is_bound(record, mine)]


def _missed(own: Sequence[_Told], found: Sequence[_Told]) -> set[int]:
    """Return where those tellings stand that are not found here and may be of another part than what is found."""
    here = {(one.subject, one.said) for one, _ in found}
    whole, there = _positions([own[0][1]]), _positions(lines for _, lines in found)

    def is_part(one: KeptRecord, lines: set[int]) -> bool:
        # What says what one of these says cited other lines before, and is no other half. Halves may say the same, but
        # then each has lines of its own.
        return (one.subject, one.said) not in here or (lines <= whole and lines.isdisjoint(there))

    lines_of = [(one, _positions([lines])) for one, lines in own[1:]]
    return {at for one, lines in lines_of if is_part(one, lines) for at in lines}


def _positions(told: Iterable[Collection[Stretch]]) -> set[int]:
    return positions_in(one for lines in told for one in lines)


def links_of(merge: KeptMerge) -> Mentions:
    """Return the names of the merge's members: a text that says two of them may tell that they are one."""
    return Mentions(((name, str(at)) for at, member in enumerate(merge.members) for name in member.names), apart=True)


def _mentions(identities: Sequence[Identity]) -> Mentions:
    return Mentions([(one.name, one.entity_id) for one in identities], apart=True)
