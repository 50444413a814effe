"""Names that may tell what is kept: another spelling of a kept one, or of two that are kept apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import orjson

from campaigns.library.editions import records_of
from campaigns.library.kept import Identity, KeptMerge, Member, kept_of
from campaigns.library.mentions import Mentions
from campaigns.library.names import Name, names
from campaigns.library.sight import Edition, Sight
from campaigns.library.sources import kind_of
from campaigns.models import ArtifactVersion, Campaign


@dataclass(frozen=True, slots=True)
class Alike:
    """An entry that players can see, and the kept names of its kind with which it shares a telling word."""

    kind: str
    entity_id: str
    name: str
    kept: list[str]


def alike_for_players(campaign: Campaign) -> list[Alike]:
    """Return what players see now that may be one with a kept entry, in the order of names."""
    told = ((one.kind, one.entity_id, one.name) for one in names(Sight(campaign, Edition.PLAYER, words=True)))
    return sorted(_alike(campaign, told), key=lambda one: (one.name, one.entity_id))


def alike_in(version: ArtifactVersion) -> list[Alike]:
    """Return what players would see once this registry is approved and that may be one with a kept entry."""
    kind = kind_of(version.artifact.lane)
    if kind is None or version.state != ArtifactVersion.State.PENDING:
        return []
    # A review also shows a record that lacks a field, which nothing can be told of here.
    records = (one for one in records_of(orjson.loads(version.payload)) if one.get("id") and one.get("name"))
    told = ((kind, str(one["id"]), str(one["name"])) for one in records)
    return _alike(version.artifact.session.campaign, told)


def telling_for_players(campaign: Campaign) -> list[Alike]:
    """Return what players see now whose name may tell that two are one whom they must not know to be.

    That is a member whose name shares a telling word with another's, and whoever shares such words with two of them.
    Members that players do not see tell nothing.
    """
    book = names(Sight(campaign, Edition.PLAYER, words=True))
    found = [each for merge in kept_of(campaign).merges for each in _telling(merge, book)]
    return sorted(found, key=lambda one: (one.name, one.entity_id, one.kept))


def _telling(merge: KeptMerge, book: Iterable[Name]) -> Iterator[Alike]:
    seen = [one for one in book if one.kind == merge.kind]
    own = {one.entity_id: at for at, member in enumerate(merge.members) for one in seen if _stands_for(member, one)}
    shown = {at: merge.members[at] for at in own.values()}
    hints = Mentions((name, str(at)) for at, member in shown.items() for name in member.names)
    for one in seen:
        hinted = {int(at) for at in hints.hinted(one.name)}
        others = hinted - {own[one.entity_id]} if one.entity_id in own else hinted if len(hinted) > 1 else set()
        if others:
            yield Alike(one.kind, one.entity_id, one.name, sorted(shown[at].name for at in others))


def _stands_for(member: Member, one: Name) -> bool:
    return member.is_one_of([Identity(one.entity_id, one.name)])


def _alike(campaign: Campaign, told: Iterable[tuple[str, str, str]]) -> list[Alike]:
    """Return those that no secret binds yet, by id or by name, and of whose words a kept name has one."""
    kept = kept_of(campaign).entries
    bound = {entity_id for entry in kept for entity_id in entry.ids}
    secret = Mentions.of(name for entry in kept for name in entry.names)
    hints = {
        kind: Mentions((name, name) for entry in kept if entry.kind == kind for name in entry.names)
        for kind in {entry.kind for entry in kept}
    }
    return [
        Alike(kind, entity_id, name, sorted(found))
        for kind, entity_id, name in told
        if kind in hints and entity_id not in bound and not secret.named(name) and (found := hints[kind].hinted(name))
    ]
