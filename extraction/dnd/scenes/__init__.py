"""Scenes: where the session's stretches begin, to browse by and to read along."""
