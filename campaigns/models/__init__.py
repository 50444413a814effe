"""The archive's tables, one noun a file."""

from campaigns.models.artifact import Artifact, ArtifactVersion
from campaigns.models.audit import AuditEntry
from campaigns.models.campaign import Campaign, Membership
from campaigns.models.decision import Decision
from campaigns.models.registry import EntryAlias, EntryEvidence, RegistryEntry, RegistryState
from campaigns.models.roster import GlossaryTerm, RosterEntry
from campaigns.models.run import CallSeat, Checkpoint, Exchange, LaneRun, Run, WorkerPulse
from campaigns.models.session import GameSession
from campaigns.models.token import ApiToken
from campaigns.models.transcript import Transcript, Unit

__all__ = [
    "ApiToken",
    "Artifact",
    "ArtifactVersion",
    "AuditEntry",
    "CallSeat",
    "Campaign",
    "Checkpoint",
    "Decision",
    "EntryAlias",
    "EntryEvidence",
    "Exchange",
    "GameSession",
    "GlossaryTerm",
    "LaneRun",
    "Membership",
    "RegistryEntry",
    "RegistryState",
    "RosterEntry",
    "Run",
    "Transcript",
    "Unit",
    "WorkerPulse",
]
