"""Every stable code, in one place. Grep a code to find its rule, its test and its line in the docs.

Codes are promises to the outside: they are added and retired, never reworded. The sentence a person reads is
made where the error is raised; the code is what programs and tests look at.
"""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    # Reading a transcript file
    INGEST_EMPTY = "ingest.empty"
    INGEST_BINARY = "ingest.binary"
    INGEST_TOO_LARGE = "ingest.too_large"
    INGEST_TOO_DEEP = "ingest.too_deep"
    INGEST_ENCODING = "ingest.encoding"
    INGEST_UNKNOWN_FORMAT = "ingest.unknown_format"
    INGEST_MALFORMED = "ingest.malformed"
    INGEST_NO_UNITS = "ingest.no_units"
    INGEST_UNIT_ID = "ingest.unit_id"
    INGEST_TIMES = "ingest.times"
    INGEST_SKIPPED = "ingest.skipped"
    INGEST_SHOWN_AGAIN = "ingest.shown_again"
    INGEST_REPEATED = "ingest.repeated"
    INGEST_DIRECTION = "ingest.direction"
    INGEST_MERGED_BY_TIME = "ingest.merged_by_time"
    INGEST_PARTS_BY_NAME = "ingest.parts_by_name"
    INGEST_PART_SKIPPED = "ingest.part_skipped"

    # Evidence
    EVIDENCE_MISSING = "evidence.missing"
    EVIDENCE_WRONG_SOURCE = "evidence.wrong_source"
    EVIDENCE_UNKNOWN_UNIT = "evidence.unknown_unit"
    EVIDENCE_RANGE_REVERSED = "evidence.range_reversed"
    EVIDENCE_OUTSIDE_CHUNK = "evidence.outside_chunk"
    EVIDENCE_NOT_CANONICAL = "evidence.not_canonical"
    EVIDENCE_UNRELATED = "evidence.unrelated"

    # Records and identity
    RECORD_SHAPE = "record.shape"
    RECORD_NAME_EMPTY = "record.name_empty"
    RECORD_NAME_TOO_LONG = "record.name_too_long"
    RECORD_ORDER = "record.order"
    IDENTITY_MISMATCH = "identity.mismatch"
    IDENTITY_DUPLICATE = "identity.duplicate"
    IDENTITY_ROSTER = "identity.roster"
    IDENTITY_UNRESOLVED = "identity.unresolved"
    NAME_REWRITTEN = "normalize.name_rewritten"
    TEXT_TIDIED = "normalize.text_tidied"
    DUPLICATE_COLLAPSED = "normalize.duplicate_collapsed"
    REFERENCE_UNRESOLVABLE = "reference.unresolvable"
    REFERENCE_INDISTINCT = "reference.indistinct"

    # Scenes
    SCENES_NOT_A_PARTITION = "scenes.not_a_partition"
    SCENES_FALLBACK = "scenes.fallback"
    SCENES_SPLIT = "scenes.split"

    # Reconciliation of registries
    RECONCILE_GROUP_TOO_SMALL = "reconcile.group_too_small"
    RECONCILE_UNKNOWN_MEMBER = "reconcile.unknown_member"
    RECONCILE_AMBIGUOUS_MEMBER = "reconcile.ambiguous_member"
    RECONCILE_REPEATED_MEMBER = "reconcile.repeated_member"
    RECONCILE_CANONICAL_NOT_MEMBER = "reconcile.canonical_not_member"
    RECONCILE_CONFLICT = "reconcile.conflict"
    RECONCILE_APPLIED = "reconcile.applied"
    RECONCILE_OMITTED = "reconcile.omitted"
    RECONCILE_TOO_LARGE = "reconcile.too_large"
    RECONCILE_INVALID_REPLY = "reconcile.invalid_reply"

    # Decisions of a review, applied to a later run
    DECISION_APPLIED = "decision.applied"
    DECISION_OVERRULED = "decision.overruled"
    DECISION_CONTRADICTED = "decision.contradicted"

    # A model's answer
    LLM_NOT_JSON = "llm.not_json"
    LLM_SCHEMA_MISMATCH = "llm.schema_mismatch"
    LLM_TRUNCATED = "llm.truncated"
    LLM_EMPTY = "llm.empty"
    LLM_REFUSAL = "llm.refusal"
    LLM_TOO_LARGE = "llm.too_large"
    # No answer
    LLM_CONNECTION = "llm.connection"
    LLM_TIMEOUT = "llm.timeout"
    LLM_RATE_LIMITED = "llm.rate_limited"
    LLM_SERVER_ERROR = "llm.server_error"
    # A request that no retry would mend
    LLM_AUTHENTICATION = "llm.authentication"
    LLM_QUOTA = "llm.quota"
    LLM_UNKNOWN_MODEL = "llm.unknown_model"
    LLM_BAD_REQUEST = "llm.bad_request"
    LLM_CONTEXT_OVERFLOW = "llm.context_overflow"
    LLM_CONFIGURATION = "llm.configuration"
    LLM_NOT_RECORDED = "llm.not_recorded"
    LLM_NOT_COVERED = "llm.not_covered"

    # Prompts and pipelines
    PROMPT_INVALID = "prompt.invalid"
    PROMPT_MATERIAL_MISSING = "prompt.material_missing"
    PROMPT_MATERIAL_UNKNOWN = "prompt.material_unknown"
    PIPELINE_INVALID = "pipeline.invalid"
    PIPELINE_UNKNOWN_LANE = "pipeline.unknown_lane"
    PIPELINE_UNBOUND = "pipeline.unbound"

    # Scoring against gold labels
    EVALUATION_INVALID = "evaluation.invalid"

    # Runs
    EXTRACT_INVALID = "extract.invalid"
    NORMALIZE_INVALID = "normalize.invalid"
    RUN_BLOCKED = "run.blocked"
    RUN_CANCELLED = "run.cancelled"
    RUN_PAUSED = "run.paused"
    RUN_CAP_REACHED = "run.cap_reached"
    RUN_LEASE_LOST = "run.lease_lost"
    RUN_ATTEMPTS_EXHAUSTED = "run.attempts_exhausted"
    RUN_INTERNAL = "run.internal"

    # The archive
    CAMPAIGN_INVALID = "campaign.invalid"
    CAMPAIGN_UNKNOWN = "campaign.unknown"
    SESSION_UNKNOWN = "session.unknown"
    TRANSCRIPT_NONE = "transcript.none"
    ARTIFACT_NONE = "artifact.none"
    VERSION_UNKNOWN = "version.unknown"
    VERSION_DECIDED = "version.already_decided"
    VERSION_STALE = "version.stale"
    REVIEW_INVALID = "review.invalid"
    REVIEW_NOT_APPLICABLE = "review.not_applicable"
    REVIEW_NOTHING = "review.nothing_to_undo"
    REVIEW_RECORD_UNKNOWN = "review.record_unknown"
    DECISION_UNKNOWN = "decision.unknown"
    REVIEW_EVIDENCE_LOST = "review.evidence_lost"
    REVIEW_MEMBER_UNPROVEN = "review.member_unproven"
    ENTRY_UNKNOWN = "entry.unknown"
    RUN_UNKNOWN = "run.unknown"
    RUN_FINISHED = "run.finished"
    INVITATION_INVALID = "invitation.invalid"
    INVITATION_UNKNOWN = "invitation.unknown"
    MEMBER_UNKNOWN = "member.unknown"
    MEMBER_LAST_GM = "member.last_gm"
    REQUEST_INVALID = "request.invalid"
    REQUEST_TOO_LARGE = "request.too_large"
    REQUEST_LENGTH = "request.length_required"
    REQUEST_ADDRESS = "request.address_too_long"
    REQUEST_MEDIA_TYPE = "request.media_type"
    REQUEST_NOT_ACCEPTABLE = "request.not_acceptable"
    REQUEST_PRECONDITION = "request.precondition"
    REQUEST_RATE_LIMITED = "request.rate_limited"
    IDEMPOTENCY_IN_FLIGHT = "idempotency.in_flight"
    IDEMPOTENCY_REUSED = "idempotency.reused"
    AUTH_REQUIRED = "auth.required"
    AUTH_FORBIDDEN = "auth.forbidden"
    AUTH_SCOPE = "auth.scope"
    TOKEN_UNKNOWN = "token.unknown"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"

    # What is kept from players
    SECRET_UNKNOWN = "secret.unknown"
    SECRET_KEPT = "secret.kept"
    SECRET_REVEALED = "secret.revealed"

    # What is taken out, and what comes back in
    ARCHIVE_NOT_EMPTY = "archive.not_empty"
    ARCHIVE_IN_USE = "archive.in_use"
    ARCHIVE_VERSION = "archive.version"
    ARCHIVE_CHANGED = "archive.changed"
    BACKUP_INVALID = "backup.invalid"
    BACKUP_FAILED = "backup.failed"
    EXPORT_UNKNOWN = "export.unknown"
    EXPORT_INVALID = "export.invalid"
    EXPORT_FAILED = "export.failed"
    EXPORT_ATTEMPTS_EXHAUSTED = "export.attempts_exhausted"

    # Webhooks: what is refused, and why a delivery failed
    WEBHOOK_UNKNOWN = "webhook.unknown"
    WEBHOOK_INVALID = "webhook.invalid"
    WEBHOOK_TOO_MANY = "webhook.too_many"
    WEBHOOK_OWNER = "webhook.owner_sees_nothing"
    WEBHOOK_DISABLED = "webhook.disabled"
    WEBHOOK_ADDRESS = "webhook.address_refused"
    WEBHOOK_UNRESOLVED = "webhook.unresolved"
    WEBHOOK_CONNECTION = "webhook.connection"
    WEBHOOK_TLS = "webhook.tls"
    WEBHOOK_TIMEOUT = "webhook.timeout"
    WEBHOOK_STATUS = "webhook.status"
    WEBHOOK_GONE = "webhook.gone"
    WEBHOOK_INTERRUPTED = "webhook.interrupted"

    INTERNAL = "internal"
