"""Faults injected for real into real processes: `python -m tests.soak --runs 200 --seed 1` (docs/soak.md)."""
