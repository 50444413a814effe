"""Accepting what nobody disputes in one go: one version, a decision a merge, undone together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson
from django.db import transaction

from campaigns.actions import decisions
from campaigns.actions.drafts import Reviewed, checked_reason, decide, locked_head, open_draft, settle, write_version
from campaigns.actions.nodes import key_of, read_nodes
from campaigns.actions.reviews import accepted, registry_only
from campaigns.errors import ActionError
from campaigns.models import ArtifactVersion, Decision
from campaigns.wording import record_of
from extraction.codes import Code
from extraction.identity import comparison_key
from extraction.registry import LANES, is_registry

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Kind = Decision.Kind
DOUBTS = frozenset({"not_same", "unsure", "explode"})
# That records were merged, or named as a decision says, speaks against nothing.
NO_DOUBT = frozenset({Code.RECONCILE_APPLIED.value, Code.DECISION_APPLIED.value})


@transaction.atomic
def accept_all(
    *, artifact_id: int, expected_version: int, records: Sequence[int], reason: str = "", by: User
) -> Reviewed:
    """Confirm these consolidations, as `reviews.accept` does with one. Undo takes all of them back."""
    reason = checked_reason(reason)
    draft = open_draft(locked_head(artifact_id, expected_version))
    registry_only(draft)
    if not records:
        raise ActionError("Choose at least one merge.")
    changes = [accepted(draft, record) for record in dict.fromkeys(records)]
    version = write_version(draft.base, settle(draft), act=Kind.ACCEPT, by=by)
    done = [
        decide(version, kind=change.kind, keys=change.about, data=change.data, reason=reason, by=by)
        for change in changes
    ]
    return done[-1]


def undisputed(version: ArtifactVersion) -> list[int]:
    """Return the positions of the merges that nobody has judged and nothing speaks against.

    Against one speak a warning about its record, a proposal of one of its names with others that was left out, and a
    standing decision by which two of its names are not the same, may not be, or were taken apart.
    """
    lane = version.artifact.lane
    if not is_registry(lane) or not version.consolidations.get("applied"):
        return []
    nodes = read_nodes(orjson.loads(version.payload)[LANES[lane].records_key], version.consolidations)
    open_merges = [node for node in nodes if len(node.members) > 1 and not node.decided]
    if not open_merges:
        return []
    warned = {record_of(finding) for finding in version.findings if finding["code"] not in NO_DOUBT}
    left_out = [
        {comparison_key(str(name)) for name in proposal["members"]}
        for proposal in version.consolidations.get("proposals", ())
        if proposal["verdict"] != "applied"
    ]
    doubted = [row.keys for row in decisions.live(version.artifact.session, lane) if row.kind in DOUBTS]
    found = []
    for node in open_merges:
        keys = [key_of(atom, anchored=lane == "dnd/locations") for atom in node.atoms]
        names = {str(key["key"]) for key in keys}
        against = any(names & group for group in left_out) or any(sum(k in keys for k in one) > 1 for one in doubted)
        if node.origin is not None and node.origin not in warned and not against:
            found.append(node.origin)
    return found
