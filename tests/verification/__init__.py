"""Opt-in checks against a real model on this machine: `make verify`."""
