"""Extraction's ports on Django."""
