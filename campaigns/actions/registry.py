"""The campaign registry: the union of the approved session registries, rebuilt as a whole at each approval."""

from __future__ import annotations

from django.db import transaction

from campaigns.actions import players
from campaigns.actions.entries import store
from campaigns.actions.locking import lock_campaign
from campaigns.library.editions import has_player_rows
from campaigns.library.sources import union_of, versions_of
from campaigns.models import Campaign, Edition, RegistryState


@transaction.atomic
def rebuild(*, campaign: Campaign, kind: str, session: int | None = None) -> RegistryState:
    """Replace the campaign's registry of this kind by the union of its approved versions and return its state.

    How records join is said in `joining.join`. Evidence is in the order of session numbers and, within a session, of
    the record's references, which stand in transcript order. The players' edition is rebuilt with it, and each edition
    tells what changed; `session` is the one whose approval changes it.
    """
    # Two approvals at once would each miss the other's session; whoever waits here reads what the first has committed.
    lock_campaign(campaign.pk)
    entries = union_of(campaign, kind, versions_of(campaign, kind).approved())
    own = has_player_rows(campaign)
    editions = (Edition.GM,) if own else (Edition.GM, Edition.PLAYER)
    state = store(campaign, Edition.GM, kind, entries, told_to=editions, session=session)
    if own:
        players.rebuild(campaign=campaign, session=session)
    return state
