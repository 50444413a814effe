"""Turn transcripts into evidence-backed artifacts. Pure Python: no Django, no storage, no clock of its own."""
