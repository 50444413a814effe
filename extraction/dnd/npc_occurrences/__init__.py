"""Where the session meets the NPCs of its registry: they appear, speak, act, or are spoken of."""
