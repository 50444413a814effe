"""What a finding's code means to a person, in one sentence. Codes stay; these sentences may be reworded freely."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from extraction.codes import Code

LOOK = "Look for names that mean one and the same."
SENTENCES: Mapping[str, str] = {
    Code.EVIDENCE_UNRELATED: "The cited lines never say this name. Check that they are about this record.",
    Code.EVIDENCE_MISSING: "A record came without evidence.",
    Code.EVIDENCE_WRONG_SOURCE: "Some evidence points to another transcript.",
    Code.EVIDENCE_UNKNOWN_UNIT: "Some evidence names a unit that the transcript does not have.",
    Code.EVIDENCE_RANGE_REVERSED: "Some evidence ends before it starts.",
    Code.EVIDENCE_OUTSIDE_CHUNK: "Some evidence lies outside the stretch that was read.",
    Code.EVIDENCE_NOT_CANONICAL: "The evidence is repeated or out of order.",
    Code.RECORD_SHAPE: "A record was malformed.",
    Code.RECORD_NAME_EMPTY: "A record came without a name.",
    Code.RECORD_NAME_TOO_LONG: "A record came with a passage in place of a name.",
    Code.RECORD_ORDER: "The records are out of order.",
    Code.IDENTITY_MISMATCH: "A record's id does not belong to its name.",
    Code.IDENTITY_DUPLICATE: "Two records have one identity.",
    Code.IDENTITY_ROSTER: "This is the name of a player, or of a character of the party.",
    Code.IDENTITY_UNRESOLVED: "A record names somebody or something that its registry does not have.",
    Code.NAME_REWRITTEN: "A name was replaced by the registry's name for the same one.",
    Code.TEXT_TIDIED: "White space was tidied. No word has changed.",
    Code.DUPLICATE_COLLAPSED: "The same record was found more than once. The first one was kept.",
    Code.REFERENCE_UNRESOLVABLE: "Places of one name cannot be told apart: the lines that prove one are elsewhere.",
    Code.REFERENCE_INDISTINCT: "Places of one name cannot be told apart: the very same lines prove them.",
    Code.SCENES_NOT_A_PARTITION: "The scenes leave units out, or overlap.",
    Code.SCENES_FALLBACK: "A stretch's scenes could not be told: it stands as one scene, or in parts by length.",
    Code.SCENES_SPLIT: "A very long scene was cut into parts where the speaker changes.",
    Code.RECONCILE_GROUP_TOO_SMALL: "A proposed merge named fewer than two records and was left out.",
    Code.RECONCILE_UNKNOWN_MEMBER: "A proposed merge named a record that does not exist and was left out.",
    Code.RECONCILE_AMBIGUOUS_MEMBER: "A proposed merge named a record that could be one of several and was left out.",
    Code.RECONCILE_REPEATED_MEMBER: "A proposed merge named one record twice and was left out.",
    Code.RECONCILE_CANONICAL_NOT_MEMBER: "A proposed merge chose a name that is none of its members' and was left out.",
    Code.RECONCILE_CONFLICT: "Proposed merges claimed the same record and were all left out.",
    Code.RECONCILE_APPLIED: "Several names were merged into one record. Check the members.",
    Code.RECONCILE_OMITTED: f"Some proposed merges were unsafe and were left out. {LOOK}",
    Code.RECONCILE_TOO_LARGE: f"There were too many names to compare with the model. {LOOK}",
    Code.RECONCILE_INVALID_REPLY: f"The model's proposal of merges could not be used. {LOOK}",
    Code.DECISION_APPLIED: "A decision of an earlier review was applied to this record.",
    Code.DECISION_OVERRULED: "A proposed merge goes against a decision of a review and was left out.",
    Code.DECISION_CONTRADICTED: "Decisions of the review contradict each other. Neither was applied.",
    Code.REVIEW_EVIDENCE_LOST: "Some lines that were cited before would be cited no more.",
    Code.REVIEW_RECORD_UNKNOWN: "There is no such record, member or reference.",
    Code.LLM_NOT_JSON: "The model's answer was not JSON.",
    Code.LLM_SCHEMA_MISMATCH: "The model's answer had another shape than was asked for.",
    Code.LLM_TRUNCATED: "The model's answer was cut off at its limit of length.",
    Code.LLM_EMPTY: "The model's answer was empty.",
    Code.LLM_REFUSAL: "The model refused to answer.",
    Code.LLM_TOO_LARGE: "The model's answer would have been too large.",
}
# In the order in which people read them: what happened, who and what there is, where each was met, the fights.
LANE_NAMES: Mapping[str, str] = {
    "dnd/scenes": "Scenes",
    "dnd/npcs": "NPCs",
    "dnd/items": "Items",
    "dnd/locations": "Places",
    "dnd/npc-occurrences": "NPC occurrences",
    "dnd/item-occurrences": "Item occurrences",
    "dnd/location-occurrences": "Place occurrences",
    "dnd/combat-turns": "Combat turns",
    "dnd/spells": "Spells",
    "dnd/enemy-events": "Enemy events",
}
RECORD = re.compile(r"^record\[(\d{1,7})\]")


def session_heading(number: int, title: str) -> str:
    """Return what a session is called: its number, and its title unless that begins with the number itself."""
    name = f"Session {number}"
    if re.match(rf"session\s*{number}(?!\d)", title.strip(), re.IGNORECASE):
        return title.strip()
    return f"{name}: {title}" if title.strip() else name


def sentence_for(finding: Mapping[str, object]) -> str:
    """Return the sentence for a finding as it is stored; an unknown code names itself."""
    code = str(finding.get("code", ""))
    if left_out := _left_out(finding):
        return f"{left_out} more warnings are not listed here."
    return SENTENCES.get(code, f"A check reported {code}.")


def warnings_in(findings: Sequence[Mapping[str, object]]) -> int:
    """Return how many findings there were, those that were left out of the list among them."""
    return sum(_left_out(finding) or 1 for finding in findings)


def record_of(finding: Mapping[str, object]) -> int | None:
    """Return the number of the artifact's record that the finding is about, or None where it is about the whole.

    `record[3].source_refs[0]` is about one; `chunk[2].record[0]` is about an answer that was merged since.
    """
    match = RECORD.match(str(finding.get("where", "")))
    return int(match.group(1)) if match else None


def lane_name(lane: str) -> str:
    """Return what people call the lane's artifact; a lane without a name of its own is called by its key."""
    return LANE_NAMES.get(lane, lane)


def _left_out(finding: Mapping[str, object]) -> int:
    """Return how many findings this one stands for, or 0 where it is one of its own."""
    counts = finding.get("counts")
    left_out = counts.get("left_out") if isinstance(counts, Mapping) else None
    return left_out if isinstance(left_out, int) and finding.get("where") == "more" else 0
