"""What somebody sees of one campaign. Everything else in the library takes a sight and answers within it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from campaigns.access import Need, Who, campaign_for, standing
from campaigns.errors import ActionError
from campaigns.models import Campaign, Edition

__all__ = ["Edition", "Sight", "sight_of"]


@dataclass(frozen=True, slots=True)
class Sight:
    """`words` are transcripts, quotes, speakers and free text; nobody in particular gets none of them.

    With `as_of` only the sessions up to that number exist. `latest` takes the newest usable versions instead of the
    approved ones, in the game masters' edition alone. A sight is one look: what costs much to work out is kept in
    `memo`, which no other sight shares, also none made from this one; so whoever writes takes another one.
    """

    campaign: Campaign = field(repr=False)
    edition: Edition
    words: bool
    as_of: int | None = None
    latest: bool = False
    memo: dict[Hashable, Any] = field(init=False, default_factory=dict, compare=False, repr=False)

    @property
    def key(self) -> tuple[int, str, bool, int | None, bool]:
        """Return what tells this sight from others: part of every ETag and of every key of a cache."""
        return (self.campaign.pk, str(self.edition.value), self.words, self.as_of, self.latest)

    @property
    def is_player(self) -> bool:
        return self.edition is Edition.PLAYER


def sight_of(
    who: Who,
    slug: str,
    *,
    need: Need = Need.SEE_APPROVED,
    as_of: int | None = None,
    latest: bool = False,
    edition: Edition | None = None,
) -> Sight:
    """Return what they see of the campaign; game masters see their own edition unless they ask for the players'.

    Raises NotFound and Forbidden as `access.campaign_for` does, also for `latest` by one who may not see what is
    pending. Whoever may not see the game masters' edition gets the players', whatever they ask for.
    """
    if latest and edition is Edition.PLAYER:
        raise ActionError("What is not approved yet has no edition for players.")
    campaign = campaign_for(who, slug, max(need, Need.SEE_PENDING) if latest else need)
    has = standing(who, campaign) or Need.SEE_APPROVED
    chosen = (edition or Edition.GM) if has >= Need.SEE_PENDING else Edition.PLAYER
    return Sight(campaign, chosen, has >= Need.READ, as_of, latest)
