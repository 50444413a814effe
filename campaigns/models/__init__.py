"""The archive's tables, one noun a file."""

from campaigns.models.artifact import Artifact, ArtifactVersion
from campaigns.models.audit import AuditEntry
from campaigns.models.cache import CacheRow
from campaigns.models.campaign import Campaign, Membership
from campaigns.models.change import Change
from campaigns.models.decision import Decision
from campaigns.models.edition import Edition, PlayerPayload
from campaigns.models.export import Export
from campaigns.models.idempotency import Answered
from campaigns.models.invitation import Invitation
from campaigns.models.registry import EntryAlias, EntryEvidence, RegistryEntry, RegistryState
from campaigns.models.roster import GlossaryTerm, RosterEntry
from campaigns.models.run import CallSeat, Checkpoint, Exchange, LaneRun, Run, WorkerPulse
from campaigns.models.secret import Secret
from campaigns.models.session import GameSession
from campaigns.models.token import ApiToken
from campaigns.models.transcript import Transcript, Unit
from campaigns.models.webhook import Delivery, Event, Webhook

__all__ = [
    "Answered",
    "ApiToken",
    "Artifact",
    "ArtifactVersion",
    "AuditEntry",
    "CacheRow",
    "CallSeat",
    "Campaign",
    "Change",
    "Checkpoint",
    "Decision",
    "Delivery",
    "Edition",
    "EntryAlias",
    "EntryEvidence",
    "Event",
    "Exchange",
    "Export",
    "GameSession",
    "GlossaryTerm",
    "Invitation",
    "LaneRun",
    "Membership",
    "PlayerPayload",
    "RegistryEntry",
    "RegistryState",
    "RosterEntry",
    "Run",
    "Secret",
    "Transcript",
    "Unit",
    "Webhook",
    "WorkerPulse",
]
