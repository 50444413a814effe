"""What a person can do about a lane that failed, by its code."""

from __future__ import annotations

from collections.abc import Mapping

from extraction.codes import Code

AGAIN = "Then start the run again: calls that ended well are not repeated."
OTHERWISE = "Once that is mended, start the run again: calls that ended well are not repeated."
ANSWERS = f"Try a stronger model, smaller chunks (chunk_units) or more retries. {AGAIN}"
REMEDIES: Mapping[str, str] = {
    Code.LLM_NOT_JSON: ANSWERS,
    Code.LLM_SCHEMA_MISMATCH: ANSWERS,
    Code.LLM_EMPTY: ANSWERS,
    Code.LLM_REFUSAL: f"Try another model. {AGAIN}",
    Code.LLM_TRUNCATED: f"Raise max_tokens or make the chunks smaller (chunk_units). {AGAIN}",
    Code.LLM_TOO_LARGE: f"Lower max_tokens, or bound the reply's arrays (max_records). {AGAIN}",
    Code.LLM_CONNECTION: f"Check that the endpoint in NOTARIUS_LLM_BASE_URL runs and can be reached. {AGAIN}",
    Code.LLM_TIMEOUT: f"Give the model more time (timeout) or smaller chunks (chunk_units). {AGAIN}",
    Code.LLM_RATE_LIMITED: f"Wait, or lower the profile's concurrency. {AGAIN}",
    Code.LLM_SERVER_ERROR: f"Look at the endpoint's own log. {AGAIN}",
    Code.LLM_AUTHENTICATION: f"Check NOTARIUS_LLM_API_KEY. {AGAIN}",
    Code.LLM_UNKNOWN_MODEL: f"Check NOTARIUS_LLM_MODEL against the models that the endpoint has. {AGAIN}",
    Code.LLM_CONTEXT_OVERFLOW: f"Make the chunks smaller (chunk_units) or lower input_budget. {AGAIN}",
    Code.LLM_CONFIGURATION: f"Check the settings that begin with NOTARIUS_LLM_. {AGAIN}",
    Code.LLM_NOT_COVERED: f"Set up a model for this lane with NOTARIUS_LLM_BASE_URL and NOTARIUS_LLM_MODEL. {AGAIN}",
    Code.PIPELINE_UNBOUND: "Run the lane that it needs first, or both in one run.",
    Code.REFERENCE_UNRESOLVABLE: "Run dnd/locations over this revision of the transcript, and this lane with it.",
    Code.REFERENCE_INDISTINCT: "Tell the places of one name apart, or merge them, and run this lane again.",
    Code.EXTRACT_INVALID: ANSWERS,
    Code.NORMALIZE_INVALID: ANSWERS,
    Code.RUN_BLOCKED: "Mend what stopped that lane and start the run again, or only these lanes with it (--lanes).",
    Code.RUN_ATTEMPTS_EXHAUSTED: f"Look in the worker's log for why it died, memory first. {AGAIN}",
    Code.RUN_INTERNAL: "This is a fault of the program: please report it with the worker's log line.",
}


def remedy_for(code: str) -> str:
    """Return what to do about a failed lane."""
    return REMEDIES.get(code, OTHERWISE)
