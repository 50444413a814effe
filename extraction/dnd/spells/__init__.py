"""Spells cast in the session: who cast what, at which level, on whom, and what came of it."""
