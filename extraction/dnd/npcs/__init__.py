"""NPC registry: who, besides the party, the session is about."""
