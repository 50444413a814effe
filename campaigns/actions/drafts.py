"""From a version and a change to the next one: locked, checked by the lane's own rules, written with its decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import orjson
from django.db import transaction
from django.db.models import Max

from campaigns.actions import audit, bindings, decisions
from campaigns.actions.following import follow
from campaigns.actions.locking import lock_artifact
from campaigns.actions.nodes import REVIEW, Node, Record, heading, key_of, read_nodes
from campaigns.adapters.documents import load_document
from campaigns.adapters.table import table_of
from campaigns.errors import ActionError, Invalid, NotFound, Overtaken, Problem
from campaigns.models import Artifact, ArtifactVersion, Decision
from campaigns.wording import RECORD, sentence_for
from extraction.canonical import bytes_digest, canonical_json
from extraction.codes import Code
from extraction.findings import Finding
from extraction.lanes.lane import Scope
from extraction.registry import LANES, is_registry, review_scope, settle_payload

if TYPE_CHECKING:
    from django.contrib.auth.models import User

REASON_LIMIT = 2_000
# What the lane's validators find anew in every version; the rest is of the extraction and is carried along.
FOUND_ANEW = frozenset({Code.EVIDENCE_UNRELATED.value})
State = ArtifactVersion.State
Kind = Decision.Kind


@dataclass(frozen=True, slots=True)
class Reviewed:
    """`contradictions` are the sets of decisions of this lane that cannot all hold; nothing resolves them silently."""

    version: ArtifactVersion
    decision: Decision
    contradictions: tuple[tuple[Decision, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """What an act did to the draft: a decision's kind, the records it is about, and what it needs to say later.

    `new` are the nodes that an edit made. The decision keeps them as the version has them: tidied, named, in order.
    """

    kind: str
    about: Sequence[Record]
    data: Record = field(default_factory=dict)
    new: Sequence[Node] | None = None


@dataclass(slots=True)
class Draft:
    """A version while it is being changed. Acts work on `nodes`, `proposals` and `removed`."""

    base: ArtifactVersion
    lane: str
    scope: Scope
    envelope: Record
    nodes: list[Node]
    proposals: list[Record]
    removed: list[Record]
    rest: Record

    @property
    def is_registry(self) -> bool:
        return is_registry(self.lane)

    @property
    def anchored(self) -> bool:
        """Say whether decisions tell records of one name apart: NPCs and items of one name are one."""
        return not self.is_registry or self.lane == "dnd/locations"

    def node(self, number: int) -> Node:
        """Return the record at this position of the base version; NotFound where there is none."""
        found = next((node for node in self.nodes if node.origin == number), None)
        if found is None:
            raise unknown("There is no such record in this version.")
        return found

    def put(self, node: Node, *instead_of: Node) -> None:
        """Put the node in the place of the first of the others, which all go."""
        self.spread([node], *instead_of)

    def spread(self, nodes: Sequence[Node], *instead_of: Node) -> None:
        """Put the nodes in the place of the first of the others, which all go."""
        at = next((at for at, one in enumerate(self.nodes) if one is instead_of[0]), len(self.nodes))
        kept_before = [one for one in self.nodes[:at] if all(one is not gone for gone in instead_of)]
        kept_after = [one for one in self.nodes[at:] if all(one is not gone for gone in instead_of)]
        self.nodes = [*kept_before, *nodes, *kept_after]

    def keys(self, *nodes: Node) -> list[Record]:
        """Return the atoms of the nodes as decisions name them."""
        found = [key_of(atom, anchored=self.anchored) for node in nodes for atom in node.atoms]
        return [key for at, key in enumerate(found) if key not in found[:at]]

    def key(self, atom: Record) -> Record:
        return key_of(atom, anchored=self.anchored)


@dataclass(frozen=True, slots=True)
class Content:
    """What a version holds, ready to be written; `nodes` pairs what a draft had with what came of it."""

    payload: bytes
    record_count: int
    consolidations: Record
    findings: list[Record]
    nodes: Sequence[tuple[Node, Node]] = ()

    def settled(self, nodes: Sequence[Node]) -> list[Node]:
        """Return the draft's nodes as the version has them."""
        return [after for node in nodes for before, after in self.nodes if before is node]


def unknown(sentence: str) -> NotFound:
    return NotFound(sentence, code=Code.REVIEW_RECORD_UNKNOWN)


def fault(record: int | None, field: str, code: Code) -> Invalid:
    """Return the refusal of one field."""
    return Invalid([Problem(record, field, code.value, sentence_for({"code": code.value}))])


def head_of(artifact: Artifact) -> ArtifactVersion | None:
    """Return the version that a review goes on from: the latest usable one, else the last one there is."""
    versions = artifact.versions.select_related("artifact__session__campaign", "transcript").order_by("-number")
    return versions.usable().first() or versions.first()


def locked_head(artifact_id: int, expected_version: int) -> ArtifactVersion:
    """Return the head with its artifact locked. Conflict where it is not the version that the reviewer saw."""
    artifact = lock_artifact(artifact_id)
    head = None if artifact is None else head_of(artifact)
    if head is None:
        raise NotFound("There is no such artifact.", code=Code.ARTIFACT_NONE)
    check_expected(head, expected_version)
    return head


def check_expected(head: ArtifactVersion, expected_version: int) -> None:
    if head.number != expected_version:
        raise Overtaken(head.number)


@transaction.atomic
def revise(
    *, artifact_id: int, expected_version: int, reason: str, by: User, change: Callable[[Draft], Change]
) -> Reviewed:
    """Make the next version from the head by this change, and the decision that says so."""
    reason = checked_reason(reason)
    draft = open_draft(locked_head(artifact_id, expected_version))
    made = change(draft)
    content = settle(draft)
    version = write_version(draft.base, content, act=made.kind, by=by)
    keys, data = list(made.about), made.data
    if made.new is not None:
        new = content.settled(made.new)
        keys += [key for key in draft.keys(*new) if key not in keys]
        data = {**data, "after": [node.as_json() for node in new]}
    return decide(version, kind=made.kind, keys=keys, data=data, reason=reason, by=by)


def open_draft(base: ArtifactVersion) -> Draft:
    """Return the version as a draft; nothing is locked or written."""
    lane = base.artifact.lane
    payload: Record = orjson.loads(base.payload)
    held: Record = dict(base.consolidations)
    document = load_document(base.transcript)
    scope = review_scope(document, bindings.as_made(base), table_of(base.artifact.session.campaign))
    return Draft(
        base=base,
        lane=lane,
        scope=scope,
        envelope={"schema": payload["schema"], "source": payload["source"]},
        nodes=read_nodes(payload[LANES[lane].records_key], held),
        proposals=[dict(proposal) for proposal in held.get("proposals", ())],
        removed=list(held.get("removed", ())),
        rest={key: value for key, value in held.items() if key not in ("applied", "proposals", "removed")},
    )


def settle(draft: Draft) -> Content:
    """Return what the draft comes to; Invalid with a problem a field where it breaks the lane's rules."""
    touched = {at for at, node in enumerate(draft.nodes) if node.touched}
    records = [node.record for node in draft.nodes]
    settled = settle_payload(draft.lane, draft.envelope, records, touched, draft.scope)
    if settled.payload is None:
        raise Invalid([_problem(finding, draft) for finding in settled.findings])
    placed = settled.payload[LANES[draft.lane].records_key]
    if not isinstance(placed, list):
        raise TypeError("a lane publishes a list of records")
    nodes = [draft.nodes[number] for number in settled.order]
    return Content(
        payload=canonical_json(settled.payload),
        record_count=len(placed),
        consolidations=_consolidations(draft, nodes, placed),
        findings=_findings(draft, nodes, settled.findings),
        nodes=[(node, replace(node, record=record)) for node, record in zip(nodes, placed, strict=True)],
    )


def write_version(
    base: ArtifactVersion, content: Content, *, act: str, by: User, like: ArtifactVersion | None = None
) -> ArtifactVersion:
    """Write the version after the base, pending and superseding what was pending. The artifact must be locked.

    `like` is a version whose transcript and manifest it has in place of the base's. What is kept of the base from
    players is kept of this version too.
    """
    source = like or base
    artifact = base.artifact
    follow(base, [(node, settled.record) for node, settled in content.nodes])
    last: int = artifact.versions.aggregate(last=Max("number"))["last"] or 0
    artifact.versions.filter(state=State.PENDING).update(state=State.SUPERSEDED)
    return ArtifactVersion.objects.create(
        artifact=artifact,
        number=last + 1,
        origin=ArtifactVersion.Origin.REVIEW,
        parent=base,
        transcript_id=source.transcript_id,
        lane_run=None,
        payload=content.payload.decode(),
        digest=bytes_digest(content.payload),
        record_count=content.record_count,
        manifest={**source.manifest, "review": {"parent": base.number, "act": act}},
        findings=content.findings,
        consolidations=content.consolidations,
        created_by=by,
    )


def copy_of(source: ArtifactVersion) -> Content:
    """Return what a version holds, to be written again."""
    return Content(source.payload.encode(), source.record_count, dict(source.consolidations), list(source.findings))


def decide(
    version: ArtifactVersion,
    *,
    kind: str,
    by: User,
    reason: str = "",
    keys: Sequence[Record] = (),
    data: Mapping[str, Any] | None = None,  # Any: JSON
    about: Decision | None = None,
) -> Reviewed:
    """Write the decision that made the version, and its audit row."""
    session, lane = version.artifact.session, version.artifact.lane
    decision = Decision.objects.create(
        session=session,
        lane=lane,
        kind=kind,
        keys=list(keys),
        data=dict(data or {}),
        reason=reason,
        about=about,
        made=version,
        by=by,
    )
    audit.record(
        by=by,
        act=f"review.{kind}",
        subject=version,
        campaign=session.campaign,
        lane=lane,
        number=version.number,
        decision=decision.pk,
        records=version.record_count,
    )
    return Reviewed(version, decision, decisions.contradictions(session, lane))


def checked_reason(reason: str) -> str:
    reason = reason.strip()
    if len(reason) > REASON_LIMIT or any(sign == "\x00" or "\ud800" <= sign <= "\udfff" for sign in reason):
        raise ActionError(f"A reason is plain text of at most {REASON_LIMIT} characters.")
    return reason


def _problem(finding: Finding, draft: Draft) -> Problem:
    match = RECORD.match(finding.where)
    number = None if match is None else draft.nodes[int(match.group(1))].origin
    place = finding.where[match.end() :].removeprefix(".") if match else finding.where
    return Problem(number, place, finding.code.value, sentence_for(finding.as_json()))


def _consolidations(draft: Draft, nodes: Sequence[Node], placed: Sequence[Any]) -> Record:
    """Return the review data in the order of the payload. What a lane without consolidations holds stays empty."""
    if not draft.is_registry:
        return dict(draft.base.consolidations)
    applied = [
        {
            "id": record["id"],
            "canonical": record["name"],
            "members": list(node.members),
            **({"by": REVIEW} if node.decided else {}),
        }
        for node, record in zip(nodes, placed, strict=True)
        if node.members
    ]
    removed = {"removed": draft.removed} if draft.removed or "removed" in draft.base.consolidations else {}
    return {"applied": applied, "proposals": draft.proposals, **removed, **draft.rest}


def _findings(draft: Draft, nodes: Sequence[Node], found: Sequence[Finding]) -> list[Record]:
    """Return what still holds of the base's findings, at the records' new places, and what the validators found."""
    places = {node.origin: at for at, node in enumerate(nodes) if node.origin is not None and not node.touched}
    kept = []
    for finding in draft.base.findings:
        match = RECORD.match(str(finding.get("where", "")))
        if finding["code"] in FOUND_ANEW or (match and int(match.group(1)) not in places):
            continue
        where = finding["where"]
        moved = f"record[{places[int(match.group(1))]}]{where[match.end() :]}" if match else where
        kept.append({**finding, "where": moved})
    return [*kept, *(dict(finding.as_json()) for finding in found)]


def name_of(node: Node) -> str:
    return heading(node.record)
