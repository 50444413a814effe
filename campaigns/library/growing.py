"""What a kept merge has come to be about: later names and ids of its members, and who is told to be one with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from campaigns.library.kept import Identity, KeptMerge


@dataclass(frozen=True, slots=True)
class Joined:
    """Those that a version tells as one, and what it tells them as."""

    identities: tuple[Identity, ...]
    result: Identity


def grown(
    merges: Sequence[KeptMerge], told: Sequence[Joined], ids: Mapping[str, frozenset[str]]
) -> tuple[KeptMerge, ...]:
    """Return the merges with all that their members are known as; `ids` are those told under a name's key.

    What is told as one with a member belongs to that member: who joins it with another member tells the secret too.
    What two members were told as is something of its own, for nobody can say which of them it is.
    """
    found = tuple(merges)
    while True:
        before = found
        found = tuple(_with_ids(merge, ids) for merge in found)
        for joined in told:
            if not any(merge.joins(joined.identities) for merge in found):
                found = tuple(merge.with_told(joined.identities) for merge in found)
            elif joined.result.key:
                found = tuple(
                    merge.with_name(joined.result) if merge.joins(joined.identities) else merge for merge in found
                )
        if found == before:
            return found


def _with_ids(merge: KeptMerge, ids: Mapping[str, frozenset[str]]) -> KeptMerge:
    members = tuple(
        replace(member, ids=member.ids.union(*(ids.get(key, frozenset()) for key in member.keys)))
        for member in merge.members
    )
    return merge if members == merge.members else replace(merge, members=members)
