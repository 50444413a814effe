"""The D&D families. A family imports `extraction.framework`, `dnd.artifacts` and `dnd.shared`, and no other family."""
