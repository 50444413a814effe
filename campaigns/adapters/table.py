"""Who sits at the table, as the prompts' materials."""

from __future__ import annotations

from campaigns.models import Campaign, RosterEntry
from extraction.canonical import JsonValue


def table_of(campaign: Campaign) -> dict[str, JsonValue]:
    """Return the materials `gm`, `party` and `glossary`, in the campaign file's order."""
    roster = list(campaign.roster.order_by("position", "pk"))
    gm = next((entry for entry in roster if entry.kind == RosterEntry.Kind.GM), None)
    return {
        "gm": {
            "player": None if gm is None else gm.player,
            "speaker_labels": [] if gm is None else list(gm.speaker_labels),
        },
        "party": [
            {
                "character": entry.character,
                "player": entry.player,
                "speaker_labels": list(entry.speaker_labels),
                "other_names": list(entry.other_names),
            }
            for entry in roster
            if entry.kind == RosterEntry.Kind.PARTY
        ],
        "glossary": [
            {"term": entry.term, "heard_as": list(entry.heard_as)}
            for entry in campaign.glossary.order_by("position", "pk")
        ],
    }
