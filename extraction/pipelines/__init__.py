"""Pipelines: which lanes run in which order over a transcript."""
