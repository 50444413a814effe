"""Prompts as assets: a manifest in declared order, fragments, materials, identity by exact bytes."""
