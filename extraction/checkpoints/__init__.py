"""Fingerprints and the codec of stored stage results."""
